import assert from "node:assert/strict";
import { openTestMemory } from "../../../test/support/memory.ts";
import { type Program, startWriter } from "../../../test/support/processes.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { assertConsistent, writtenLabels } from "./consistency.ts";

export interface CrashPlan {
  store: string;
  kills: number;
  seed: number;
  /** Checks the files between two rounds, while no process has them open. */
  inspect?: () => void | Promise<void>;
}

const writersAtOnce = 4;

/**
 * Runs rounds of writers on one session and kills each at a random moment. After every round, the store must open
 * normally and contain every acknowledged write once and in order.
 */
export async function crashRounds({ store, kills, seed, inspect }: CrashPlan): Promise<string> {
  const random = seededRandom(seed);
  const acknowledged: string[] = [];
  let written = 0;
  for (let killed = 0, round = 1; killed < kills; killed += writersAtOnce, round++) {
    const writers = Array.from({ length: writersAtOnce }, (_, index) => {
      const order = {
        store,
        session: "crash",
        name: `r${round}w${index}`,
        operations: 1_000_000,
        acknowledge: true,
      };
      const writer = startWriter(order);
      killAfter(writer, random(40));
      writer.say("go");
      return writer;
    });
    for (const { ended, lines } of writers) {
      const { signal, errors } = await ended;
      assert.equal(signal, "SIGKILL", errors);
      acknowledged.push(...lines.filter((line) => line.includes(":")));
    }
    await inspect?.();
    const memory = await openTestMemory({ store });
    const session = await memory.openSession("crash");
    await assertConsistent(session);
    const stored = new Set(await writtenLabels(session));
    assert.deepEqual(
      acknowledged.filter((label) => !stored.has(label)),
      [],
      `lost in round ${round}`,
    );
    written = stored.size;
    await memory.close();
  }
  return `${acknowledged.length} acknowledged, ${written} written, 0 lost`;
}

/** Kills the writer after this many lines of output; the first means that it is ready. */
function killAfter(writer: Program, lines: number): void {
  writer.onLine(() => {
    if (writer.lines.length > lines) writer.process.kill("SIGKILL");
  });
}
