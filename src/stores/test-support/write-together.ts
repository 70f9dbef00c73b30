import assert from "node:assert/strict";
import { openTestMemory } from "../../../test/support/memory.ts";
import { startWriter } from "../../../test/support/processes.ts";
import type { WriterOrder } from "../../../test/support/writer.ts";
import { assertConsistent, writtenLabels } from "./consistency.ts";

const processes = 8;

/** Starts eight processes that write to one session at the same time. */
export async function writeTogether(
  store: string,
  operations: number,
  { clocks = [], appendEvery = 2 }: { clocks?: WriterOrder["clock"][]; appendEvery?: number } = {},
): Promise<string> {
  const writers = Array.from({ length: processes }, (_, index) =>
    startWriter({
      store,
      session: "shared",
      name: `w${index}`,
      operations,
      appendEvery,
      acknowledge: false,
      ...(clocks[index] === undefined ? {} : { clock: clocks[index] }),
    }),
  );
  let seconds = 0;
  try {
    await Promise.all(writers.map(({ said }) => said("ready")));
    const started = performance.now();
    for (const { say } of writers) say("go");
    await Promise.all(
      writers.map(async ({ ended }) => assert.deepEqual(await ended, { code: 0, signal: null, errors: "" })),
    );
    seconds = (performance.now() - started) / 1_000;
  } finally {
    // After the first failure the others would go on, and the test run would not end.
    for (const { process } of writers) process.kill();
  }

  const memory = await openTestMemory({ store });
  const session = await memory.resumeSession("shared");
  await assertConsistent(session);
  const expected = Array.from(
    { length: processes * operations },
    (_, index) => `w${index % processes}:${Math.floor(index / processes) + 1}`,
  );
  const labels = await writtenLabels(session);
  assert.deepEqual(labels.toSorted(), expected.toSorted(), "an operation is missing");
  for (let writer = 0; writer < processes; writer++) {
    const own = labels
      .filter((label) => label.startsWith(`w${writer}:`))
      .map((label) => Number(label.split(":")[1]));
    assert.ok(
      own.every((number, index) => number === index + 1),
      "a process's own operations are out of order",
    );
  }
  const turns = labels.filter(
    (label, index) => label.split(":")[0] !== labels[index - 1]?.split(":")[0],
  ).length;
  assert.ok(
    operations < 100 || turns > processes,
    `the processes did not write at the same time: ${turns} turns`,
  );
  await memory.close();
  return `${processes} processes × ${operations} operations in ${seconds.toFixed(1)} s, ${turns} turns`;
}
