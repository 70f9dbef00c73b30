import assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
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

/** The report of a process that cannot write. */
async function readAs(
  wrapper: string[],
  stores: string[],
): Promise<{ reports: ReaderReport[]; errors: string }> {
  const program = startProgram("reader.ts", stores, wrapper);
  const { code, errors } = await program.ended;
  assert.equal(code, 0, errors);
  return { reports: program.lines.map((line) => JSON.parse(line) as ReaderReport), errors };
}

const full: ReaderReport = {
  opened: "done",
  notepad: "- Sheet 1: 500 rows",
  notes: ["a note"],
  found: 1,
  history: 3,
  sessions: ["a"],
  writing: "store_read_only",
  creating: "store_read_only",
};

test("in a read-only directory SQLite reads and rejects writes [bad.read-only]", { skip }, async () => {
  const directory = temporaryDirectory();
  const store = join(directory, "memory.db");
  await fill(store);
  const before = fingerprint(directory);
  const { reports } = await readAs(readOnlyPlace(directory), [store, `sqlite:${store}`]);
  for (const { message, ...report } of reports) {
    assert.deepEqual(report, full);
    assert.match(
      message ?? "",
      /open read-only, because it is not writable\. Make the file and its directory writable, then open it again\./,
    );
  }
  assert.deepEqual(fingerprint(directory), before);
});

test("a read-only SQLite store includes the write-ahead log of a killed process [bad.read-only]", {
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
  assert.deepEqual(report, { ...full, notepad: "w:1", notes: ["w:2"], found: 0, history: 3 });
  assert.deepEqual(fingerprint(directory), before);
});

test("a store cannot be created in a read-only directory [bad.read-only]", {
  skip,
}, async () => {
  const directory = temporaryDirectory();
  const { reports } = await readAs(readOnlyPlace(directory), [
    join(directory, "new.db"),
    join(directory, "deep", "new.db"),
  ]);
  for (const { opened, message } of reports) {
    assert.equal(opened, "store_read_only");
    assert.match(message ?? "", /writable, or use another/);
  }
  assert.deepEqual(fingerprint(directory), []);
});

test("another user reads what the permissions allow, writes nothing, and gets an error if reading is not allowed [bad.read-only]", {
  skip: noOtherUser(),
}, async () => {
  const directory = temporaryDirectory();
  const database = join(directory, "memory.db");
  await fill(database);
  const before = fingerprint(directory);
  chmodSync(directory, 0o755);
  // Files are created private.
  for (const { opened, message } of (await readAs(asNobody(), [database])).reports) {
    assert.match(opened, /^store_(?:failed|read_only)$/);
    assert.match(message ?? "", new RegExp(directory));
  }
  chmodSync(database, 0o644);
  for (const { message: _message, ...report } of (await readAs(asNobody(), [database])).reports)
    assert.deepEqual(report, full);
  assert.deepEqual(fingerprint(directory), before);
});
