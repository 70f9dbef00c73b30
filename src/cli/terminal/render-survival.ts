import { findHost } from "../../hosts/hosts.ts";
import type { SurvivalCut } from "../../replay/survival.ts";
import type { MeasuredSession, SurvivalTotal } from "../../replay/survival-total.ts";
import { bar, count, percent, printable } from "./paint.ts";
import { counted } from "./quantities.ts";
import type { Screen } from "./screen.ts";
import { cutToWidth } from "./text-width.ts";
import { wrapSpans } from "./wrap-text.ts";

/** Lines are easy to read up to this width; a pipe gets the usual width of a terminal. */
const maxWidth = 120;
const pipeWidth = 80;

/** The report of `holdfast replay --survival`: each compaction, then what they add up to. */
export function renderSurvival(
  sessions: readonly MeasuredSession[],
  total: SurvivalTotal,
  { width, ...given }: Screen,
): string[] {
  const screen = { ...given, width: Number.isFinite(width) ? Math.min(width, maxWidth) : pipeWidth };
  const compacted = sessions.filter(({ cuts }) => cuts.length > 0);
  return [
    ...(compacted.length > 0 ? [...tableLines(compacted, screen), ""] : []),
    ...uncompactedLines(
      sessions.filter(({ cuts }) => cuts.length === 0),
      screen,
    ),
    ...totalLines(total, screen),
    ...exampleLines(compacted, screen),
    ...(compacted.length > 0 ? ["", ...legend(screen)] : []),
  ];
}

interface Column {
  heading: string;
  cell(cut: SurvivalCut): string;
  /** Left out in this order if the table is too wide. */
  drop?: number;
}

const columns: Column[] = [
  { heading: "compaction", cell: ({ kind, messages }) => `${kind} at ${count(messages)}` },
  { heading: "context", cell: ({ contextTokens }) => thousands(contextTokens), drop: 3 },
  {
    heading: "host keeps",
    cell: ({ keptMessages }) => (keptMessages === 0 ? "nothing" : counted(keptMessages, "message")),
    drop: 1,
  },
  { heading: "needed", cell: ({ needed }) => (needed === 0 ? "nothing" : count(needed)) },
  { heading: "summary has", cell: ({ inSummary, needed }) => share(inSummary, needed) },
  { heading: "Holdfast has", cell: ({ inCheckpoint, needed }) => share(inCheckpoint, needed) },
  {
    heading: "read again",
    cell: ({ readAgain: { calls, tokens } }) =>
      calls === 0 ? "·" : `${counted(calls, "file")}, ${thousands(tokens)}`,
    drop: 4,
  },
  { heading: "cost", cell: ({ readAgain: { calls, cost } }) => (calls === 0 ? "·" : money(cost)), drop: 2 },
];

function tableLines(sessions: readonly MeasuredSession[], screen: Screen): string[] {
  const cuts = sessions.flatMap((session) => session.cuts);
  const shown = fitting(cuts, screen.width);
  const line = (cell: (column: Column) => string) =>
    shown
      .map(({ column, width }, index) =>
        index === 0 ? `  ${cell(column).padEnd(width)}` : cell(column).padStart(width),
      )
      .join("  ")
      .trimEnd();
  return [
    screen.paint(
      "bold",
      line(({ heading }) => heading),
    ),
    ...sessions.flatMap(({ name, host, cuts: own }) => {
      const title = ` (${titleOf(host)})`;
      const shortName = cutToWidth(printable(name), screen.width - title.length);
      return [
        `${screen.paint("cyan", shortName)}${screen.paint("dim", title)}`,
        ...own.map((cut) => {
          const text = line(({ cell }) => cell(cut));
          return cut.needed === 0 ? screen.paint("dim", text) : text;
        }),
      ];
    }),
  ];
}

/** The columns that fit the width, and how wide each is. */
function fitting(cuts: readonly SurvivalCut[], width: number): { column: Column; width: number }[] {
  const sized = columns.map((column) => ({
    column,
    width: Math.max(column.heading.length, ...cuts.map((cut) => column.cell(cut).length)),
  }));
  for (let drop = 1; drop <= columns.length; drop++) {
    const needed = sized.reduce((sum, each) => sum + each.width + 2, 0);
    const unwanted = sized.findIndex(({ column }) => column.drop === drop);
    if (needed > width && unwanted !== -1) sized.splice(unwanted, 1);
  }
  return sized;
}

/** Says why sessions without a compaction have none: the host waits for a longer context than theirs. */
function uncompactedLines(sessions: readonly MeasuredSession[], screen: Screen): string[] {
  const groups = Map.groupBy(
    sessions.toSorted((a, b) => b.largestContext - a.largestContext),
    ({ host, compactsAt, contextWindow }) => `${host} ${compactsAt} ${contextWindow}`,
  );
  const lines = [...groups.values()].flatMap((group) => {
    const [longest] = group;
    if (!longest) return [];
    const { name, host, largestContext, compactsAt, contextWindow } = longest;
    const who =
      group.length === 1
        ? `${printable(name)} (${titleOf(host)}) was not compacted: its context reached`
        : `${counted(group.length, "session")} of ${titleOf(host)} were not compacted: their contexts reached at most`;
    const text = `${who} ${count(largestContext)} tokens, and ${titleOf(host)} compacts beyond ${count(compactsAt)} of ${count(contextWindow)}.`;
    return wrapSpans([{ text }], "", "", screen);
  });
  return lines.length === 0 ? [] : [...lines, ...hintLines(sessions, screen), ""];
}

/** A shorter context has little to lose. */
const worthTrying = 50_000;

/** A window in which the longest of these sessions would have been compacted. */
function hintLines(sessions: readonly MeasuredSession[], screen: Screen): string[] {
  const [longest] = sessions.toSorted((a, b) => b.largestContext - a.largestContext);
  if (!longest || longest.largestContext < worthTrying) return [];
  const { largestContext, contextWindow, compactsAt } = longest;
  const smaller = Math.floor(((largestContext + contextWindow - compactsAt) * 0.9) / 10_000) * 10_000;
  const text = `See what a compaction would have lost there: --context-window ${smaller}`;
  return wrapSpans([{ text, style: "dim" }], "", "", screen);
}

function totalLines(
  { sessions, all, recorded, simulated, readAgain }: SurvivalTotal,
  screen: Screen,
): string[] {
  if (all.compactions === 0) return [`${counted(sessions, "session")}, no compaction`];
  const barWidth = Math.max(10, Math.min(40, screen.width - 52));
  const row = (label: string, part: number, whole: number, style: "green" | "yellow") =>
    whole === 0
      ? []
      : [
          `  ${label.padEnd(29)} ${screen.paint(style, bar(part / whole, barWidth))} ${percent(part / whole).padStart(5)} of ${count(whole)}`,
        ];
  const quiet =
    all.withoutNeed === 0 ? "" : `; after ${count(all.withoutNeed)} of them nothing was needed again`;
  const heading = `${counted(sessions, "session")}, ${count(recorded.compactions)} recorded and ${counted(simulated.compactions, "simulated compaction")}${quiet}`;
  const cost =
    readAgain.calls === 0
      ? "No file was read again unchanged."
      : `Read again although unchanged: ${counted(readAgain.calls, "file")}, ${counted(readAgain.tokens, "token")}, ${money(readAgain.cost)}`;
  return [
    ...wrapSpans([{ text: heading, style: "bold" }], "", "", screen),
    ...row("the recorded summaries have", recorded.inSummary, recorded.needed, "yellow"),
    ...row("Holdfast has, at these places", recorded.inCheckpoint, recorded.needed, "green"),
    ...row("Holdfast has, simulated", simulated.inCheckpoint, simulated.needed, "green"),
    ...wrapSpans([{ text: cost }], "", "", screen),
  ];
}

const maxExamples = 8;

/** Names that the recorded summaries lost, a few of each session. */
function exampleLines(sessions: readonly MeasuredSession[], screen: Screen): string[] {
  const lost = sessions.flatMap(({ cuts }) =>
    cuts.filter(({ kind }) => kind === "recorded").flatMap(({ rescued }) => rescued.slice(0, 3)),
  );
  const names = [...new Set(lost)].slice(0, maxExamples);
  if (names.length === 0) return [];
  const heading = "Used later, not in the recorded summary, and in Holdfast's checkpoint:";
  return [
    "",
    ...wrapSpans([{ text: heading }], "", "", screen),
    ...names.map((name) => `  ${screen.paint("green", cutToWidth(printable(name), screen.width - 2))}`),
  ];
}

function legend(screen: Screen): string[] {
  const text =
    '"needed": names (paths, symbols, flags, addresses, ids) that the agent wrote into its next 60 calls and that nothing it could still see had told it. "read again": files fetched again although unchanged, and their tokens, at the price of writing them to the cache. "at": messages before the compaction. A simulated one is where the host would have compacted; it keeps what that host keeps, and has no summary to compare. Counts are of what was before the model, not of what it made of it. Nothing left this machine.';
  return wrapSpans([{ text, style: "dim" }], "", "", screen);
}

function titleOf(host: string): string {
  return findHost(host)?.title ?? host;
}

function share(part: number | undefined, whole: number): string {
  return part === undefined || whole === 0 ? "·" : `${count(part)} (${percent(part / whole)})`;
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${count(Math.round(tokens / 1_000))}k`;
}

function money(dollars: number): string {
  return `$${dollars.toFixed(2)}`;
}
