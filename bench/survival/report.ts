import { killTables, survivedOf } from "./kill-report.ts";
import { oneLine, type Row, table } from "./markdown-table.ts";
import type { Results, SystemResult } from "./results.ts";
import type { SpeedResult } from "./speed.ts";

const thousands = (value: number) => value.toLocaleString("en-US");

export interface Report {
  date: string;
  /** The same for the same seeds and versions, byte for byte. */
  results: Results;
  /** Depends on the machine. */
  speed: SpeedResult[];
}

/** All tables, as Markdown that is also readable in a terminal. */
export function renderReport({ date, results: { systems, seeds }, speed }: Report): string {
  const ran = systems.filter(({ problem }) => problem === undefined);
  return [
    `Run on ${date}, seeds ${seeds.join(", ")}.`,
    table(
      ["System", "Version", "Configuration", "Durability"],
      systems.map(({ name, version, configuration, durability }) => [
        name,
        version,
        configuration,
        durability,
      ]),
    ),
    "### What survives a kill, and what a turn costs",
    table(
      ["System", "Tokens", "Prefix bytes changed per turn", "Dollars per 100 turns", "Killed runs survived"],
      systems.map(mainRow),
    ),
    ...killTables(ran),
    "### Speed, in milliseconds",
    table(
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
      speed.map(speedRow),
    ),
    "### Runs that failed",
    table(
      [
        "System",
        "Runs without a context that fits",
        "Requests over the window",
        "Turns that failed",
        "First failure",
      ],
      ran.map(({ name, cost, failure = "" }) => [
        name,
        `${cost.unfinished} of ${cost.runs}`,
        cost.overflows,
        cost.failedTurns,
        oneLine(failure).slice(0, 120),
      ]),
    ),
  ].join("\n\n");
}

function mainRow({ name, cost, kills, problem }: SystemResult): Row {
  if (problem !== undefined) return [name, `not run: ${oneLine(problem)}`, ...Array<string>(3).fill("")];
  return [
    name,
    thousands(cost.tokens),
    thousands(cost.prefixBytesChanged),
    cost.dollarsPer100Turns.toFixed(2),
    survivedOf(kills),
  ];
}

function speedRow(result: SpeedResult): Row {
  if ("problem" in result)
    return [result.name, `not run: ${oneLine(result.problem)}`, "", "", "", "", "", ""];
  const { name, durability, edit, editRatio, read, resume, editGrowth, readGrowth } = result;
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
