import { type Cell, runCell } from "./cells.ts";
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

if (import.meta.main) console.log(JSON.stringify((await runSlice(holdfast)).score));
