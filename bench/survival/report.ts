import { killTables, survivedOf } from "./kill-report.ts";
import { oneLine, type Row, table } from "./markdown-table.ts";
import type { Results, SystemResult } from "./results.ts";
import type { Score } from "./score.ts";
import type { SpeedResult } from "./speed.ts";
import { storyKinds } from "./story.ts";

const percent = (share: number) => `${Math.round(share * 100)} %`;
const thousands = (value: number) => value.toLocaleString("en-US");

export interface Report {
  date: string;
  /** The same for the same seeds and versions, byte for byte. */
  results: Results;
  /** Depends on the machine. */
  speed: SpeedResult[];
}

/** All tables, as Markdown that is also readable in a terminal. */
export function renderReport({ date, results: { systems, seeds, retrieval }, speed }: Report): string {
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
        "Killed runs survived",
      ],
      systems.map(mainRow),
    ),
    `### Spread over the seeds: lowest to highest of ${seeds.length}`,
    table(
      ["System", "In context", "Within one call", "Stale", "Dollars per 100 turns"],
      ran.map(({ name, bySeed }) => [name, ...spreadRow(Object.values(bySeed))]),
    ),
    "### Drift: in context, and within one call, after 1, 3 and 10 compactions",
    table(
      ["System", "1", "3", "10", "Compactions seen per run at 1 / 3 / 10"],
      ran.map((system) => [
        system.name,
        ...["1", "3", "10"].map((count) => reach(system.byCompactions[count])),
        ["1", "3", "10"].map((count) => system.byCompactions[count]?.compacted.toFixed(1) ?? "–").join(" / "),
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
        ...[notes.context, notes.context + notes.oneCall, notes.stale, notes.resurrected].map((share) =>
          notes.runs === 0 ? "–" : percent(share),
        ),
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
    ...killTables(ran),
    "### Retrieval: questions over 300 labelled facts among distractors; right one first, right one among five",
    table(
      ["Search", ...Object.keys(retrieval[0]?.asked ?? {})],
      retrieval.map(({ name, asked }) => [
        name,
        ...Object.values(asked).map(({ first, firstFive }) => `${percent(first)}, ${percent(firstFive)}`),
      ]),
    ),
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

function spreadRow(scores: readonly Score[]): Row {
  const range = (value: (score: Score) => number, show: (value: number) => string) => {
    const values = scores.map(value);
    const [low, high] = [show(Math.min(...values)), show(Math.max(...values))];
    return low === high ? low : `${low} to ${high}`;
  };
  if (scores.length === 0) return ["–", "–", "–", "–"];
  return [
    range(({ context }) => context, percent),
    range(({ context, oneCall }) => context + oneCall, percent),
    range(({ stale }) => stale, percent),
    range(
      ({ dollarsPer100Turns }) => dollarsPer100Turns,
      (value) => value.toFixed(2),
    ),
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
