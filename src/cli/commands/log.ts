import { sayHistoryStart } from "../../engine/history-start.ts";
import { readText, revertChanges, type State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import { describeEntry } from "../../server/describe-entry.ts";
import { TimeTravel } from "../../server/time-travel.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import { openMemoryToRead } from "../../workspace/read-memory.ts";
import { atMostOne, readArguments, wholeNumber } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { cutToWidth, padToWidth, textWidth } from "../terminal/text-width.ts";
import { visibleJson, visibleLine, visibleText } from "../terminal/visible-text.ts";
import { dotted, wrapSpans } from "../terminal/wrap-text.ts";

const usage = "log [SESSION] [--revision N] [--limit N]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    revision: { type: "string" },
    limit: { type: "string" },
  });
  const idOrPrefix = atMostOne(positionals, "SESSION", usage);
  const revision = wholeNumber(values.revision, "revision");
  const limit = wholeNumber(values.limit, "limit") ?? 50;
  const memory = await openMemoryToRead({ flags: values });
  try {
    const session = await pickSession(memory, idOrPrefix);
    const screen = screenOf();
    if (revision === undefined) await printJournal(session, limit, values.json, screen);
    else await printEntry(session, revision, values.json, screen);
    return 0;
  } finally {
    await memory.close();
  }
}

async function printJournal(session: Session, limit: number, isJson: boolean, screen: Screen): Promise<void> {
  const entries = await session.history({ limit });
  if (isJson) return printJson(entries);
  let state = await session.state();
  const lines: string[] = [];
  for (const entry of entries) {
    lines.push(...renderEntry(entry, describeEntry(entry, state), screen));
    state = revertChanges(state, entry.changes);
  }
  const start = await session.historyStart();
  const isEnd = start !== undefined && (entries.at(-1)?.revision ?? 0) <= start.revision;
  printLines([...lines, ...(isEnd ? ["", sayHistoryStart(session.id, start)] : [])]);
}

async function printEntry(
  session: Session,
  revision: number,
  isJson: boolean,
  screen: Screen,
): Promise<void> {
  const [entry] = await session.history({ from: revision, to: revision });
  if (!entry) {
    const start = await session.historyStart();
    if (start && revision >= 1 && revision < start.revision) {
      throw new HoldfastError(
        "history_removed",
        `Revision ${revision} cannot be read any more. ${sayHistoryStart(session.id, start)}`,
        { data: { revision, begins: start.revision } },
      );
    }
    throw new HoldfastError(
      "not_found",
      `Session ${session.id} has no revision ${revision}. Run "holdfast log ${session.id}" to list its revisions.`,
    );
  }
  if (isJson) return printJson([entry]);
  const { state } = await new TimeTravel().at(session, revision);
  const facts = [`revision ${revision}`, writerOf(entry.actor), timeOf(entry.at), entry.operation.type];
  const diff = revision > 1 ? renderDiff(await session.diff(revision - 1, revision), screen) : [];
  printLines([
    ...wrapSpans([{ text: visibleLine(describeEntry(entry, state)), style: "bold" }], "", "", screen),
    ...wrapSpans(dotted(facts), "", "", screen),
    ...diff,
    ...(diff.length === 0 || isCut(entry, state) ? renderOperation(entry, screen) : []),
  ]);
}

/** Whether memory kept less than was written; the journal has all of it. */
function isCut({ operation }: JournalEntry, state: State): boolean {
  const content = "content" in operation && typeof operation.content === "string" ? operation.content : "";
  const texts = (["notepad", "space/plan", "space/notes"] as const).map((target) => readText(state, target));
  return operation.type.startsWith("scratchpad.") && !texts.some((text) => text.includes(content));
}

/** What was written, field by field. */
function renderOperation({ operation }: JournalEntry, screen: Screen): string[] {
  const { type: _type, ...fields } = operation;
  return Object.entries(fields).flatMap(([name, value]) => [
    "",
    screen.paint("bold", `${name}, in full`),
    ...(typeof value === "string" ? visibleText(value) : visibleJson(value)).split("\n"),
  ]);
}

const styles = {
  agent: "cyan",
  person: "green",
  "sub-session": "magenta",
  import: "blue",
  system: "dim",
} as const;

/** A narrow terminal shows no date, to leave room for the sentence. */
function renderEntry({ revision, at, actor }: JournalEntry, sentence: string, screen: Screen): string[] {
  const isNarrow = screen.width < 60;
  const columns = [
    String(revision).padStart(isNarrow ? 4 : 6),
    ...(isNarrow ? [] : [timeOf(at)]),
    padToWidth(cutToWidth(writerOf(actor), 8), 8),
  ];
  const [number = "", ...others] = columns;
  const first = [
    screen.paint("bold", number),
    ...others.map((column, index) =>
      index === others.length - 1 ? screen.paint(styles[actor.kind], column) : screen.paint("dim", column),
    ),
    "",
  ].join("  ");
  const width = textWidth(columns.join("  ")) + 2;
  const text = visibleLine(sentence);
  const room = Math.max(20, screen.width - width);
  return [`${first}${Number.isFinite(room) ? cutToWidth(text, room) : text}`];
}

function writerOf({ kind, name }: JournalEntry["actor"]): string {
  return name ?? (kind === "system" ? "holdfast" : kind);
}

function timeOf(at: number): string {
  return new Date(at)
    .toISOString()
    .replace("T", " ")
    .replace(/:\d\d\.\d+Z$/, "");
}
