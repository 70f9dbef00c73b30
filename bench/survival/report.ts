import { alignedTable } from "../../scripts/aligned-table.ts";
import type { KillResult } from "./kills.ts";
import type { StoryResult } from "./run-story.ts";
import type { SpeedResult } from "./speed.ts";
import type { SystemResult } from "./worker.ts";

/** A part of the benchmark that could not be run, and why. */
export interface NotRun {
  name: string;
  problem: string;
}

export function renderReport(
  systems: readonly (SystemResult | NotRun)[],
  speed: readonly (SpeedResult | NotRun)[],
): string {
  const ran = systems.filter((result) => "results" in result);
  return [
    alignedTable([
      ["System", "Version", "Configuration", "Durability"],
      ...ran.map(({ name, version, configuration, durability }) => [
        name,
        version,
        configuration,
        durability,
      ]),
    ]),
    "### What survives kills, and what a turn costs\n",
    alignedTable([
      [
        "System",
        "Runs survived",
        "Tokens of context",
        "Dollars per 100 turns",
        "Turns that failed",
        "First loss",
      ],
      ...systems.map((result) => ("problem" in result ? notRun(result, 6) : mainRow(result))),
    ]),
    "### Speed, in milliseconds\n",
    alignedTable([
      [
        "Store",
        "Durability",
        "Edit",
        "× a bare row",
        "Read for a turn",
        "Resume",
        "Edit after 1,000",
        "Read after 1,000",
      ],
      ...speed.map((result) => ("problem" in result ? notRun(result, 8) : speedRow(result))),
    ]),
  ].join("\n");
}

function notRun({ name, problem }: NotRun, columns: number): string[] {
  return [name, `not run: ${problem}`, ...Array<string>(columns - 2).fill("")];
}

function mainRow({ name, results, kills }: SystemResult) {
  const { tokens, dollarsPer100Turns, failedTurns } = totalCost(results);
  const counted = kills.filter(({ without }) => without > 0);
  const lost = counted.find(({ survived }) => !survived);
  const failure = lost ? lossOf(lost) : results.find((result) => result.failure)?.failure;
  return [
    name,
    `${counted.filter(({ survived }) => survived).length} of ${counted.length}`,
    tokens.toLocaleString("en-US"),
    dollarsPer100Turns.toFixed(2),
    failedTurns,
    (failure ?? "").replaceAll(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 120),
  ];
}

function lossOf({ compactions, without, after, problem = "" }: KillResult): string {
  return `compactions: ${compactions}, numbers: ${after} of ${without} ${problem}`;
}

/** Of the runs without kills. Turns without an answer cost as well, so the dollars are per answered turn. */
export function totalCost(results: readonly StoryResult[]) {
  const sum = (value: (result: StoryResult) => number) =>
    results.reduce((total, result) => total + value(result), 0);
  const sizes = results.flatMap(({ tokens }) => tokens ?? []);
  return {
    tokens: Math.round(sizes.reduce((total, size) => total + size, 0) / Math.max(1, sizes.length)),
    dollarsPer100Turns: (100 * sum(({ dollars }) => dollars)) / sum(({ answeredTurns }) => answeredTurns),
    failedTurns: sum(({ failedTurns }) => failedTurns),
  };
}

function speedRow({ name, durability, edit, editRatio, read, resume, editGrowth, readGrowth }: SpeedResult) {
  return [
    name,
    durability,
    edit.toFixed(3),
    editRatio.toFixed(2),
    read.toFixed(3),
    resume === undefined ? "–" : resume.toFixed(1),
    `× ${editGrowth.toFixed(1)}`,
    `× ${readGrowth.toFixed(1)}`,
  ];
}
