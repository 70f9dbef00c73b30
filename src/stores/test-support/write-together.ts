import assert from "node:assert/strict";
import { openTestMemory } from "../../../test/support/memory.ts";
import { startWriter } from "../../../test/support/processes.ts";
import type { WriterOrder } from "../../../test/support/writer.ts";
import { assertSound, marksOf } from "./marks.ts";

const processes = 8;

/** Eight processes, let loose at the same moment on one session. */
export async function writeTogether(
  store: string,
  operations: number,
  { clocks = [], appendEvery = 2 }: { clocks?: WriterOrder["clock"][]; appendEvery?: number } = {},
): Promise<string> {
  const writers = Array.from({ length: processes }, (_, place) =>
    startWriter({
      store,
      session: "shared",
      name: `w${place}`,
      operations,
      appendEvery,
      acknowledge: false,
      ...(clocks[place] === undefined ? {} : { clock: clocks[place] }),
    }),
  );
  let seconds = 0;
  try {
    await Promise.all(writers.map(({ said }) => said("ready")));
    const started = performance.now();
    for (const { say } of writers) say("go");
    for (const { ended } of writers) assert.deepEqual(await ended, { code: 0, signal: null, errors: "" });
    seconds = (performance.now() - started) / 1_000;
  } finally {
    // Those that still wait for the word would hold up the whole run.
    for (const { process } of writers) process.kill();
  }

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
  assert.ok(
    operations < 100 || turns > processes,
    `the processes did not write at the same time: ${turns} turns`,
  );
  await memory.close();
  return `${processes} processes × ${operations} operations in ${seconds.toFixed(1)} s, ${turns} turns`;
}
