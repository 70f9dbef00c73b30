import assert from "node:assert/strict";
import { appendFileSync, chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { asNobody, noMounts, noOtherUser, readOnlyPlace } from "../../test/support/mounts.ts";
import { startProgram, startWriter } from "../../test/support/processes.ts";
import type { ReaderReport } from "../../test/support/reader.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { fingerprint } from "./test-support/files.ts";

const skip = noMounts();

async function fill(store: string): Promise<void> {
  const memory = await openTestMemory({ store });
  const session = await memory.createSession({ id: "a" });
  await session.notepad.append("- Sheet 1: 500 rows");
  await session.notes.add("a note", ["x"]);
  await memory.close();
}

/** What a process finds that cannot write. */
async function readAs(
  wrapper: string[],
  stores: string[],
): Promise<{ reports: ReaderReport[]; errors: string }> {
  const program = startProgram("reader.ts", stores, wrapper);
  const { code, errors } = await program.ended;
  assert.equal(code, 0, errors);
  return { reports: program.lines.map((line) => JSON.parse(line) as ReaderReport), errors };
}

const whole: ReaderReport = {
  opened: "done",
  notepad: "- Sheet 1: 500 rows",
  notes: ["a note"],
  found: 1,
  history: 3,
  sessions: ["a"],
  writing: "store_read_only",
  creating: "store_read_only",
};

test("in a read-only place SQLite reads, and refuses to write [bad.read-only]", { skip }, async () => {
  const directory = temporaryDirectory();
  const store = join(directory, "memory.db");
  await fill(store);
  const before = fingerprint(directory);
  const { reports } = await readAs(readOnlyPlace(directory), [store, `sqlite:${store}`]);
  for (const { message, ...report } of reports) {
    assert.deepEqual(report, whole);
    assert.match(
      message ?? "",
      /open for reading only, because it cannot be written to\. Make the file and its directory writable, then open it again\./,
    );
  }
  assert.deepEqual(fingerprint(directory), before);
});

test("what a killed process left in the write-ahead log can be read there, too [bad.read-only]", {
  skip,
}, async () => {
  const directory = temporaryDirectory();
  const store = join(directory, "memory.db");
  const writer = startWriter({
    store,
    session: "a",
    name: "w",
    operations: 2,
    acknowledge: true,
    staysOpen: true,
  });
  writer.say("go");
  await writer.said("w:2");
  writer.process.kill("SIGKILL");
  await writer.ended;
  assert.ok(existsSync(`${store}-wal`));
  const before = fingerprint(directory);
  const { reports } = await readAs(readOnlyPlace(directory), [store]);
  const { message: _message, ...report } = reports[0] as ReaderReport;
  assert.deepEqual(report, { ...whole, notepad: "w:1", notes: ["w:2"], found: 0, history: 3 });
  assert.deepEqual(fingerprint(directory), before);
});

test("in a read-only place JSONL reads, also past half a line and without its lock file, and refuses to write [bad.read-only]", {
  skip,
}, async () => {
  const directory = temporaryDirectory();
  await fill(`jsonl:${directory}`);
  const spoiling = [
    { spoil: () => {}, warnings: 0 },
    { spoil: () => appendFileSync(join(directory, "a.jsonl"), '{"sum":"half a li'), warnings: 1 },
    { spoil: () => rmSync(join(directory, "lock")), warnings: 1 },
  ];
  for (const { spoil, warnings } of spoiling) {
    spoil();
    const before = fingerprint(directory);
    const { reports, errors } = await readAs(readOnlyPlace(directory), [`jsonl:${directory}`]);
    const { message, ...report } = reports[0] as ReaderReport;
    assert.deepEqual(report, whole);
    assert.match(message ?? "", /Make the directory writable, or name another one\./);
    assert.equal(errors.split("its last line is torn and was left out").length - 1, 2 * warnings, errors);
    assert.deepEqual(fingerprint(directory), before);
  }
});

test("a store that does not exist cannot be made in a read-only place [bad.read-only]", {
  skip,
}, async () => {
  const directory = temporaryDirectory();
  const { reports } = await readAs(readOnlyPlace(directory), [
    join(directory, "new.db"),
    `jsonl:${join(directory, "new")}`,
    join(directory, "deep", "new.db"),
  ]);
  for (const { opened, message } of reports) {
    assert.equal(opened, "store_read_only");
    assert.match(message ?? "", /writable, or name another/);
  }
  assert.deepEqual(fingerprint(directory), []);
});

test("another user reads what may be read, writes nothing, and is told when even reading is not allowed [bad.read-only]", {
  skip: noOtherUser(),
}, async () => {
  const directory = temporaryDirectory();
  const [database, lines] = [join(directory, "memory.db"), join(directory, "lines")];
  await fill(database);
  await fill(`jsonl:${lines}`);
  const before = fingerprint(directory);
  chmodSync(directory, 0o755);
  const stores = [database, `jsonl:${lines}`];
  // Private, as they were made.
  for (const { opened, message } of (await readAs(asNobody(), stores)).reports) {
    assert.match(opened, /^store_(?:failed|read_only)$/);
    assert.match(message ?? "", new RegExp(directory));
  }
  for (const path of [database, join(lines, "a.jsonl"), join(lines, "lock")]) chmodSync(path, 0o644);
  chmodSync(lines, 0o755);
  for (const { message: _message, ...report } of (await readAs(asNobody(), stores)).reports)
    assert.deepEqual(report, whole);
  assert.deepEqual(fingerprint(directory), before);
});
