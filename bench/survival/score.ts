import type { CellResult } from "./cells.ts";
import type { Reach } from "./run-story.ts";

/** What became of the facts of some runs, in shares of all facts, and what the runs cost. */
export interface Score {
  runs: number;
  facts: number;
  context: number;
  oneCall: number;
  further: number;
  lost: number;
  /** Share of the facts that had another value before. */
  stale: number;
  /** Share of the work that was done or cancelled. */
  resurrected: number;
  /** Tokens of the context, on average over the runs in which the model saw one. */
  tokens: number;
  /** Per run. */
  compacted: number;
  repeatedReads: number;
  /** Per turn that was answered. */
  prefixBytesChanged: number;
  dollarsPer100Turns: number;
  failedTurns: number;
  overflows: number;
  /** Runs that ended without a context that fits the window. */
  unfinished: number;
}

export function scoreOf(results: readonly CellResult[]): Score {
  const facts = results.flatMap((result) => result.facts);
  const turns = sum(results, ({ answeredTurns }) => answeredTurns);
  const finished = results.filter(({ tokens }) => tokens !== undefined);
  const share = (reach: Reach) => ratio(facts.filter((fact) => fact.reach === reach).length, facts.length);
  const changed = facts.filter(({ hadOtherValue }) => hadOtherValue);
  const ended = facts.filter(({ isEndedWork }) => isEndedWork);
  return {
    runs: results.length,
    facts: facts.length,
    context: share("context"),
    oneCall: share("one call"),
    further: share("further"),
    lost: share("lost"),
    stale: ratio(changed.filter(({ stale }) => stale).length, changed.length),
    resurrected: ratio(ended.filter(({ resurrected }) => resurrected).length, ended.length),
    tokens: Math.round(
      ratio(
        sum(finished, ({ tokens }) => tokens ?? 0),
        finished.length,
      ),
    ),
    compacted: ratio(
      sum(results, ({ compacted }) => compacted),
      results.length,
    ),
    repeatedReads: sum(results, ({ repeatedReads }) => repeatedReads),
    prefixBytesChanged: Math.round(
      ratio(
        sum(results, (result) => result.prefixBytesChanged),
        turns,
      ),
    ),
    dollarsPer100Turns: ratio(100 * sum(results, ({ dollars }) => dollars), turns),
    failedTurns: sum(results, ({ failedTurns }) => failedTurns),
    overflows: sum(results, ({ overflows }) => overflows),
    unfinished: results.length - finished.length,
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
