import { linesInContext } from "../../compaction/receipt.ts";
import { originLine } from "../../context/origin-line.ts";
import { type ForeignLines, foreignLines } from "../../engine/origins.ts";
import type { OpenTask, Receipt } from "../../engine/records.ts";
import type { SessionRow } from "../../engine/state.ts";
import { countCharacters } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { commandName } from "../../hosts/install/launcher.ts";
import type { MemorySnapshot } from "../../sessions/history.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import { type ListedPin, listPins } from "../../surfaces/pins/operations.ts";
import { readTasks } from "../../surfaces/tasks/operations.ts";
import { storeName } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { withMemory } from "../memory.ts";
import { pickSession, stateAt } from "../pick-session.ts";
import { ageOf, count, counted } from "../terminal/quantities.ts";
import { renderInline, renderMarkdown } from "../terminal/render-markdown.ts";
import { print, type Screen } from "../terminal/screen.ts";
import { homePath, visibleLine, visibleText } from "../terminal/visible-text.ts";
import { dotted, wrapLine } from "../terminal/wrap-text.ts";
import { pinLines } from "./pin.ts";

/** More notes are shown with --all. */
const maxNotes = 50;

interface Shown {
  row: Readonly<SessionRow>;
  snapshot: MemorySnapshot;
  pins: ListedPin[];
  tasks: OpenTask[];
  /** The lines of the notepad that the agent did not write. */
  foreign: ForeignLines[];
  origin: string;
  /** When its revision was written. */
  at: number;
  /** The facts of the last compaction. None for an earlier state. */
  receipt: Receipt | undefined;
}

/** Shows a session's memory, or one of its compactions. */
export async function show(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("show", args);
  const revision = wholeNumber(values.revision, "revision");
  const epoch = wholeNumber(values.compaction, "compaction");
  return withMemory("read", values, async (memory) => {
    const session = await pickSession(memory, positionals[0]);
    if (epoch !== undefined) {
      await printReceipt(session, epoch, values);
      return 0;
    }
    const shown = await readMemory(session, revision);
    const store = storeName(findWorkspace({ flags: values }).store);
    const mostNotes = values.all ? shown.snapshot.notes.length : maxNotes;
    print(values, { ...jsonOf(shown), store }, (screen) => [
      ...render(shown, memory, mostNotes, screen),
      "",
      `Stored in ${visibleLine(homePath(store))}`,
    ]);
    return 0;
  });
}

/** One compaction: its facts, and its handoff as the agent got it. */
async function printReceipt(session: Session, epoch: number, values: { json: boolean }): Promise<void> {
  const receipts = await session.receipts();
  const receipt = receipts.find((each) => each.epoch === epoch);
  if (!receipt) {
    const known = receipts.map((each) => each.epoch).join(", ") || "none";
    throw new HoldfastError(
      "not_found",
      `Session ${session.id} has no compaction ${epoch}. Its compactions with a receipt: ${known}.`,
      { data: { epoch } },
    );
  }
  const [handoff] = await session.records("handoff", [String(epoch)]);
  const text = session.hideSecrets(handoff?.value.text ?? "");
  print(values, { session: session.id, ...receiptJson(receipt), handoff: text }, (screen) => [
    ...renderReceipt(receipt, screen),
    ...(text === "" ? [] : ["", ...visibleText(text).split("\n")]),
  ]);
}

/** A session's memory as it is now, as `holdfast show` prints it. */
export async function memoryLines(session: Session, memory: Memory, screen: Screen): Promise<string[]> {
  return render(await readMemory(session, undefined), memory, maxNotes, screen);
}

async function readMemory(session: Session, revision: number | undefined): Promise<Shown> {
  const now = await session.state();
  const snapshot = await session.at(revision ?? now.row.revision);
  const then = await stateAt(session, snapshot.revision);
  const [entry] = await session.history({ from: snapshot.revision, to: snapshot.revision });
  return {
    row: then.row,
    snapshot,
    foreign: foreignLines(then, "notepad"),
    origin: originLine(then, "notepad", "notepad"),
    tasks: readTasks(then).map(([, task]) => task),
    pins: listPins(then),
    at: entry?.at ?? now.row.updatedAt,
    receipt: revision === undefined ? (await session.receipts()).at(-1) : undefined,
  };
}

function jsonOf({ row, snapshot, tasks, pins, foreign, receipt }: Shown) {
  const { id, title, agent, status, origin, parent, createdAt, updatedAt } = row;
  return {
    session: { id, title, agent, status, origin, parent, createdAt, updatedAt },
    revision: snapshot.revision,
    pins,
    notepad: snapshot.notepad,
    notepadOrigins: foreign,
    scratchpad: snapshot.scratchpad,
    notes: snapshot.notes.map(({ updated: _updated, ...note }) => note),
    tasks: tasks.map(({ description, depth }) => ({ description, depth })),
    compaction: receipt ? receiptJson(receipt) : null,
  };
}

const indent = "  ";

function render(
  { row, snapshot, tasks, pins, origin, at, receipt }: Shown,
  memory: Memory,
  mostNotes: number,
  screen: Screen,
): string[] {
  const { notepad, scratchpad, notes } = snapshot;
  const { paint } = screen;
  const facts = [
    ...(row.title === null ? [] : [row.id]),
    snapshot.revision === row.revision
      ? `revision ${row.revision}`
      : `revision ${snapshot.revision} of ${row.revision}`,
    `changed ${ageOf(at)}`,
    ...(row.status === "active" ? [] : [row.status]),
    ...(row.parent === null ? [] : [`child of ${row.parent}`]),
  ];
  const { limits } = memory.setting;
  const written = [
    ...section("Pins", pins.length, undefined, screen, () =>
      pinLines(pins).map((line) => bullet(line, screen)),
    ),
    ...section("Notepad", countCharacters(notepad ?? ""), limits.notepadCharacters, screen, () => [
      ...renderMarkdown(notepad ?? "", indent, screen),
      ...(origin === "" ? [] : [indent + paint("dim", origin)]),
    ]),
    ...section("Plan", countCharacters(scratchpad.plan), limits.spacePlanCharacters, screen, () =>
      renderMarkdown(scratchpad.plan, indent, screen),
    ),
    ...section("Scratchpad", countCharacters(scratchpad.notes), limits.spaceNotesCharacters, screen, () =>
      renderMarkdown(scratchpad.notes, indent, screen),
    ),
    ...section("References", scratchpad.refs.length, undefined, screen, () =>
      scratchpad.refs.map((ref) => bullet(visibleLine(ref), screen)),
    ),
    ...section("Open tasks", tasks.length, undefined, screen, () =>
      tasks.map(({ description, depth }) => bullet(visibleLine(description), screen, depth - 1)),
    ),
    ...section("Notes", notes.length, undefined, screen, () => [
      ...notes
        .slice(0, mostNotes)
        .flatMap((note, index) => [...(index === 0 ? [] : [""]), ...renderNote(note, screen)]),
      ...(notes.length > mostNotes ? ["", indent + paint("dim", olderNotes(notes.length - mostNotes))] : []),
    ]),
  ];
  return [
    paint(["bold", "cyan"], visibleLine(row.title ?? row.id)),
    paint("dim", dotted(facts)),
    ...(written.length > 0 ? written : ["", "Nothing has been written yet."]),
    ...(receipt
      ? [
          "",
          ...renderReceipt(receipt, screen),
          indent +
            paint(
              "dim",
              `"${commandName()} show ${row.id} --compaction ${receipt.epoch}" prints its handoff.`,
            ),
        ]
      : []),
  ];
}

/** A section with its size in the heading; no lines if it is empty. */
function section(
  name: string,
  size: number,
  limit: number | undefined,
  screen: Screen,
  body: () => string[],
): string[] {
  if (size === 0) return [];
  const amount = limit === undefined ? count(size) : `${count(size)} of ${count(limit)} characters`;
  return ["", `${screen.paint("bold", name)}  ${screen.paint("dim", amount)}`, ...body()];
}

function olderNotes(left: number): string {
  return `${counted(left, "older note")} not shown: --all shows every note, "${commandName()} search TEXT" finds one.`;
}

function renderNote({ id, content, tags, updatedAt }: Note, screen: Screen): string[] {
  const { paint } = screen;
  const shown = tags.map((tag) => paint("magenta", `#${visibleLine(tag)}`));
  const heading = [paint("dim", id), ...shown, paint("dim", dotted([ageOf(updatedAt)]))];
  return [indent + heading.join(" "), ...renderMarkdown(content, indent + indent, screen)];
}

function bullet(text: string, screen: Screen, depth = 0): string {
  return `${indent}${"  ".repeat(depth)}• ${renderInline(text, screen)}`;
}

/** The facts of a compaction, for programs. */
function receiptJson({ epoch, line: _line, ...facts }: Receipt) {
  const { verified = null, mismatch = null } = facts;
  return { compaction: epoch, ...facts, verified, mismatch };
}

/** The facts of a receipt, one in a line. */
export function renderReceipt(receipt: Receipt, screen: Screen): string[] {
  const { paint } = screen;
  const { epoch, tokensBefore, tokensAfter } = receipt;
  const facts = [`${count(tokensBefore)} → ${count(tokensAfter)} tokens`, checkOf(receipt)];
  return [
    paint(["bold", "cyan"], `Compaction ${epoch}`),
    indent + paint("dim", dotted(facts)),
    ...receiptFacts(receipt).flatMap(([name, fact]) =>
      wrapLine(`${indent}${name.padEnd(14)}${visibleLine(fact)}`, screen, " ".repeat(16)),
    ),
  ];
}

/** Where the messages and the notepad are after a compaction, in the three words for it. */
function receiptFacts(receipt: Receipt): [name: string, fact: string][] {
  const { messages, rest, readWith, user, notepad, warning, skipped } = receipt;
  const read = readWith === "" ? rest : `${rest} with ${readWith}`;
  const said = user.whole + user.cut + user.leftOut;
  const parts = [
    `${user.whole} in context`,
    user.cut === 0 ? "" : `${user.cut} in context without the middle`,
    user.leftOut === 0 ? "" : `${user.leftOut} ${rest}`,
  ].filter((part) => part !== "");
  return [
    ["messages", messages === 0 ? "could not be read" : `${counted(messages, "message")} removed, ${read}`],
    ...(said === 0 ? [] : [["user's words", parts.join(", ")] as [string, string]]),
    ...(notepad.lines === 0 ? [] : [["notepad", notepadFact(notepad)] as [string, string]]),
    ["warning", warning === "given" ? "given" : `not given: ${skipped}`],
  ];
}

function notepadFact(notepad: Receipt["notepad"]): string {
  const [shown, all] = [linesInContext(notepad), notepad.lines];
  if (shown === all) return `${counted(all, "line")} in context`;
  return `${shown} of ${all} lines in context, the rest retrievable with read_notepad`;
}

function checkOf({ verified, mismatch, trigger }: Receipt): string {
  if (verified) return `verified in the request of call ${verified.call}`;
  if (mismatch)
    return `NOT verified: the request of call ${mismatch.call} lacks ${counted(mismatch.lacks.length, "part")}`;
  return trigger === "host" ? "not verified: the coding agent sends the requests" : "not verified yet";
}
