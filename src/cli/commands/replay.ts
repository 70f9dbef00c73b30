import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { defaultMemory } from "../../replay/memory-model.ts";
import { parsePrices } from "../../replay/prices.ts";
import { readTranscript } from "../../replay/read-transcript.ts";
import { replay } from "../../replay/replay.ts";
import type { PolicyRow, ReplayOptions, Report } from "../../replay/report.ts";
import { requireValid } from "../../workspace/config-problems.ts";
import { settingsIn } from "../../workspace/library-options.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { counted } from "../terminal/quantities.ts";
import { type Screen, screenOf } from "../terminal/screen.ts";
import { wrapSpans } from "../terminal/wrap-text.ts";

const usage =
  "replay FILE… [--prices FILE] [--notepad-tokens N] [--edit-every N] [--edit-tokens N] [--fold-after MINUTES] [--context-window N]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    prices: { type: "string" },
    "notepad-tokens": { type: "string" },
    "edit-every": { type: "string" },
    "edit-tokens": { type: "string" },
    "fold-after": { type: "string" },
    "context-window": { type: "string" },
    survival: { type: "boolean", default: false },
  });
  if (values.survival) {
    const { runSurvival } = await import("./survival.ts");
    return runSurvival({
      files: positionals,
      json: values.json,
      contextWindow: atLeast(values["context-window"], "context-window", 1_000),
      prices: values.prices === undefined ? undefined : parsePrices(readText(values.prices)),
    });
  }
  if (positionals.length === 0)
    throw new HoldfastError("invalid_input", `FILE is missing. Usage: holdfast ${usage}`);
  const contextWindow = atLeast(values["context-window"], "context-window", 1_000);
  const { config } = findWorkspace();
  await requireValid(config);
  const { enabled: _enabled, ...clearing } = settingsIn(config, "clearing");
  const options: ReplayOptions = {
    memory: {
      notepadTokens: atLeast(values["notepad-tokens"], "notepad-tokens", 1) ?? defaultMemory.notepadTokens,
      editEvery: atLeast(values["edit-every"], "edit-every", 1) ?? defaultMemory.editEvery,
      editTokens: atLeast(values["edit-tokens"], "edit-tokens", 1) ?? defaultMemory.editTokens,
      foldAfter: wholeNumber(values["fold-after"], "fold-after") ?? defaultMemory.foldAfter,
    },
    ...(values.prices === undefined ? {} : { prices: parsePrices(readText(values.prices)) }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    clearing,
  };
  const reports: { file: string; report: Report }[] = [];
  let failed = 0;
  for (const file of positionals) {
    const report = await replayFile(file, options);
    if (!report) failed++;
    else if (values.json) reports.push({ file, report });
    else console.log(`${render(file, report, screenOf())}\n`);
  }
  if (values.json)
    console.log(
      JSON.stringify(
        reports.map(({ file, report }) => ({ file, ...report })),
        null,
        2,
      ),
    );
  return failed === 0 ? 0 : 1;
}

/** Returns undefined for an unreadable file, so that the others are still replayed. */
async function replayFile(file: string, options: ReplayOptions): Promise<Report | undefined> {
  try {
    const transcript = await readTranscript(readText(file));
    for (const { line, message } of transcript.warnings)
      console.error(`holdfast: ${file}, line ${line}: ${message}`);
    return replay(transcript, options);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    console.error(`holdfast: ${file}: ${error.message}`);
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const tooLong = (error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG";
    const advice = tooLong ? "It is too large to read at once; split it at a line end." : "Check the path.";
    throw new HoldfastError(
      "invalid_input",
      `The file cannot be read: ${(error as Error).message}. ${advice}`,
      { cause: error },
    );
  }
}

function atLeast(value: string | undefined, option: string, min: number): number | undefined {
  const number = wholeNumber(value, option);
  if (number === undefined || number >= min) return number;
  throw new HoldfastError("invalid_input", `--${option} must be at least ${min} (got ${number}).`);
}

function render(file: string, report: Report, screen: Screen): string {
  const { calls, messages, format, memory, writing, compaction, contextWindow } = report;
  const text = (line: string) => wrapSpans([{ text: line }], "", "", screen).join("\n");
  const where = compaction.beforeCalls.join(", ");
  const withCompaction =
    compaction.beforeCalls.length === 0
      ? []
      : [
          text(
            `With compaction, ${compaction.mode === "recorded" ? "as recorded" : "as Holdfast would"}: before call ${where}`,
          ),
          table(report.rows.filter((row) => row.compaction)),
          "",
        ];
  const without = report.rows.filter((row) => !row.compaction);
  const over =
    report.uncompacted > contextWindow
      ? `; the prompts reach ${count(report.uncompacted)} tokens, more than a window of ${count(contextWindow)}`
      : "";
  return [
    text(`${basename(file)}: ${format}, ${count(calls)} calls, ${count(messages)} messages`),
    screen.paint("bold", text(conclusion(report))),
    "",
    ...withCompaction,
    text(`Without compaction${over}`),
    without.length > 0 ? table(without) : "  omitted: no model accepts such a prompt",
    "",
    ...epochLines(report).map((line, index) => (index === 1 ? line : text(line))),
    "",
    text(costLine(report)),
    ...Object.entries(report.prices).map(([model, { input, cacheWrite, cacheRead, output }]) =>
      text(
        `Prices of ${model || "(unnamed model)"}, in dollars per million tokens: fresh ${input}, written ${cacheWrite}, read ${cacheRead}, output ${output}`,
      ),
    ),
    text(
      `Assumed: a notepad of ${count(memory.notepadTokens)} tokens, ${count(memory.editTokens)} of them replaced every ${count(memory.editEvery)} calls${memory.foldAfter > 0 ? `, folded in after ${memory.foldAfter} idle minutes` : ""}. The agent's tool calls for ${counted(writing.edits, "edit")}, ${money(writing.cost)}, are in the conclusion but not in the tables.`,
    ),
    text(
      `"memory": cost against the same row without memory. "saves": against the same row without clearing; every cleared result can be fetched. "bound": the cost that clearing with perfect foresight would reach. --json has the tokens.`,
    ),
    ...summaryLines(report).map(text),
  ].join("\n");
}

/** What memory would have added, and clearing saved, with the placement that Holdfast uses by default. */
function conclusion({ rows, writing, epoch }: Report): string {
  const hasCompaction = rows.some((row) => row.compaction);
  const find = (placement: PolicyRow["placement"], clearing: boolean) =>
    rows.find(
      (row) => row.compaction === hasCompaction && row.placement === placement && row.clearing === clearing,
    );
  const [bare, memory, cleared] = [find("none", false), find("epoch", false), find("epoch", true)];
  if (!bare || !memory || !cleared) return "Nothing to compare.";
  const added = memory.cost - bare.cost + writing.cost + epoch.checkpoints;
  const saved = memory.cost - cleared.cost;
  const share = (part: number, whole: number) =>
    whole === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`;
  const adds =
    added >= 0
      ? `Memory would have added ${money(added)} (${share(added, bare.cost)}).`
      : `Memory would have saved ${money(-added)} (${share(-added, bare.cost)}).`;
  const saves =
    saved >= 0
      ? `Clearing old results would have saved ${money(saved)} (${share(saved, memory.cost)}).`
      : `Clearing old results would have added ${money(-saved)} (${share(-saved, memory.cost)}).`;
  return `${adds} ${saves}`;
}

/** Where the cost of memory comes from, and what is the least that a notepad of this size can cost. */
function epochLines(report: Report): string[] {
  const { rows, epoch, memory, writing, checkpoints } = report;
  const bare = rows.find(({ placement, clearing }) => placement === "none" && !clearing)?.cost ?? 0;
  if (bare === 0) return [];
  const share = (cost: number) => `${((100 * cost) / bare).toFixed(2)} %`;
  const notepad = `${count(memory.notepadTokens)} tokens`;
  const parts: [string, string, number][] = [
    [`a notepad of ${notepad}, read from the cache`, count(epoch.read.calls), epoch.read.cost],
    ["the same, written where nothing is cached", count(epoch.written.calls), epoch.written.cost],
    [`its changes, by ${counted(writing.edits, "edit")}`, "", epoch.changes],
    ...(checkpoints.compactions === 0
      ? []
      : [
          [
            `${counted(checkpoints.compactions, "checkpoint")} of ${count(checkpoints.tokens)} tokens`,
            "",
            epoch.checkpoints,
          ] satisfies [string, string, number],
        ]),
  ];
  const cells = parts.map(([part, calls, cost]) => [part, calls, money(cost), share(cost)]);
  const least = epoch.read.cost + epoch.written.cost;
  const room = (memory.notepadTokens * bare) / (100 * least);
  return [
    "Where the cost of epoch without clearing comes from",
    aligned(["part", "calls", "cost", "of no memory"], cells, 1),
    ...(least > 0
      ? [
          `A notepad of ${notepad} that never changes adds ${share(least)} in these calls; one of ${count(room)} tokens would add 1 %.`,
        ]
      : []),
  ];
}

function summaryLines({ summaries: { summaries, inPlace, separate, separateShare } }: Report): string[] {
  if (summaries === 0) return [];
  const less = ((100 * (separate - inPlace)) / separate).toFixed(0);
  const seen =
    separateShare < 1 ? `, which has room for ${(100 * separateShare).toFixed(0)} % of what goes` : "";
  const what = summaries === 1 ? "the summary" : `${count(summaries)} summaries`;
  return [
    `Writing ${what} at the end of the agent's own prompt, read from the cache: ${money(inPlace)}. In a request of its own${seen}: ${money(separate)} (in place is ${less} % cheaper).`,
  ];
}

function costLine({ recorded, reproduced }: Report): string {
  if (recorded === undefined)
    return `Cost by the recorded usage: ${money(reproduced)} (the transcript records no cost)`;
  const difference = recorded === 0 ? 0 : (100 * (reproduced - recorded)) / recorded;
  return `Recorded ${money(recorded)}, reproduced ${money(reproduced)} from the usage of each call, difference ${difference.toFixed(2)} %`;
}

/** At most 80 columns; the tokens by kind are in the JSON. */
const headings = ["policy", "clearing", "hits", "cost", "memory", "saves", "cleared", "bound"];

function table(rows: readonly PolicyRow[]): string {
  const cells = rows.map(({ placement, clearing, hits, cost, vsNoMemory, vsNoClearing, cleared, bound }) => [
    placement === "none" ? "no memory" : placement,
    clearing ? "on" : "off",
    `${(100 * hits).toFixed(1)} %`,
    money(cost),
    placement === "none" ? "" : `× ${vsNoMemory.toFixed(3)}`,
    clearing ? `${(100 * (1 - vsNoClearing)).toFixed(1)} %` : "",
    clearing ? count(cleared) : "",
    bound === undefined ? "" : `${bound.exact ? "" : "> "}${money(bound.cost)}`,
  ]);
  return aligned(headings, cells, 2);
}

/** The first columns are aligned to the left. */
function aligned(heads: readonly string[], cells: readonly (readonly string[])[], left: number): string {
  const widths = heads.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `  ${row.map((cell, column) => (column < left ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`.trimEnd();
  return [heads, ...cells].map(line).join("\n");
}

function money(dollars: number): string {
  return `$${dollars.toFixed(2)}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
