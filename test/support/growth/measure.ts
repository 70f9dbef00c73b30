import { Script } from "node:vm";

/** Four times the text may take at most this many times as long. Linear work takes 4, quadratic 16. */
export const maxGrowth = 8;

/** Work below this many milliseconds is not told apart from noise; quadratic work on these texts takes far longer. */
const noiseMilliseconds = 25;

/** Linear work on these texts takes less of the processor; exponential work never ends. */
const longMilliseconds = 1_500;

export interface Growth {
  small: number;
  large: number;
}

/** Runs work at n and 4n; undefined if it grows linearly or is too fast to matter, else both times. */
export function findGrowth(work: (length: number) => void, length: number): Growth | undefined {
  let large = timeOf(() => work(4 * length));
  if (large < noiseMilliseconds) return undefined;
  if (large === Number.POSITIVE_INFINITY) return { small: 0, large };
  let small = timeOf(() => work(length));
  // Another process may have taken the processor: the fastest of several runs counts.
  for (let again = 0; again < 3 && large > maxGrowth * small; again++) {
    large = Math.min(
      large,
      timeOf(() => work(4 * length)),
    );
    small = Math.max(
      small,
      timeOf(() => work(length)),
    );
  }
  return large > noiseMilliseconds && large > maxGrowth * small ? { small, large } : undefined;
}

/** CPU milliseconds of this thread; work that never ends is stopped. */
function timeOf(work: () => void, limit = 2 * longMilliseconds): number {
  const before = process.threadCpuUsage();
  try {
    timed.work = work;
    limited.runInThisContext({ timeout: limit });
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    // The limit is on the clock; on a busy machine the work may have had little of the processor.
    const cpu = cpuSince(before);
    return cpu > longMilliseconds || limit > 40 * longMilliseconds
      ? Number.POSITIVE_INFINITY
      : timeOf(work, 3 * limit);
  }
  return cpuSince(before);
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Only a script can be stopped in the middle of a pattern. */
const limited = new Script("globalThis[Symbol.for('holdfast growth')].work()");
const timed: { work: () => void } = { work: () => undefined };
Object.defineProperty(globalThis, Symbol.for("holdfast growth"), { value: timed });
