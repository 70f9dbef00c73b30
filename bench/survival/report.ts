import type { Results, SystemResult } from "./results.ts";
import type { Score } from "./score.ts";
import { storyKinds } from "./story.ts";

type Row = readonly (string | number)[];

const percent = (share: number) => `${Math.round(share * 100)} %`;
const thousands = (value: number) => value.toLocaleString("en-US");

/** All tables, as Markdown that is also readable in a terminal. */
export function renderReport({ systems, seeds }: Results): string {
  const ran = systems.filter(({ problem }) => problem === undefined);
  return [
    `Seeds: ${seeds.join(", ")}.`,
    "### What survives, and what it costs",
    table(
      [
        "System",
        "In context",
        "One call",
        "Further",
        "Lost",
        "Stale",
        "Resurrected",
        "Tokens",
        "Reads again",
        "Prefix bytes changed per turn",
        "Dollars per 100 turns",
        "Kills survived",
      ],
      systems.map(mainRow),
    ),
    "### Drift: in context, and within one call, after 1, 3 and 10 compactions",
    table(
      ["System", "1", "3", "10", "Compactions seen per run at 1 / 3 / 10"],
      ran.map((system) => [
        system.name,
        ...["1", "3", "10"].map((count) => reach(system.byCompactions[count])),
        ["1", "3", "10"].map((count) => (system.byCompactions[count]?.compacted ?? 0).toFixed(1)).join(" / "),
      ]),
    ),
    "### By summariser: in context, and within one call",
    table(
      ["System", "S0 empty", "S1 extractive", "S3 without prohibitions", "S4 fails"],
      ran.map((system) => [
        system.name,
        ...["S0", "S1", "S3", "S4"].map((name) => reach(system.bySummariser[name])),
      ]),
    ),
    "### By story: in context, and within one call",
    table(
      ["System", ...storyKinds],
      ran.map((system) => [system.name, ...storyKinds.map((kind) => reach(system.byKind[kind]))]),
    ),
    "### The agent writes it down (S0): in context, stale, resurrected",
    table(
      ["System", "In context", "Within one call", "Stale", "Resurrected"],
      ran.map(({ name, notes }) => [
        name,
        percent(notes.context),
        percent(notes.context + notes.oneCall),
        percent(notes.stale),
        percent(notes.resurrected),
      ]),
    ),
    "### Availability against tokens (S1, one compaction): tokens of context, share in context",
    table(
      ["System", ...windowsOf(ran).map((window) => `${thousands(Number(window))} window`)],
      ran.map((system) => [
        system.name,
        ...windowsOf(ran).map((window) => curvePoint(system.byWindow[window])),
      ]),
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
      ran.map(({ name, all, failure = "" }) => [
        name,
        `${all.unfinished} of ${all.runs}`,
        all.overflows,
        all.failedTurns,
        oneLine(failure).slice(0, 120),
      ]),
    ),
  ].join("\n\n");
}

function mainRow({ name, all, kills, problem }: SystemResult): Row {
  if (problem !== undefined) return [name, `not run: ${oneLine(problem)}`, ...Array<string>(10).fill("")];
  return [
    name,
    percent(all.context),
    percent(all.oneCall),
    percent(all.further),
    percent(all.lost),
    percent(all.stale),
    percent(all.resurrected),
    thousands(all.tokens),
    all.repeatedReads,
    thousands(all.prefixBytesChanged),
    all.dollarsPer100Turns.toFixed(2),
    kills.length === 0 ? "–" : `${kills.filter(({ survived }) => survived).length} of ${kills.length}`,
  ];
}

function reach(score: Score | undefined): string {
  return score ? `${percent(score.context)}, ${percent(score.context + score.oneCall)}` : "–";
}

function curvePoint(score: Score | undefined): string {
  if (!score) return "–";
  return score.unfinished === score.runs
    ? "does not fit"
    : `${thousands(score.tokens)}, ${percent(score.context)}`;
}

function windowsOf(systems: readonly SystemResult[]): string[] {
  const windows = new Set(systems.flatMap(({ byWindow }) => Object.keys(byWindow)));
  return [...windows].sort((a, b) => Number(a) - Number(b));
}

function table(head: Row, rows: readonly Row[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => String(cell).replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = cells;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
