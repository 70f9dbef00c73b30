import { buildClearingProblem, type ClearingInput, type ClearingProblem } from "./clearing-problem.ts";

export interface BestClearing {
  /** Dollars that clearing with perfect foresight saves. */
  saving: number;
  /** False: an epoch was too long to search, so its rewriting counts as free; the saving is still an upper bound. */
  exact: boolean;
}

/** The search is cubic in the moments of an epoch. */
const maxMoments = 300;

/** The maximum that clearing could save if it knew each epoch's calls in advance. */
export function findBestClearing(input: ClearingInput): BestClearing {
  const starts = input.parts.flatMap(({ compacted }, call) => (call === 0 || compacted ? [call] : []));
  const problems = starts.map((start, index) =>
    buildClearingProblem(input, start, starts[index + 1] ?? input.calls.length),
  );
  const savings = problems.map((problem) =>
    problem.moments.length <= maxMoments ? bestSaving(problem) : freeSaving(problem),
  );
  return {
    saving: savings.reduce((sum, saving) => sum + saving, 0),
    exact: problems.every(({ moments }) => moments.length <= maxMoments),
  };
}

/**
 * The saving of the best plan. Once the prompt is rewritten from some result on, clearing everything after it is free,
 * so a plan is a list of (moment, first result) and the cost of one rewrite does not depend on the others. Take the
 * rewrite that starts earliest in the prompt: nothing before it is ever cleared, everything after it saves from this
 * moment on, and the gains before and after this moment are two smaller problems of the same kind.
 */
export function bestSaving(problem: ClearingProblem): number {
  const moments = problem.moments.length;
  const width = moments + 1;
  const gainOf = countGains(problem);
  /** At first * width + end: the best saving over moments [first, end) and the results that become clearable in them. */
  const best = new Float64Array((width + 1) * width);
  for (let first = moments - 1; first >= 0; first--) {
    for (let end = first + 1; end <= moments; end++) {
      let highest = 0;
      for (let moment = first; moment < end; moment++) {
        const gain = gainOf(moment, first, end);
        if (gain === 0) continue;
        const sides = (best[first * width + moment] as number) + (best[(moment + 1) * width + end] as number);
        if (gain + sides > highest) highest = gain + sides;
      }
      best[first * width + end] = highest;
    }
  }
  return best[moments] as number;
}

/**
 * The gain of the best rewrite at a moment until `end`, among the results that become clearable from `first` on. Call it
 * with descending `first`: an earlier one only adds results, so counting resumes where it stopped.
 */
function countGains({ moments: { length: moments }, results, rewriting }: ClearingProblem) {
  const width = moments + 1;
  const froms = Int32Array.from(results, ({ from }) => from);
  // Indexed by moment, so that the innermost loop reads sequentially.
  const savings = Array.from({ length: width }, (_, moment) =>
    Float64Array.from(results, ({ saving }) => saving[moment] ?? 0),
  );
  const costs = Array.from({ length: moments }, (_, moment) =>
    Float64Array.from(results, (_, index) => rewriting(moment, index)),
  );
  // Per pair (moment, end): the next result to count, the savings of those counted, and the best gain so far.
  const next = new Int32Array(width * width);
  const saved = new Float64Array(width * width);
  const gains = new Float64Array(width * width);
  for (let moment = 0; moment < moments; moment++) {
    const newest = froms.findLastIndex((from) => from <= moment);
    next.fill(newest, moment * width, (moment + 1) * width);
  }
  return (moment: number, first: number, end: number): number => {
    const pair = moment * width + end;
    let index = next[pair] as number;
    let highest = gains[pair] as number;
    if (index < 0 || (froms[index] as number) < first) return highest;
    const [now, then, cost] = [savings[moment], savings[end], costs[moment]] as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    let sum = saved[pair] as number;
    for (; index >= 0 && (froms[index] as number) >= first; index--) {
      sum += (now[index] as number) - (then[index] as number);
      highest = Math.max(highest, sum - (cost[index] as number));
    }
    next[pair] = index;
    saved[pair] = sum;
    gains[pair] = highest;
    return highest;
  };
}

function freeSaving({ results }: ClearingProblem): number {
  return results.reduce((sum, { from, saving }) => sum + (saving[from] ?? 0), 0);
}
