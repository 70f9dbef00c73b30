import { sayHistoryStart } from "../../engine/history-start.ts";
import { readText, revertChanges, type State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import { commandName } from "../../hosts/install/launcher.ts";
import { describeEntry } from "../../server/describe-entry.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { asPerson, withMemory } from "../memory.ts";
import { pickSession, stateAt } from "../pick-session.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { print, printJson, printLines, type Screen } from "../terminal/screen.ts";
import { visibleJson, visibleLine, visibleText } from "../terminal/visible-text.ts";
import { cutToWidth, dotted, padToWidth, textWidth } from "../terminal/wrap-text.ts";

const defaultLimit = 50;

/** Shows who changed what in a session's memory, or one change in full. */
export async function log(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("log", args);
  const revision = wholeNumber(values.revision, "revision");
  const limit = wholeNumber(values.limit, "limit", 1) ?? defaultLimit;
  return withMemory("read", values, async (memory) => {
    const session = await pickSession(memory, positionals[0]);
    if (revision !== undefined) await printEntry(session, revision, values);
    else if (values.json) printJson(await session.history({ limit }));
    else await printJournal(session, limit);
    return 0;
  });
}

/** Undoes the last change, or the change of one revision. */
export async function undo(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("undo", args);
  const target = wholeNumber(values.revision, "revision");
  return withMemory("change", values, async (memory) => {
    const session = await pickSession(memory, positionals[0]);
    const { result, revision } = await session.undo(target, asPerson);
    const [undone] = await session.history({ from: result.undone, to: result.undone });
    const what = undone ? describeEntry(undone, await stateAt(session, result.undone)) : "";
    const diff = await session.diff(revision - 1, revision);
    print(values, { session: session.id, undone: result.undone, revision }, (screen) => [
      `Undid revision ${result.undone} of ${session.id}. ${visibleLine(what)}`,
      `"${commandName()} undo ${session.id} --revision ${revision}" restores it.`,
      ...renderDiff(diff, screen),
    ]);
    return 0;
  });
}

/** A change of memory, in a sentence. */
interface Line {
  entry: JournalEntry;
  sentence: string;
}

async function printJournal(session: Session, limit: number): Promise<void> {
  const { lines, hasMore } = await readJournal(session, limit);
  const start = await session.historyStart();
  printLines((screen) => [
    ...[...Map.groupBy(lines, ({ entry }) => dayOf(entry.at))].flatMap(([day, group], index) => [
      ...(index === 0 ? [] : [""]),
      screen.paint("bold", day),
      ...group.map((line) => renderLine(line, screen)),
    ]),
    ...(hasMore ? ["", "Older changes: raise --limit."] : []),
    ...(start && !hasMore ? ["", sayHistoryStart(session.id, start)] : []),
  ]);
}

const pageSize = 200;

/** The newest changes of memory; the conversation's bookkeeping is left out. */
async function readJournal(session: Session, limit: number): Promise<{ lines: Line[]; hasMore: boolean }> {
  const lines: Line[] = [];
  let state = await session.state();
  for (let to: number = state.row.revision; to > 0; ) {
    const page = await session.history({ to, limit: pageSize });
    for (const entry of page) {
      if (isOfMemory(entry)) {
        if (lines.length === limit) return { lines, hasMore: true };
        lines.push({ entry, sentence: visibleLine(describeEntry(entry, state)) });
      }
      state = revertChanges(state, entry.changes);
    }
    to = page.length < pageSize ? 0 : (page.at(-1)?.revision ?? 1) - 1;
  }
  return { lines, hasMore: false };
}

function isOfMemory({ operation }: JournalEntry): boolean {
  return !/^(?:context|messages?|results?)\./.test(operation.type);
}

async function printEntry(session: Session, revision: number, values: { json: boolean }): Promise<void> {
  const [entry] = await session.history({ from: revision, to: revision });
  if (!entry) throw await missingRevision(session, revision);
  const state = await stateAt(session, revision);
  const changes = revision > 1 ? await session.diff(revision - 1, revision) : undefined;
  const facts = [`revision ${revision}`, writerOf(entry.actor), `${dayOf(entry.at)} ${timeOf(entry.at)}`];
  print(values, [entry], (screen) => {
    const diff = changes ? renderDiff(changes, screen) : [];
    return [
      screen.paint("bold", visibleLine(describeEntry(entry, state))),
      screen.paint("dim", dotted(facts)),
      ...diff,
      ...(diff.length === 0 || isCut(entry, state) ? renderOperation(entry, screen) : []),
    ];
  });
}

async function missingRevision(session: Session, revision: number): Promise<HoldfastError> {
  const start = await session.historyStart();
  if (start && revision >= 1 && revision < start.revision) {
    return new HoldfastError(
      "history_removed",
      `Revision ${revision} cannot be read any more. ${sayHistoryStart(session.id, start)}`,
      { data: { revision, begins: start.revision } },
    );
  }
  return new HoldfastError(
    "not_found",
    `Session ${session.id} has no revision ${revision}. Run "holdfast log ${session.id}" to list its revisions.`,
  );
}

/** Whether memory kept less than was written; the journal has all of it. */
function isCut({ operation }: JournalEntry, state: State): boolean {
  const content = "content" in operation && typeof operation.content === "string" ? operation.content : "";
  const texts = (["notepad", "space/plan", "space/notes"] as const).map((target) => readText(state, target));
  return operation.type.startsWith("scratchpad.") && !texts.some((text) => text.includes(content));
}

/** The written values, field by field. */
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

function renderLine({ entry: { at, revision, actor }, sentence }: Line, screen: Screen): string {
  const time = `  ${timeOf(at)}`;
  const writer = padToWidth(cutToWidth(writerOf(actor), 8), 8);
  const number = String(revision).padStart(5);
  const lead = `${time}  ${number}  ${writer}  `;
  const room = Math.max(20, screen.width - textWidth(lead));
  const text = Number.isFinite(room) ? cutToWidth(sentence, room) : sentence;
  return `${screen.paint("dim", time)}  ${number}  ${screen.paint(styles[actor.kind], writer)}  ${text}`;
}

function writerOf({ kind, name }: JournalEntry["actor"]): string {
  return name ?? (kind === "system" ? "holdfast" : kind);
}

function dayOf(at: number): string {
  const date = new Date(at);
  const weekday = date.toLocaleDateString("en-US", { weekday: "long" });
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, "0"));
  return `${weekday}, ${date.getFullYear()}-${month}-${day}`;
}

function timeOf(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((number) => String(number).padStart(2, "0")).join(":");
}
