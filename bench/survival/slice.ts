import { type Cell, runCell } from "./cells.ts";
import { planKills } from "./kill-plan.ts";
import { compareKilled, killSummariser, runKilled } from "./kills.ts";
import { scoreOf } from "./score.ts";
import type { System } from "./system.ts";
import { holdfast } from "./systems/holdfast.ts";

/** A few seconds of the benchmark, for the tests. */
const sliceCells: readonly Cell[] = (
  [
    { kind: "rule", track: "stories" },
    { kind: "long ask", track: "stories" },
    { kind: "override", track: "notes" },
  ] as const
).map((cell) => ({ ...cell, summariser: "S0", compactions: 1, window: 8_000, seed: 7 }));

export async function runSlice(system: System) {
  const results = [];
  for (const cell of sliceCells) results.push(await runCell(system, cell));
  return { results, score: scoreOf(results) };
}

/** A story that is killed in every phase, a long ask, and the story in a process that is not killed before its end. */
export async function runKillSlice() {
  const story = { kind: "rule", seed: 7, compactions: 1, window: 8_000 } as const;
  const stories = [story, { ...story, kind: "long ask" } as const, story];
  const plans = [planKills, planKills, () => []];
  const runs = await runKilled(
    "holdfast",
    stories.map((told, index) => ({
      system: holdfast,
      story: told,
      takesNotes: false,
      plan: (made) => plans[index]?.(made, holdfast) ?? [],
    })),
  );
  const results = [];
  for (const run of runs) {
    const cell = { ...story, ...run, kind: run.kind === "long ask" ? run.kind : story.kind } as const;
    const { facts } = await runCell(holdfast, { ...cell, track: "stories", summariser: killSummariser });
    results.push(compareKilled(run, facts));
  }
  return results;
}

/** `node slice.ts`: the score. `node slice.ts kills`: what the kills have left. */
if (import.meta.main)
  console.log(
    JSON.stringify(process.argv[2] === "kills" ? await runKillSlice() : (await runSlice(holdfast)).score),
  );
