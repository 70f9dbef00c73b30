import assert from "node:assert/strict";
import { openTestMemory } from "../../../test/support/memory.ts";
import { type Program, startWriter } from "../../../test/support/processes.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { assertSound, marksOf } from "./marks.ts";

export interface CrashPlan {
  store: string;
  kills: number;
  seed: number;
  /** Looks at the files between two rounds, when nobody has them open. */
  inspect?: () => void | Promise<void>;
  /** Characters added to the notes. */
  padding?: number;
}

const writersAtOnce = 4;

/**
 * Rounds of writers on one session, each killed at a moment of its own. After every round, all that was
 * acknowledged is there, in order and once, and the store opens as if nothing had happened.
 */
export async function crashRounds({ store, kills, seed, inspect, padding = 0 }: CrashPlan): Promise<string> {
  const random = seededRandom(seed);
  const acknowledged: string[] = [];
  let written = 0;
  for (let killed = 0, round = 1; killed < kills; killed += writersAtOnce, round++) {
    const writers = Array.from({ length: writersAtOnce }, (_, place) => {
      const order = {
        store,
        session: "crash",
        name: `r${round}w${place}`,
        operations: 1_000_000,
        acknowledge: true,
        padding,
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
    const warnings = collectWarnings();
    const memory = await openTestMemory({ store });
    const session = await memory.openSession("crash");
    await assertSound(session);
    const there = new Set(await marksOf(session));
    assert.deepEqual(
      acknowledged.filter((mark) => !there.has(mark)),
      [],
      `lost in round ${round}`,
    );
    written = there.size;
    await memory.close();
    warnings.restore();
  }
  return `${acknowledged.length} acknowledged, ${written} written, 0 lost`;
}

/** At the so-manieth line, the first of which says that it is ready. */
function killAfter(writer: Program, lines: number): void {
  writer.onLine(() => {
    if (writer.lines.length > lines) writer.process.kill("SIGKILL");
  });
}

/** A torn line is warned of, as it should be; here it would only be noise. */
function collectWarnings(): { restore(): void } {
  const { warn } = console;
  console.warn = () => {};
  return {
    restore: () => {
      console.warn = warn;
    },
  };
}
