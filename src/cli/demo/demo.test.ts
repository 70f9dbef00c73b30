import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../../index.ts";
import { sheets } from "./audit.ts";
import { playDemo } from "./demo.ts";

test("the demo shows the notepad growing through compactions, and what survives [repo.demo]", async () => {
  let stdout = "";
  const memory = await openMemory({ store: "memory:" });
  await playDemo(memory, { thinking: () => 0 }, (lines) => {
    for (const line of lines) stdout += `${line}\n`;
  });
  await memory.close();
  assert.ok(!stdout.includes("\u001b"), "no colours without a terminal");
  for (const [index, { name }] of sheets.entries()) {
    assert.match(
      stdout,
      new RegExp(`\\n +${index + 1} {2}reads ${name} +[█░]{20} +\\d+ %   notepad \\d+ characters\\n`),
    );
  }
  const sizes = [...stdout.matchAll(/notepad (\d+) characters/g)].map(([, size]) => Number(size));
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => a - b),
  );

  const compactions = [...stdout.matchAll(/^ +Compacted: the older messages are now a summary\.$/gm)].length;
  assert.ok(compactions >= 3, `${compactions} compactions`);
  const receipts = stdout.matchAll(/^ +\d+ messages retrievable, [\d,]+ → [\d,]+ tokens\.$/gm);
  assert.equal([...receipts].length, compactions);
  // Once the agent forgets to take notes, and only the warning makes it write them.
  assert.match(stdout, /takes no notes\n.*reads .*\n\n.*⚠ .*\n( +✎ .*\n){2,}/);

  const end = stdout.slice(stdout.indexOf("which the model sees in every call"));
  for (const { name, rows, finding } of sheets)
    assert.ok(end.includes(`    - ${name}: ${rows} rows; ${finding}\n`), name);
});
