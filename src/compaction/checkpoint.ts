import {
  isFinalAnswer,
  plainTextOf,
  type StoredMessage,
  spokenText,
  type ToolCall,
  textsIn,
  toolCallsOf,
  toolResultsOf,
} from "../context/conversation.ts";
import { fenceLine } from "../context/fence.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { Checkpoint } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import { findIdentifiers, namesFirst } from "./identifiers.ts";

/** A checkpoint is small on purpose: it is read on every call of the epoch that follows. */
export const checkpointTokens = 600;

export interface CheckpointInput {
  state: State;
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The last message to go. */
  to: number;
  /** The checkpoint before this one: what still holds of it is carried on. */
  earlier?: Checkpoint | undefined;
  countTokens: (text: string) => number;
}

/** What can be said without a model about the messages that are about to go. */
export function planCheckpoint({ state, messages, to, earlier, countTokens }: CheckpointInput): Checkpoint {
  const removed = messages.filter(({ number }) => number <= to);
  const files = touchedFiles(removed);
  const plan = planItems(state);
  const commands = commandOutcomes(removed);
  const filesWritten = merged(files.written, earlier?.filesWritten, 40);
  const facts = {
    openAsks: openAsks(messages, to, earlier?.openAsks),
    openTasks: readTasks(state).map(([, { description }]) => description),
    planOpen: plan.open,
    planClosed: plan.closed,
    filesWritten,
    filesRead: merged(files.read, earlier?.filesRead, 40).filter((path) => !filesWritten.includes(path)),
    failedCommands: merged(
      commands.failed,
      earlier?.failedCommands.filter((line) => !commands.ranAgain(line)),
      20,
    ),
    identifiers: merged(identifiersOf(removed), earlier?.identifiers, 60),
  };
  return { epoch: readEpoch(state).number, text: render(facts, countTokens), ...facts };
}

/** The new ones first, then those that were known before, each once. */
function merged(fresh: readonly string[], known: readonly string[] = [], most: number): string[] {
  return [...new Set([...fresh, ...known])].slice(0, most);
}

function identifiersOf(messages: readonly StoredMessage[]): string[] {
  return namesFirst(findIdentifiers(messages.map(({ message }) => plainTextOf(message)).join("\n"))).map(
    ({ text }) => text,
  );
}

type Facts = Omit<Checkpoint, "epoch" | "text">;

/** How each is shown, and to how many characters a fact may be cut; half a path or identifier is of no use. */
const headings: [name: keyof Facts, heading: string, lengths: number[]][] = [
  ["openAsks", "Asked and not answered yet", [1_200, 300, 150, 60]],
  ["openTasks", "Open tasks", [160, 40]],
  ["planOpen", "Still to do", [160, 40]],
  ["planClosed", "Done or cancelled, do not redo", [160, 40]],
  ["filesWritten", "Files written", [160]],
  ["failedCommands", "Commands that failed", [160, 40]],
  ["filesRead", "Files read", [160]],
  ["identifiers", "Identifiers", [160]],
];

/**
 * Counts may be estimates, which are a little short at times, and far too short in scripts that tokenizers hardly know:
 * there each byte is a token.
 */
function atMost(text: string, countTokens: (text: string) => number): number {
  const rare = text.match(rareCharacters)?.length ?? 0;
  return countTokens(text) * 1.25 + rare * 3;
}

/** More would not fit, and would take long to try. */
const mostListed = 60;

const rareCharacters =
  /[^\p{ASCII}\u0080-\u024f\u0370-\u06ff\u0900-\u0d7f\u0e00-\u0e7f\u10a0-\u10ff\u1e00-\u200a\u2010-\u2027\u3000-\u312f\u4e00-\u9fff\uac00-\ud7af\uff00-\uff9f]/gu;

/** Line by line, most important first; no line, and no fact in it, takes more than half of what is left, so that a long one starves nobody. */
function render(facts: Facts, countTokens: (text: string) => number): string {
  const open = "[Checkpoint, written down before the conversation was compacted]";
  const close = "[End of checkpoint]";
  let text = open;
  for (const [name, heading, lengths] of headings) {
    const size = (line: string) => atMost(`${text}\n${line}${close}`, countTokens);
    // The last one leaves nothing to others.
    const most = name === "identifiers" ? checkpointTokens : (size("") + checkpointTokens) / 2;
    let line = "";
    // What stands there already need not be listed once more.
    const wanted = name === "identifiers" ? facts[name].filter((fact) => !text.includes(fact)) : facts[name];
    for (const [index, fact] of wanted.slice(0, mostListed).entries()) {
      const before = line === "" ? `${heading}: ` : `${line}; `;
      const left = index === wanted.length - 1 ? most : (size(`${line}\n`) + most) / 2;
      line =
        lengths
          .map((length) => before + fenceLine(fact, length))
          .find((longer) => size(`${longer}\n`) <= left) ?? line;
    }
    if (line !== "") text += `\n${line}`;
  }
  return text === open ? `${open}\nNothing to carry over.\n${close}` : `${text}\n${close}`;
}

/**
 * What the user asked since the assistant last finished an answer, up to one message; newest first. As long as
 * nothing was answered, what was open at the last compaction still is.
 */
export function openAsks(
  messages: readonly StoredMessage[],
  to = Number.POSITIVE_INFINITY,
  earlier: readonly string[] = [],
): string[] {
  const asks: string[] = [];
  for (const stored of messages.toReversed()) {
    const text = spokenText(stored.message).trim();
    if (text === "") continue;
    if (isFinalAnswer(stored)) return [...new Set(asks)];
    if (stored.message.role === "user" && stored.number <= to) asks.push(text);
  }
  return [...new Set([...asks, ...earlier])];
}

const pathFields = ["path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file"];
const listFields = ["paths", "file_paths", "filePaths", "files"];
const writingTools = /write|edit|create|patch|replace|delete|move|rename|append|save|update/i;

function touchedFiles(messages: readonly StoredMessage[]): { read: string[]; written: string[] } {
  const read = new Set<string>();
  const written = new Set<string>();
  for (const stored of messages.toReversed()) {
    for (const { tool, input } of toolCallsOf(stored)) {
      const fields = fieldsOf(input);
      // Editors that are one tool for all say in a command what they do.
      const touched = writingTools.test(tool) && fields.command !== "view" ? written : read;
      for (const path of pathsIn(fields)) touched.add(path);
      for (const path of patchedFiles(input)) written.add(path);
    }
  }
  return { read: [...read], written: [...written] };
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
}

function pathsIn(fields: Record<string, unknown>): string[] {
  const isPath = (value: unknown): value is string => typeof value === "string" && value !== "";
  const path = pathFields.map((name) => fields[name]).find(isPath);
  const list = listFields.map((name) => fields[name]).find((value) => Array.isArray(value)) ?? [];
  return [...(path === undefined ? [] : [path]), ...list.filter(isPath)];
}

/** The files that a patch names, as in `*** Update File: src/a.ts` and `+++ b/src/a.ts`. */
function patchedFiles(input: unknown): string[] {
  return textsIn(input).flatMap((text) =>
    [...text.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ b\/)(\S.*)$/gm)].map(([, path = ""]) =>
      path.trim(),
    ),
  );
}

/** The commands whose newest run failed, newest first; `ranAgain` tells those of before that were. */
function commandOutcomes(messages: readonly StoredMessage[]): {
  failed: string[];
  ranAgain: (line: string) => boolean;
} {
  const calls = new Map(messages.flatMap(toolCallsOf).map((call) => [call.id, call]));
  const outcomes = new Map<string, string | undefined>();
  for (const { id, text, isError } of messages.flatMap(toolResultsOf).toReversed()) {
    const { line, isCommand } = commandLine(calls.get(id));
    // What a command prints tells how it ended; what a file says does not.
    const exit = isCommand
      ? /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?"?\s?[:=]?\s?([1-9]\d{0,2})\b/i.exec(text)?.[1]
      : undefined;
    if (!outcomes.has(line))
      outcomes.set(line, isError || exit ? `${line}${exit ? ` (exit ${exit})` : ""}` : undefined);
  }
  return {
    failed: [...outcomes.values()].filter((line) => line !== undefined),
    ranAgain: (line) => outcomes.has(line.replace(/ \(exit \d+\)$/, "")),
  };
}

function commandLine(call: ToolCall | undefined): { line: string; isCommand: boolean } {
  const fields = fieldsOf(call?.input);
  const command = ["command", "cmd", "script"]
    .map((name) => (Array.isArray(fields[name]) ? fields[name].join(" ") : fields[name]))
    .find((value): value is string => typeof value === "string");
  const [path] = pathsIn(fields);
  // A command on a file is an editor's: no line for a shell.
  const isCommand = command !== undefined && path === undefined;
  return {
    line: isCommand ? command : [call?.tool ?? "a tool", path].filter(Boolean).join(" "),
    isCommand,
  };
}

/** Check lists and numbered plans in the plan space and the notepad. */
function planItems(state: State): { open: string[]; closed: string[] } {
  const open: string[] = [];
  const closed: string[] = [];
  for (const line of `${readScratchpad(state).plan}\n${state.row.notepad ?? ""}`.split("\n")) {
    const item = /^\s*(?:[-*]|\d+[.)])\s+(?:\[([ xX~-])\]\s+)?(.+)$/.exec(line);
    if (!item) continue;
    const [, box, text = ""] = item;
    const isClosed = (box ?? " ") !== " " || /~~.+~~|\b(?:DONE|CANCELLED|CANCELED)\b/.test(text);
    const isPlan = box !== undefined || /^\s*\d/.test(line);
    if (isClosed) closed.push(text);
    else if (isPlan) open.push(text);
  }
  // What was finished last stands last in most plans, and is what would be redone first.
  return { open, closed: closed.reverse() };
}
