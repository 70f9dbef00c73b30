import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { openMemory } from "../../index.ts";
import { findRecordings } from "../../replay/find-recordings.ts";
import type { PriceTable } from "../../replay/prices.ts";
import { readRecording } from "../../replay/read-transcript.ts";
import { measureSurvival, type SurvivalCut } from "../../replay/survival.ts";
import { bar, count, painterFor, percent, printable } from "../terminal/paint.ts";
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
  host: string;
  cuts: SurvivalCut[];
}

/** Prints what compactions kept of what was used later, and what Holdfast would have kept. */
export async function runSurvival({ files, json, ...options }: SurvivalArguments): Promise<number> {
  const found = files.length > 0 ? [...files] : await findRecordings();
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
  files: readonly string[],
  options: Pick<SurvivalArguments, "contextWindow" | "prices">,
  mustRead: boolean,
): Promise<{ sessions: MeasuredSession[]; failed: number }> {
  const memory = await openMemory({ store: "memory:" });
  const state = await (await memory.createSession()).state();
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const progress = startProgress(
    "Reading sessions",
    sizes.reduce((sum, size) => sum + size, 0),
  );
  const sessions: MeasuredSession[] = [];
  let failed = 0;
  let done = 0;
  for (const [index, file] of files.entries()) {
    try {
      const transcript = await readRecording(readFileSync(file, "utf8"));
      const cuts = measureSurvival(transcript, { state, ...options });
      if (cuts.length > 0) sessions.push({ file, host: transcript.format, cuts });
    } catch (error) {
      // A folder of sessions may have files that are none.
      if (mustRead) {
        failed++;
        console.error(`holdfast: ${file}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    done += sizes[index] ?? 0;
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

const headings = ["session", "compaction", "needed later", "summary kept", "Holdfast keeps", "read again"];

function render(sessions: readonly MeasuredSession[]): string {
  const paint = painterFor(process.stdout);
  if (sessions.length === 0)
    return "None of these sessions was compacted, or would have been: nothing was lost. Try a smaller --context-window to see what a compaction would have kept.";
  const rows = sessions.flatMap(({ file, cuts }) =>
    cuts.map((cut, index) => [index === 0 ? nameOf(file) : "", ...cells(cut)]),
  );
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  const examples = [
    ...new Set(sessions.flatMap(({ cuts }) => cuts.flatMap(({ rescued }) => rescued.slice(0, 3)))),
  ];
  return [
    paint("bold", line(headings)),
    ...rows.map(line),
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
      'A name (path, symbol, flag, address, id) is "needed later" if the agent wrote it into one of its next 60 calls and nothing it could still see had told it. "read again": files fetched again although they had not changed. Counts are of what was before the model, not of what it made of it. Nothing left this machine.',
    ),
  ].join("\n");
}

function cells({ kind, messages, needed, inSummary, inCheckpoint, readAgain }: SurvivalCut): string[] {
  const share = (part: number) => (needed === 0 ? "-" : `${part} (${percent(part / needed)})`);
  return [
    `${kind}, after ${count(messages)} messages`,
    count(needed),
    inSummary === undefined ? "-" : share(inSummary),
    share(inCheckpoint),
    readAgain.calls === 0
      ? "-"
      : `${counted(readAgain.calls, "file")}, ${counted(readAgain.tokens, "token")}`,
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

function nameOf(file: string): string {
  const name = basename(file, ".jsonl");
  return printable(name.length > 28 ? `${name.slice(0, 27)}…` : name);
}
