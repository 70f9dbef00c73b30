import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startProgram } from "../../test/support/processes.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { checkIntegrity } from "./test-support/check-integrity.ts";
import { assertConsistent, writtenLabels } from "./test-support/consistency.ts";
import { type Injection, injecting, noTracing } from "./test-support/traced-files.ts";

const skip = noTracing();
const timeout = 10 * 60_000;
const operations = 12;

function sqliteTarget() {
  const path = join(temporaryDirectory(), "memory.db");
  const inspect = () => {
    if (!existsSync(path)) return;
    checkIntegrity(path);
  };
  return { store: path, paths: ["", "-wal", "-journal"].map((end) => `${path}${end}`), inspect };
}

/** Injects one fault per run, each at a later call, until the writer finishes without hitting one. */
async function sweep(context: TestContext, call: string, what: Injection, step: number): Promise<void> {
  let faults = 0;
  for (let nth = 1; ; nth += step) {
    const target = sqliteTarget();
    const order = {
      store: target.store,
      session: "a",
      name: "w",
      operations,
      acknowledge: true,
      padding: 3_000,
    };
    const writer = startProgram("writer.ts", order, injecting(call, nth, what, target.paths));
    writer.say("go");
    const { code, errors } = await writer.ended;
    const moment = `${what} at ${call} number ${nth}`;
    const acknowledged = writer.lines.filter((line) => line.includes(":"));
    if (acknowledged.length === operations && code === 0) break;
    faults++;
    if (what !== "signal=SIGKILL") {
      assert.equal(code, 1, `${moment}: ${errors}`);
      assert.match(errors, /code: 'store_(?:full|failed|damaged|read_only)'/, moment);
    }
    target.inspect();
    const memory = await openTestMemory({ store: target.store });
    const session = await memory.openSession("a");
    await assertConsistent(session);
    const stored = await writtenLabels(session);
    assert.deepEqual(stored.slice(0, acknowledged.length), acknowledged, `${moment}: lost`);
    assert.ok(stored.length <= acknowledged.length + 1, moment);
    await session.notepad.append("still writable");
    await memory.close();
  }
  context.diagnostic(`${faults} faults`);
  assert.ok(faults > 3);
}

for (const what of ["signal=SIGKILL", "error=EIO", "error=ENOSPC"] as const) {
  test(`SQLite: ${what} at any write`, { skip, timeout }, (context) =>
    sweep(context, "pwrite64", what, what === "signal=SIGKILL" ? 2 : 5),
  );
}
for (const what of ["signal=SIGKILL", "error=EIO"] as const) {
  test(`SQLite: ${what} at any sync`, { skip, timeout }, (context) => sweep(context, "fsync", what, 1));
}
