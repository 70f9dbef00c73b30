import type { KilledRun } from "./killed-conversation.ts";
import { compareKilled, type KillResult } from "./kills.ts";
import type { StoryResult } from "./run-story.ts";

/** The cost of the runs without kills. */
export interface Cost {
  runs: number;
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

/** The figures of one system, or why it could not be run. */
export interface SystemResult extends SystemFacts {
  id: string;
  problem?: string;
  cost: Cost;
  /** Every story with 1, 3 and 10 compactions, killed in every phase, one after another. */
  kills: KillResult[];
  /** The first failure in the runs, in the system's words. */
  failure?: string;
}

export interface SystemFacts {
  name: string;
  version: string;
  configuration: string;
  durability: string;
  /** Why it was not killed. */
  killProblem?: string;
}

/** Everything that depends on the seeds and versions alone. */
export interface Results {
  seeds: number[];
  systems: SystemResult[];
}

export function systemResult(
  facts: SystemFacts & { id: string },
  results: readonly StoryResult[],
  killed: readonly KilledRun[],
): SystemResult {
  const failure = results.find((result) => result.failure)?.failure;
  return {
    ...facts,
    cost: totalCost(results),
    kills: killed.map((run) => compareKilled(run, unkilled(run, results))),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The run that is the same but for the kills. */
function unkilled(run: KilledRun, results: readonly StoryResult[]): StoryResult {
  const { kind, seed, compactions } = run;
  const same = results.find(
    (result) => result.kind === kind && result.seed === seed && result.compactions === compactions,
  );
  if (!same) throw new Error(`There is no run of "${kind}" with ${compactions} compactions without kills.`);
  return same;
}

export function totalCost(results: readonly StoryResult[]): Cost {
  const turns = sum(results, ({ answeredTurns }) => answeredTurns);
  const sizes = results.flatMap(({ tokens }) => tokens ?? []);
  return {
    runs: results.length,
    tokens: Math.round(
      ratio(
        sum(sizes, (size) => size),
        sizes.length,
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
    unfinished: results.length - sizes.length,
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
