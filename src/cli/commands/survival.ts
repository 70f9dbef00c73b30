import { HoldfastError } from "../../errors.ts";
import { openMemory } from "../../index.ts";
import type { PriceTable } from "../../replay/prices.ts";
import { readRecording } from "../../replay/read-transcript.ts";
import { measureSurvival, type SurvivalCut } from "../../replay/survival.ts";
import { findRecordings, openRecordings, type RecordedFile } from "../find-recordings.ts";
import { bar, count, painterFor, percent, printable, wrap } from "../terminal/paint.ts";
import { startProgress } from "../terminal/progress.ts";
import { counted } from "../terminal/quantities.ts";

export interface SurvivalArguments {
  /** Files; none: those that the hosts keep on this machine. */
  files: readonly string[];
  json: boolean;
  contextWindow?: number | undefined;
  prices?: PriceTable | undefined;
}

interface MeasuredSession {
  file: string;
  /** The session's name in the file. */
  name: string;
  host: string;
  cuts: SurvivalCut[];
}

/** Prints what compactions kept of what was used later, and what Holdfast would have kept. */
export async function runSurvival({ files, json, ...options }: SurvivalArguments): Promise<number> {
  const found = files.length > 0 ? await openRecordings(files) : await findRecordings();
  if (found.length === 0)
    throw new HoldfastError(
      "not_found",
      "No recorded session was found on this machine. Pass a transcript: holdfast replay --survival FILE…",
    );
  const { sessions, failed } = await measureAll(found, options, files.length > 0);
  if (json) console.log(JSON.stringify({ sessions, total: totalOf(sessions) }, null, 2));
  else console.log(render(sessions));
  return failed === 0 ? 0 : 1;
}

async function measureAll(
  files: readonly RecordedFile[],
  options: Pick<SurvivalArguments, "contextWindow" | "prices">,
  mustRead: boolean,
): Promise<{ sessions: MeasuredSession[]; failed: number }> {
  const memory = await openMemory({ store: "memory:" });
  const state = await (await memory.createSession()).state();
  const progress = startProgress(
    "Reading sessions",
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const sessions: MeasuredSession[] = [];
  let failed = 0;
  let done = 0;
  for (const { path: file, bytes, sessions: read } of files) {
    try {
      for (const { name, text } of read()) {
        const transcript = await readRecording(text);
        const cuts = measureSurvival(transcript, { state, ...options });
        if (cuts.length > 0) sessions.push({ file, name, host: transcript.format, cuts });
      }
    } catch (error) {
      // A folder of sessions may have files that are none.
      if (mustRead) {
        failed++;
        console.error(`holdfast: ${file}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    done += bytes;
    progress.at(done);
  }
  progress.end();
  await memory.close();
  return { sessions, failed };
}

function totalOf(sessions: readonly MeasuredSession[]) {
  const cuts = sessions.flatMap((session) => session.cuts);
  const recorded = cuts.filter(({ kind }) => kind === "recorded");
  const sum = (chosen: readonly SurvivalCut[], value: (cut: SurvivalCut) => number) =>
    chosen.reduce((total, cut) => total + value(cut), 0);
  return {
    compactions: { recorded: recorded.length, simulated: cuts.length - recorded.length },
    needed: sum(cuts, ({ needed }) => needed),
    inCheckpoint: sum(cuts, ({ inCheckpoint }) => inCheckpoint),
    recorded: {
      needed: sum(recorded, ({ needed }) => needed),
      inSummary: sum(recorded, ({ inSummary = 0 }) => inSummary),
      inCheckpoint: sum(recorded, ({ inCheckpoint }) => inCheckpoint),
    },
    readAgain: {
      calls: sum(cuts, ({ readAgain }) => readAgain.calls),
      tokens: sum(cuts, ({ readAgain }) => readAgain.tokens),
      cost: sum(cuts, ({ readAgain }) => readAgain.cost),
    },
  };
}

const headings = ["compaction", "needed", "summary kept", "Holdfast keeps", "read again"];

/** Lines fit a terminal of this width. */
const width = 80;

function render(sessions: readonly MeasuredSession[]): string {
  const paint = painterFor(process.stdout);
  if (sessions.length === 0)
    return "None of these sessions was compacted, or would have been: nothing was lost. Try a smaller --context-window to see what a compaction would have kept.";
  const rows = sessions.flatMap(({ cuts }) => cuts.map(cells));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? `  ${cell.padEnd(widths[column] ?? 0)}` : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  const examples = [
    ...new Set(sessions.flatMap(({ cuts }) => cuts.flatMap(({ rescued }) => rescued.slice(0, 3)))),
  ];
  return [
    paint("bold", line(headings)),
    ...sessions.flatMap(({ name, host, cuts }) => [
      `${paint("cyan", printable(name).slice(0, width - host.length - 3))} ${paint("dim", `(${host})`)}`,
      ...cuts.map((cut) => line(cells(cut))),
    ]),
    "",
    ...totals(sessions),
    ...(examples.length === 0
      ? []
      : [
          "",
          "Some of what was lost and would have been there:",
          ...examples.slice(0, 8).map((name) => `  ${printable(name)}`),
        ]),
    "",
    paint(
      "dim",
      wrap(
        'A name (path, symbol, flag, address, id) is "needed" if the agent wrote it into one of its next 60 calls and nothing it could still see had told it. "Read again": files fetched again although they had not changed, and their tokens. Counts are of what was before the model, not of what it made of it. Nothing left this machine.',
        width,
        "",
      ),
    ),
  ].join("\n");
}

function cells({ kind, messages, needed, inSummary, inCheckpoint, readAgain }: SurvivalCut): string[] {
  const share = (part: number) => (needed === 0 ? "-" : `${part} (${percent(part / needed)})`);
  return [
    `${kind} at ${count(messages)}`,
    count(needed),
    inSummary === undefined ? "-" : share(inSummary),
    share(inCheckpoint),
    readAgain.calls === 0 ? "-" : `${counted(readAgain.calls, "file")}, ${kilo(readAgain.tokens)}`,
  ];
}

function totals(sessions: readonly MeasuredSession[]): string[] {
  const { compactions, needed, inCheckpoint, recorded, readAgain } = totalOf(sessions);
  const paint = painterFor(process.stdout);
  const row = (label: string, part: number, all: number, style: "green" | "yellow") =>
    all === 0
      ? []
      : [`${label.padEnd(28)} ${paint(style, bar(part / all, 30))} ${percent(part / all)} of ${count(all)}`];
  return [
    `${counted(sessions.length, "session")}, ${count(compactions.recorded)} recorded and ${count(compactions.simulated)} simulated compactions`,
    ...row("The recorded summaries kept", recorded.inSummary, recorded.needed, "yellow"),
    ...row("Holdfast, at the same places", recorded.inCheckpoint, recorded.needed, "green"),
    ...row("Holdfast, at all places", inCheckpoint, needed, "green"),
    `Read again although unchanged: ${counted(readAgain.calls, "file")}, ${counted(readAgain.tokens, "token")}, $${readAgain.cost.toFixed(2)}`,
  ];
}

function kilo(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${count(Math.round(tokens / 1_000))}k`;
}
