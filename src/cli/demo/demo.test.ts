import assert from "node:assert/strict";
import { test } from "node:test";
import { openMemory } from "../../index.ts";
import { sheets } from "./audit.ts";
import { playDemo } from "./demo.ts";

test("the demo shows the notepad growing through compactions, and what survives [repo.demo]", async ({
  mock,
}) => {
  const { mock: log } = mock.method(console, "log", () => {});
  const memory = await openMemory({ store: "memory:" });
  await playDemo(memory, { thinking: () => 0 });
  await memory.close();
  const stdout = log.calls.map(({ arguments: [line] }) => `${line}\n`).join("");
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

  const compactions = [
    ...stdout.matchAll(/^ +compaction +the conversation so far is now a summary of \d+ words$/gm),
  ].length;
  assert.ok(compactions >= 3, `${compactions} compactions`);
  assert.equal([...stdout.matchAll(/^ +handoff +the user's 1 message, \d+ steps?$/gm)].length, compactions);
  assert.equal([...stdout.matchAll(/^ +receipt +\d+ messages removed, retrievable$/gm)].length, compactions);
  // Once the agent forgets to take notes, and only the warning makes it write them.
  assert.match(stdout, /takes no notes\n.*reads .*\n\n.*⚠ .*\n( +✎ .*\n){2,}/);

  const end = stdout.slice(stdout.indexOf("which the model sees in every call"));
  for (const { name, rows, finding } of sheets)
    assert.ok(end.includes(`    - ${name}: ${rows} rows; ${finding}\n`), name);
  assert.match(
    end,
    new RegExp(
      `Findings left after ${compactions} compactions, out of 10\\n +in the notepad +█{10} 10\\n +in the conversation +█*░+ [0-4]\\n$`,
    ),
  );
});
