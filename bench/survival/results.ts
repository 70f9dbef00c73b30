import type { CellResult } from "./cells.ts";
import type { KilledRun } from "./killed-conversation.ts";
import { compareKilled, type KillResult, killSummariser, type PhaseKill } from "./kills.ts";
import type { FactResult } from "./run-story.ts";
import { type Score, scoreOf } from "./score.ts";

/** The result of one system, or why it could not be run. */
export interface SystemResult {
  id: string;
  name: string;
  version: string;
  configuration: string;
  durability: string;
  problem?: string;
  /** All runs in which the agent writes nothing down. */
  all: Score;
  /** Every story with 1, 3 and 10 compactions, killed in every phase, one after another. */
  kills: KillResult[];
  /** All stories in one conversation, killed in one phase. */
  phaseKills: PhaseKill[];
  /** Why it was not killed. */
  killProblem?: string;
  /** The first failure in the runs, in the system's words. */
  failure?: string;
}

/** Everything that depends on the seeds and versions alone. */
export interface Results {
  seeds: number[];
  systems: SystemResult[];
}

type SystemFacts = Pick<
  SystemResult,
  "id" | "name" | "version" | "configuration" | "durability" | "phaseKills" | "killProblem"
>;

export function systemResult(
  facts: SystemFacts,
  results: readonly CellResult[],
  killed: readonly KilledRun[],
): SystemResult {
  const stories = results.filter(({ track }) => track === "stories");
  const failure = results.find((result) => result.failure)?.failure;
  return {
    ...facts,
    all: scoreOf(stories),
    kills: killed.map((run) => compareKilled(run, unkilled(run, stories))),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The facts of the run that is the same but for the kills. */
function unkilled(run: KilledRun, stories: readonly CellResult[]): readonly FactResult[] {
  const same = stories.find(
    ({ kind, seed, compactions, summariser }) =>
      kind === run.kind &&
      seed === run.seed &&
      compactions === run.compactions &&
      summariser === killSummariser,
  );
  if (!same) throw new Error(`There is no run of "${run.kind}" with ${run.compactions} without kills.`);
  return same.facts;
}

/** A system that could not be run. */
export function notRun(facts: SystemFacts, problem: string): SystemResult {
  return { ...systemResult(facts, [], []), problem };
}
