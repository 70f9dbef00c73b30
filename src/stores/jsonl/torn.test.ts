import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { jsonlStore } from "./jsonl.ts";
import { type Found, readSession, writeSessionFile } from "./test-support/jsonl-file.ts";

test("a file cut at any byte of its last three lines opens without the torn line, with a warning [stores.jsonl-torn]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(3, 10);
  const aside = `${path}.torn`;
  const whole = new Map<number, Found | undefined>();
  for (const end of lineStarts.slice(-4)) {
    writeFileSync(path, data.subarray(0, end));
    whole.set(end, (await readSession(directory)).found);
  }
  assert.deepEqual(
    [...whole.values()].map((found) => found?.revision),
    [4, 5, 6, 7],
  );

  for (let cut = lineStarts.at(-4) as number; cut <= data.length; cut++) {
    const lastWhole = lineStarts.findLast((end) => end <= cut) as number;
    rmSync(aside, { force: true });
    writeFileSync(path, data.subarray(0, cut));
    const { found, warnings } = await readSession(directory);
    assert.deepEqual(found, whole.get(lastWhole), `cut at byte ${cut}`);
    assert.equal(warnings.length, cut === lastWhole ? 0 : 1, `cut at byte ${cut}: ${warnings}`);
    assert.equal(existsSync(aside), cut !== lastWhole);
    if (cut === lastWhole) continue;
    const line = lineStarts.indexOf(lastWhole) + 1;
    assert.match(
      warnings[0] ?? "",
      new RegExp(
        `dropped the last line \\(${line}\\), which was torn; its ${cut - lastWhole} bytes are in .*\\.torn`,
      ),
    );
    assert.deepEqual(readFileSync(aside), Buffer.concat([data.subarray(lastWhole, cut), Buffer.from("\n")]));
    assert.deepEqual(readFileSync(path), data.subarray(0, lastWhole));
  }
});

test("a session torn during its creation does not exist [stores.jsonl-torn]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(0, 0);
  for (let cut = 1; cut < (lineStarts[1] as number); cut++) {
    writeFileSync(path, data.subarray(0, cut));
    const { found, warnings } = await readSession(directory);
    assert.equal(found, undefined);
    assert.equal(warnings.length, 1, `cut at byte ${cut}`);
  }
  const memory = await openTestMemory({ store: await jsonlStore({ directory }) });
  await (await memory.openSession("test")).notepad.append("created again");
  await memory.close();
  assert.equal((await readSession(directory)).found?.notepad, "created again");
});

test("zeros at the end after a power cut are dropped like a torn line [stores.jsonl-torn]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(2, 10);
  for (const whole of [0, lineStarts.at(-2) as number, data.length]) {
    writeFileSync(path, Buffer.concat([data.subarray(0, whole), Buffer.alloc(3_000)]));
    const { found, warnings } = await readSession(directory);
    assert.equal(found?.revision ?? 0, lineStarts.indexOf(whole));
    assert.equal(warnings.length, 1);
  }
});

test("after a torn line, writing continues and other readers follow [stores.jsonl-torn]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(2, 10);
  const warnings: string[] = [];
  const reader = await openTestMemory({
    store: await jsonlStore({ directory, onWarning: (warning) => warnings.push(warning) }),
  });
  const seen = await reader.resumeSession("test");
  // A third process dies in the middle of its line.
  appendFileSync(path, data.subarray(lineStarts.at(-2), data.length - 5));
  assert.equal(await seen.notepad.read(), "2 notes so far");
  const writer = await openTestMemory({
    store: await jsonlStore({ directory, onWarning: (warning) => warnings.push(warning) }),
  });
  const session = await writer.resumeSession("test");
  await session.notepad.append("after the crash");
  assert.equal(await seen.notepad.read(), "2 notes so far\nafter the crash");
  assert.equal((await seen.history())[0]?.revision, 6);
  assert.equal(warnings.length, 1);
  await writer.close();
  await reader.close();
});
