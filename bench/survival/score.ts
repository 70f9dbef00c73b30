import type { CellResult } from "./cells.ts";
import type { Reach } from "./run-story.ts";

/** The outcome of the facts of some runs, in shares of all facts, and the cost of the runs. */
export interface Score {
  runs: number;
  context: number;
  oneCall: number;
  further: number;
  lost: number;
  /** Tokens of the context, on average over the runs in which the model saw one. */
  tokens: number;
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
  return {
    runs: results.length,
    context: share("context"),
    oneCall: share("one call"),
    further: share("further"),
    lost: share("lost"),
    tokens: Math.round(
      ratio(
        sum(finished, ({ tokens }) => tokens ?? 0),
        finished.length,
      ),
    ),
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
