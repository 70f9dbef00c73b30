import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory, rejection } from "../../../test/support/memory.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { jsonlStore } from "./jsonl.ts";
import { writeLine } from "./line-format.ts";
import { readSession, writeSessionFile } from "./test-support/jsonl-file.ts";

test("a bit flip anywhere is detected: in the last line it drops the line, elsewhere it is an error with the line number [stores.jsonl-damage] [stores.jsonl-torn]", async (context) => {
  const { directory, path, data, lineStarts } = await writeSessionFile(150, 300);
  assert.match(data.toString(), /"type":"snapshot"/);
  const lastLine = lineStarts.length - 1;
  writeFileSync(path, data.subarray(0, lineStarts.at(-2)));
  const withoutLast = (await readSession(directory)).found;

  const random = seededRandom(20_260_101);
  const lineEnds = lineStarts.slice(1).map((start) => start - 1);
  // Random offsets, the start of the file, line ends (a flip joins two lines), and the last line.
  const offsets = [
    ...Array.from({ length: 700 }, () => random(data.length)),
    ...Array.from({ length: 40 }, (_, offset) => offset),
    ...Array.from({ length: 160 }, () => lineEnds[random(lineEnds.length)] as number),
    ...lineEnds.slice(-3),
    ...Array.from(
      { length: 97 },
      () => (lineStarts.at(-2) as number) + random(data.length - (lineStarts.at(-2) as number)),
    ),
  ];
  let dropped = 0;
  for (const offset of offsets) {
    const line = lineStarts.findLastIndex((start) => start <= offset) + 1;
    const flipped = Buffer.from(data);
    flipped[offset] = (flipped[offset] as number) ^ (1 << random(8));
    writeFileSync(path, flipped);
    if (line === lastLine) {
      dropped++;
      const { found, warnings } = await readSession(directory);
      assert.deepEqual(found, withoutLast, `byte ${offset} of the last line`);
      assert.equal(warnings.length, 1);
    } else {
      const error = await rejection(readSession(directory), "store_damaged");
      assert.deepEqual(error.data, { path, line }, `byte ${offset}`);
      assert.deepEqual(readFileSync(path), flipped, "a damaged file was changed");
    }
  }
  context.diagnostic(`${offsets.length} flips in ${data.length} bytes, ${dropped} of them in the last line`);
  assert.ok(offsets.length >= 1_000 && dropped >= 90);
});

test("repeated reads report damage at the same line [stores.jsonl-damage]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(5, 10);
  const store = await jsonlStore({ directory });
  const scope = { owner: "local", sessionId: "test" };
  const head = data.subarray(0, lineStarts[4]);
  writeFileSync(path, head);
  assert.equal((await store.load(scope))?.row.revision, 4);
  // Two more lines arrive while the store is open: a valid one, and a duplicate of it.
  appendFileSync(
    path,
    Buffer.concat([data.subarray(lineStarts[4], lineStarts[5]), data.subarray(lineStarts[4], lineStarts[5])]),
  );
  for (let count = 0; count < 3; count++) {
    assert.equal((await rejection(store.load(scope), "store_damaged")).data.line, 6);
    assert.equal((await rejection(store.journal(scope, {}), "store_damaged")).data.line, 6);
  }
  writeFileSync(path, data);
  assert.equal((await store.load(scope))?.row.revision, 11);
  await store.close();
});

test("a removed or moved line is detected [stores.jsonl-damage]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(5, 10);
  const lines = lineStarts.slice(1).map((end, index) => data.subarray(lineStarts[index], end));
  const arranged = async (order: number[]) => {
    writeFileSync(path, Buffer.concat(order.map((line) => lines[line - 1] as Buffer)));
    return (await rejection(readSession(directory), "store_damaged")).data.line;
  };
  assert.equal(await arranged([1, 2, 4, 5]), 3);
  assert.equal(await arranged([1, 3, 2, 4]), 2);
  assert.equal(await arranged([1, 2, 2, 3]), 3);
  assert.equal(await arranged([2, 3, 4]), 1);
});

test("a damaged session affects neither the other sessions nor their watchers [stores.jsonl-damage]", async () => {
  const { directory, path, data, lineStarts } = await writeSessionFile(5, 10);
  const damaged = Buffer.from(data);
  damaged[(lineStarts[2] as number) + 50] = 0;
  writeFileSync(path, damaged);
  const warnings: string[] = [];
  const store = await jsonlStore({
    directory,
    pollMilliseconds: 5,
    onWarning: (warning) => warnings.push(warning),
  });
  const memory = await openTestMemory({ store });
  const session = await memory.createSession({ id: "healthy" });
  const other = await openTestMemory({ store: await jsonlStore({ directory }) });
  const received = new Promise<number>((resolve) => void session.watch(({ revision }) => resolve(revision)));
  await (await other.resumeSession("healthy")).notepad.append("news");
  assert.equal(await received, 2);
  assert.equal(warnings.filter((warning) => warning.includes("damaged at line 3")).length, 1, "warns once");
  await rejection(memory.resumeSession("test"), "store_damaged");
  await memory.close();
  await other.close();
});

test("a foreign file is never changed, even if a session of its name is opened [bad.foreign]", async () => {
  const directory = temporaryDirectory();
  const warnings: string[] = [];
  const store = await jsonlStore({ directory, onWarning: (warning) => warnings.push(warning) });
  const memory = await openTestMemory({ store });
  const contents = [
    "hello",
    "hello\n",
    '{"type":"session","version":3}\n',
    '{"a":1}\n{"b":2}\n',
    '{"sum": "not ours"}\n'.repeat(3),
    "\ufeff\n",
  ];
  for (const [index, content] of contents.entries()) {
    const path = join(directory, `foreign-${index}.jsonl`);
    writeFileSync(path, content);
    const { message } = await rejection(memory.openSession(`foreign-${index}`), "store_foreign");
    assert.match(message, /is not a Holdfast session file; it was not changed/);
    await rejection(memory.createSession({ id: `foreign-${index}` }), "store_foreign");
    assert.equal(readFileSync(path, "utf8"), content);
  }
  await memory.createSession({ id: "ours" });
  assert.deepEqual(
    (await memory.listSessions()).map(({ id }) => id),
    ["ours"],
  );
  await memory.listSessions();
  assert.equal(warnings.length, contents.length, "one warning per file");
  await memory.close();
});

test("a file with a newer version, or with a line of an unknown type, is never changed [bad.newer]", async () => {
  const { directory, path, data } = await writeSessionFile(1, 10);
  const lines = data.toString().trimEnd().split("\n");
  const first = JSON.parse(lines[0] as string).body;
  const newerVersion = Buffer.concat([writeLine(1, { ...first, version: 2 }), Buffer.from(`${lines[1]}\n`)]);
  const unknownLine = Buffer.concat([data, writeLine(4, { type: "epoch" } as never)]);
  for (const content of [
    newerVersion,
    unknownLine,
    Buffer.concat([unknownLine, Buffer.from('{"sum":"half')]),
  ]) {
    writeFileSync(path, content);
    const { message } = await rejection(readSession(directory), "store_newer");
    assert.match(message, /was written by a newer Holdfast .* Update holdfast\./);
    assert.deepEqual(readFileSync(path), content);
  }
});
