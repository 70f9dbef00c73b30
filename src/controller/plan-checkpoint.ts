import { fenceContent } from "../context/fence.ts";
import { type Checkpoint, readEpoch, readTasks } from "../engine/conversation.ts";
import { readScratchpad } from "../engine/scratchpad.ts";
import type { State } from "../engine/state.ts";
import { type StoredMessage, spokenText, textOf, toolCallsOf, toolResultsOf } from "./conversation.ts";
import { findIdentifiers } from "./plan-identifiers.ts";

/** A checkpoint is small on purpose: it is read on every call of the epoch that follows. */
export const checkpointTokens = 600;

/** What can be said without a model about the messages that are about to go. */
export function planCheckpoint(
  state: State,
  messages: readonly StoredMessage[],
  countTokens: (text: string) => number,
): Checkpoint {
  const files = touchedFiles(messages);
  const plan = planItems(state);
  const facts = {
    openAsks: openAsks(messages),
    openTasks: readTasks(state).map(([, { description }]) => description),
    planOpen: plan.open,
    planClosed: plan.closed,
    filesWritten: files.written,
    filesRead: files.read.filter((path) => !files.written.includes(path)),
    failedCommands: failedCommands(messages),
    identifiers: findIdentifiers(messages.map(({ message }) => textOf(message)).join("\n"))
      .map(({ text }) => text)
      .slice(0, 60),
  };
  return { epoch: readEpoch(state).number, text: render(facts, countTokens), ...facts };
}

type Facts = Omit<Checkpoint, "epoch" | "text">;

const headings: [name: keyof Facts, heading: string][] = [
  ["openAsks", "Asked and not answered yet"],
  ["openTasks", "Open tasks"],
  ["planOpen", "Still to do"],
  ["planClosed", "Done or cancelled, do not redo"],
  ["filesWritten", "Files written"],
  ["failedCommands", "Commands that failed"],
  ["filesRead", "Files read"],
  ["identifiers", "Identifiers"],
];

/** Line by line, most important first, until the budget is used up. */
function render(facts: Facts, countTokens: (text: string) => number): string {
  const open = "[Checkpoint, written down before the conversation was compacted]";
  const close = "[End of checkpoint]";
  let text = open;
  for (const [name, heading] of headings) {
    const wanted = facts[name];
    let line = "";
    for (const fact of wanted) {
      const next = `${line === "" ? `${heading}: ` : `${line}; `}${oneLine(fact, name === "openAsks" ? 600 : 160)}`;
      if (countTokens(`${text}\n${next}\n${close}`) > checkpointTokens) break;
      line = next;
    }
    if (line !== "") text += `\n${line}`;
  }
  return text === open ? `${open}\nNothing to carry over.\n${close}` : `${text}\n${close}`;
}

function oneLine(text: string, most: number): string {
  const line = fenceContent(text.replaceAll(/\s+/g, " ").trim());
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
}

/** What the user asked since the assistant last finished an answer; newest first. */
export function openAsks(messages: readonly StoredMessage[]): string[] {
  const asks: string[] = [];
  for (const { message } of messages.toReversed()) {
    if (message.role === "user") {
      const text = spokenText(message).trim();
      if (text !== "") asks.push(text);
    } else if (message.role === "assistant" && !hasToolCall(message) && spokenText(message).trim() !== "") break;
  }
  return asks;
}

function hasToolCall(message: StoredMessage["message"]): boolean {
  return typeof message.content !== "string" && message.content.some(({ type }) => type === "tool-call");
}

const pathFields = ["path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file"];

function touchedFiles(messages: readonly StoredMessage[]): { read: string[]; written: string[] } {
  const read = new Set<string>();
  const written = new Set<string>();
  for (const stored of messages.toReversed()) {
    for (const { tool, input } of toolCallsOf(stored)) {
      const fields = (input ?? {}) as Record<string, unknown>;
      const path = pathFields.map((name) => fields[name]).find((value): value is string => typeof value === "string");
      if (path) (/write|edit|create|patch|replace|delete|move|rename/i.test(tool) ? written : read).add(path);
    }
  }
  return { read: [...read], written: [...written] };
}

function failedCommands(messages: readonly StoredMessage[]): string[] {
  const commands = new Map<string, string>();
  for (const stored of messages) {
    for (const { id, tool, input } of toolCallsOf(stored)) {
      const { command, cmd, script } = (input ?? {}) as Record<string, unknown>;
      const line = [command, cmd, script].find((value): value is string => typeof value === "string");
      commands.set(id, line ?? tool);
    }
  }
  const failed: string[] = [];
  for (const stored of messages.toReversed()) {
    for (const { id, text, isError } of toolResultsOf(stored)) {
      const exit = /\bexit(?:ed)?(?: with)?(?: code| status)?:? ?([1-9]\d{0,2})\b/i.exec(text)?.[1];
      if (isError || exit) failed.push(`${commands.get(id) ?? "a tool"}${exit ? ` (exit ${exit})` : ""}`);
    }
  }
  return [...new Set(failed)];
}

/** Check lists and numbered plans in the plan space and the notepad. */
function planItems(state: State): { open: string[]; closed: string[] } {
  const open: string[] = [];
  const closed: string[] = [];
  for (const line of `${readScratchpad(state).plan}\n${state.row.notepad ?? ""}`.split("\n")) {
    const item = /^\s*(?:[-*]|\d+[.)])\s+(?:\[([ xX~-])\]\s+)?(.+)$/.exec(line);
    if (!item) continue;
    const [, box, text = ""] = item;
    const isClosed = box === undefined ? /~~.+~~|\b(?:DONE|CANCELLED|CANCELED)\b/.test(text) : box !== " ";
    const isPlan = box !== undefined || /^\s*\d/.test(line);
    if (isClosed) closed.push(text);
    else if (isPlan) open.push(text);
  }
  return { open, closed };
}
