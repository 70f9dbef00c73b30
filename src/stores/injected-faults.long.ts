import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startProgram } from "../../test/support/processes.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { assertSound, marksOf } from "./test-support/marks.ts";
import { type Injection, injecting, noTracing } from "./test-support/traced-files.ts";

const skip = noTracing();
const timeout = 10 * 60_000;
const operations = 12;

interface Place {
  store: string;
  paths: string[];
  inspect(): void;
}

function sqlitePlace(): Place {
  const path = join(temporaryDirectory(), "memory.db");
  const inspect = () => {
    if (!existsSync(path)) return;
    const database = new DatabaseSync(path);
    assert.deepEqual(
      database
        .prepare("PRAGMA integrity_check")
        .all()
        .map((row) => row.integrity_check),
      ["ok"],
    );
    database.close();
  };
  return { store: path, paths: ["", "-wal", "-journal"].map((end) => `${path}${end}`), inspect };
}

function jsonlPlace(): Place {
  const directory = temporaryDirectory();
  // The file has to be there for its calls to be followed; an empty one is like none.
  writeFileSync(join(directory, "a.jsonl"), "");
  return { store: `jsonl:${directory}`, paths: [join(directory, "a.jsonl")], inspect: () => {} };
}

/** One fault after another, each at a later call, until the writer gets through without meeting one. */
async function sweep(
  context: TestContext,
  makePlace: () => Place,
  call: string,
  what: Injection,
  step: number,
): Promise<void> {
  let met = 0;
  for (let nth = 1; ; nth += step) {
    const place = makePlace();
    const order = {
      store: place.store,
      session: "a",
      name: "w",
      operations,
      acknowledge: true,
      padding: 3_000,
    };
    const writer = startProgram("writer.ts", order, injecting(call, nth, what, place.paths));
    writer.say("go");
    const { code, errors } = await writer.ended;
    const moment = `${what} at ${call} number ${nth}`;
    const acknowledged = writer.lines.filter((line) => line.includes(":"));
    if (acknowledged.length === operations && code === 0) break;
    met++;
    if (what !== "signal=SIGKILL") {
      assert.equal(code, 1, `${moment}: ${errors}`);
      assert.match(errors, /code: 'store_(?:full|failed|damaged|read_only)'/, moment);
    }
    place.inspect();
    const { warn } = console;
    console.warn = () => {};
    const memory = await openTestMemory({ store: place.store });
    const session = await memory.openSession("a");
    await assertSound(session);
    const there = await marksOf(session);
    assert.deepEqual(there.slice(0, acknowledged.length), acknowledged, `${moment}: lost`);
    assert.ok(there.length <= acknowledged.length + 1, moment);
    await session.notepad.append("goes on");
    await memory.close();
    console.warn = warn;
  }
  context.diagnostic(`${met} faults`);
  assert.ok(met > 3);
}

for (const what of ["signal=SIGKILL", "error=EIO", "error=ENOSPC"] as const) {
  test(`SQLite: ${what} at any write`, { skip, timeout }, (context) =>
    sweep(context, sqlitePlace, "pwrite64", what, what === "signal=SIGKILL" ? 2 : 5),
  );
  test(`JSONL: ${what} at any write`, { skip, timeout }, (context) =>
    sweep(context, jsonlPlace, "write", what, 1),
  );
}
for (const what of ["signal=SIGKILL", "error=EIO"] as const) {
  test(`SQLite: ${what} at any sync`, { skip, timeout }, (context) =>
    sweep(context, sqlitePlace, "fsync", what, 1),
  );
  test(`JSONL: ${what} at any sync`, { skip, timeout }, (context) =>
    sweep(context, jsonlPlace, "fsync", what, 1),
  );
}
