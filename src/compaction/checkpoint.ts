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

/** A checkpoint is small on purpose: the model reads it on every call of the next epoch. */
export const checkpointTokens = 600;

export interface CheckpointInput {
  state: State;
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The last message to remove. */
  to: number;
  /** The previous checkpoint; facts that are still true carry over. */
  earlier?: Checkpoint | undefined;
  countTokens: (text: string) => number;
}

/** Extracts, without a model, the facts worth keeping from the messages about to be removed. */
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

/** New items first, then known ones, without duplicates. */
function merged(fresh: readonly string[], known: readonly string[] = [], limit: number): string[] {
  return [...new Set([...fresh, ...known])].slice(0, limit);
}

function identifiersOf(messages: readonly StoredMessage[]): string[] {
  return namesFirst(findIdentifiers(messages.map(({ message }) => plainTextOf(message)).join("\n"))).map(
    ({ text }) => text,
  );
}

type Facts = Omit<Checkpoint, "epoch" | "text" | "askedIn">;

/** Heading and allowed lengths of each fact, longest first; paths and identifiers are never cut, half of one is useless. */
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

/** Estimated counts can be too low, far too low in scripts where tokenizers spend a token per byte. */
function upperBound(text: string, countTokens: (text: string) => number): number {
  const rare = text.match(rareCharacters)?.length ?? 0;
  return countTokens(text) * 1.25 + rare * 3;
}

/** More would not fit, and trying them is slow. */
const maxListed = 60;

const rareCharacters =
  /[^\p{ASCII}\u0080-\u024f\u0370-\u06ff\u0900-\u0d7f\u0e00-\u0e7f\u10a0-\u10ff\u1e00-\u200a\u2010-\u2027\u3000-\u312f\u4e00-\u9fff\uac00-\ud7af\uff00-\uff9f]/gu;

/** Most important line first. No line, and no fact in a line, takes more than half of the remaining budget. */
function render(facts: Facts, countTokens: (text: string) => number): string {
  const open = "[Checkpoint, written down before the conversation was compacted]";
  const close = "[End of checkpoint]";
  let text = open;
  for (const [name, heading, lengths] of headings) {
    const size = (line: string) => upperBound(`${text}\n${line}${close}`, countTokens);
    // Identifiers come last and may use all that is left.
    const lineLimit = name === "identifiers" ? checkpointTokens : (size("") + checkpointTokens) / 2;
    let line = "";
    // Skip identifiers that an earlier line already shows.
    const listed = name === "identifiers" ? facts[name].filter((fact) => !text.includes(fact)) : facts[name];
    for (const [index, fact] of listed.slice(0, maxListed).entries()) {
      const before = line === "" ? `${heading}: ` : `${line}; `;
      const limit = index === listed.length - 1 ? lineLimit : (size(`${line}\n`) + lineLimit) / 2;
      line =
        lengths
          .map((length) => before + fenceLine(fact, length))
          .find((longer) => size(`${longer}\n`) <= limit) ?? line;
    }
    if (line !== "") text += `\n${line}`;
  }
  return text === open ? `${open}\nNothing to carry over.\n${close}` : `${text}\n${close}`;
}

/**
 * The user's requests since the assistant's last final answer, up to message `to`, newest first. Without an answer since
 * the last compaction, the requests that were open then are still open.
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
      // Single-tool editors name the action in a `command` field.
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

/** The files named in a patch, as in `*** Update File: src/a.ts` and `+++ b/src/a.ts`. */
function patchedFiles(input: unknown): string[] {
  return textsIn(input).flatMap((text) =>
    [...text.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ b\/)(\S.*)$/gm)].map(([, path = ""]) =>
      path.trim(),
    ),
  );
}

/** The commands whose latest run failed, newest first. `ranAgain` says whether an earlier failure was run again. */
function commandOutcomes(messages: readonly StoredMessage[]): {
  failed: string[];
  ranAgain: (line: string) => boolean;
} {
  const calls = new Map(messages.flatMap(toolCallsOf).map((call) => [call.id, call]));
  const outcomes = new Map<string, string | undefined>();
  for (const { id, text, isError } of messages.flatMap(toolResultsOf).toReversed()) {
    const { line, isCommand } = commandLine(calls.get(id));
    // Only look for an exit code in command output, not in the content of a file.
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
  // A "command" with a path belongs to an editor, not to a shell.
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
    const item = /^\s*(?:[-*]|\d+[.)])\s+(?:\[([ xX~-])\]\s+)?(.+)$/s.exec(line);
    if (!item) continue;
    const [, box, text = ""] = item;
    const isClosed = (box ?? " ") !== " " || /~~.+~~|\b(?:DONE|CANCELLED|CANCELED)\b/.test(text);
    const isPlan = box !== undefined || /^\s*\d/.test(line);
    if (isClosed) closed.push(text);
    else if (isPlan) open.push(text);
  }
  // Newest first: most plans end with the item finished last, the one most likely to be redone.
  return { open, closed: closed.reverse() };
}
