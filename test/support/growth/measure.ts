import { Script } from "node:vm";

/** Four times the text may take at most this many times as long. Linear work takes 4, quadratic 16. */
export const maxGrowth = 8;

/** Work below this many milliseconds is not told apart from noise; quadratic work on these texts takes longer. */
const noiseMilliseconds = 15;

/** No collection of garbage takes as long. */
const certainMilliseconds = 100;

/** Linear work on these texts takes less of the processor; exponential work never ends. */
const longMilliseconds = 250;

/** The first of many kinds of work that takes more than `maxGrowth` times as long on four times the text. */
export function findSlowest<Each>(
  works: readonly Each[],
  run: (each: Each, length: number) => void,
  length: number,
): Each | undefined {
  for (let at = 0; at < works.length; at++) {
    const found = findLong(works, at, (each) => run(each, 4 * length));
    at = found.at;
    const long = works[at];
    if (long === undefined) return undefined;
    const work = (size: number) => run(long, size);
    if (!isClearlyLinear(work, length, found.took) && growsTooFast(work, length)) return long;
  }
  return undefined;
}

/** The shorter of two runs, so that a collection of garbage in one does not hide growth. */
function isClearlyLinear(work: (length: number) => void, length: number, large: number): boolean {
  if (large === Number.POSITIVE_INFINITY) return false;
  const once = () => timeOf(() => work(length));
  return large <= maxGrowth * Math.min(once(), once());
}

/** The next work that takes longer than noise, and how long. One watch for all is far cheaper than one for each. */
function findLong<Each>(
  works: readonly Each[],
  from: number,
  run: (each: Each) => void,
): { at: number; took: number } {
  let at = from;
  let took = Number.POSITIVE_INFINITY;
  runLimited(4 * longMilliseconds, () => {
    for (; at < works.length; at++) {
      const before = process.threadCpuUsage();
      run(works[at] as Each);
      const milliseconds = cpuSince(before);
      if (milliseconds > noiseMilliseconds) {
        took = milliseconds;
        return;
      }
    }
  });
  return { at, took };
}

function growsTooFast(work: (length: number) => void, length: number): boolean {
  let [small, large] = [0, Number.POSITIVE_INFINITY];
  // A collection of garbage may fall into either: they are far apart if every pair of runs is.
  for (let again = 0; again < 4 && large > maxGrowth * small; again++) {
    large = Math.min(
      large,
      timeOf(() => work(4 * length)),
    );
    if (large === Number.POSITIVE_INFINITY) return true;
    if (large < noiseMilliseconds) return false;
    // Four runs, because some systems count the time of a thread in steps of milliseconds.
    const four = timeOf(() => {
      for (let run = 0; run < 4; run++) work(length);
    });
    small = Math.max(small, four / 4);
    // Too much for garbage.
    if (large > certainMilliseconds && large > 1.5 * maxGrowth * small) return true;
  }
  return large > maxGrowth * small;
}

/** CPU milliseconds of this thread; work that never ends is stopped. */
function timeOf(work: () => void, limit = 2 * longMilliseconds): number {
  const before = process.threadCpuUsage();
  if (runLimited(limit, work)) return cpuSince(before);
  // The limit is on the clock; on a busy machine the work may have had little of the processor.
  return cpuSince(before) > longMilliseconds || limit > 40 * longMilliseconds
    ? Number.POSITIVE_INFINITY
    : timeOf(work, 3 * limit);
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Runs work; false if it took longer than the limit and was stopped. */
function runLimited(milliseconds: number, work: () => void): boolean {
  try {
    timed.work = work;
    limited.runInThisContext({ timeout: milliseconds });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    return false;
  }
}

/** Only a script can be stopped in the middle of a pattern. */
const limited = new Script("globalThis[Symbol.for('holdfast growth')].work()");
const timed: { work: () => void } = { work: () => undefined };
Object.defineProperty(globalThis, Symbol.for("holdfast growth"), { value: timed });
