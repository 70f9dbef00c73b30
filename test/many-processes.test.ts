import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertSound, marksOf } from "./support/marks.ts";
import { openTestMemory } from "./support/memory.ts";
import { startPostgres } from "./support/postgres.ts";
import { startWriter } from "./support/processes.ts";
import { temporaryDirectory } from "./support/temporary.ts";
import type { WriterOrder } from "./support/writer.ts";

const processes = 8;

/** Eight processes, let loose at the same moment on one session. */
async function writeTogether(
  store: string,
  operations: number,
  clocks: WriterOrder["clock"][] = [],
): Promise<string> {
  const writers = Array.from({ length: processes }, (_, place) =>
    startWriter({
      store,
      session: "shared",
      name: `w${place}`,
      operations,
      acknowledge: false,
      ...(clocks[place] === undefined ? {} : { clock: clocks[place] }),
    }),
  );
  await Promise.all(writers.map(({ said }) => said("ready")));
  const started = performance.now();
  for (const { say } of writers) say("go");
  for (const { ended } of writers) assert.deepEqual(await ended, { code: 0, signal: null, errors: "" });
  const seconds = (performance.now() - started) / 1_000;

  const memory = await openTestMemory({ store });
  const session = await memory.resumeSession("shared");
  await assertSound(session);
  const expected = Array.from(
    { length: processes * operations },
    (_, place) => `w${place % processes}:${Math.floor(place / processes) + 1}`,
  );
  const marks = await marksOf(session);
  assert.deepEqual(marks.toSorted(), expected.toSorted(), "an operation is missing");
  for (let place = 0; place < processes; place++) {
    const own = marks
      .filter((mark) => mark.startsWith(`w${place}:`))
      .map((mark) => Number(mark.split(":")[1]));
    assert.ok(
      own.every((number, index) => number === index + 1),
      "a process's own operations are out of order",
    );
  }
  const turns = marks.filter((mark, place) => mark.split(":")[0] !== marks[place - 1]?.split(":")[0]).length;
  assert.ok(turns > 2 * processes, `the processes did not write at the same time: ${turns} turns`);
  await memory.close();
  return `${processes} processes × ${operations} operations in ${seconds.toFixed(1)} s, ${turns} turns`;
}

test("eight processes with 1,000 operations each on one SQLite session: all there, in one order, nobody told to wait [stores.many-processes] [notes.ids]", async (context) => {
  context.diagnostic(await writeTogether(join(temporaryDirectory(), "memory.db"), 1_000));
});

test("the same on one JSONL session [stores.many-processes]", async (context) => {
  context.diagnostic(await writeTogether(`jsonl:${temporaryDirectory()}`, 100));
});

test("the same on one Postgres session [stores.many-processes]", async (context) => {
  const server = await startPostgres();
  after(() => server.stop());
  context.diagnostic(await writeTogether(await server.database(), 100));
});

test("clocks that stand still, or are years apart, change neither order nor ids, between processes too [journal.order]", async (context) => {
  const years = 10 * 365 * 24 * 3_600_000;
  context.diagnostic(
    await writeTogether(join(temporaryDirectory(), "memory.db"), 25, [
      0,
      years,
      -years,
      "frozen",
      0,
      -1,
      years,
      "frozen",
    ]),
  );
});
