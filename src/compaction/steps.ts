import type { StoredMessage } from "../context/conversation.ts";
import { fenceLine } from "../context/fence.ts";
import { type ToldResult, toldMessages } from "../context/told-messages.ts";
import { isObject } from "../engine/json.ts";
import { mapStrings } from "../engine/map-strings.ts";
import { oneLine, spliceBetween } from "../engine/text.ts";
import { redactText } from "../secrets/redact.ts";
import { cutLine, describeOutcome } from "./outcome.ts";
import { isPlanTool } from "./plan.ts";
import { userWords } from "./user-words.ts";

/** Something that happened in the conversation. It renders itself, because most steps are never shown. */
export interface Step {
  kind: "user" | "words" | "call";
  /** The agent's words end a turn, or close a task: they say what came of it. */
  isEnd: boolean;
  failed: boolean;
  /** The summary of a task that it closed. */
  closes?: string;
  /** One line of about this many characters, safe to inject. */
  render(characters: number): string;
}

/** Tools of Holdfast itself: what they wrote is shown as memory. */
const memoryTools = new Set(
  (
    "read_notepad write_notepad update_notepad add_note scratch_note search_notes list_notes update_note delete_note " +
    "list_tags pin unpin list_pins clear_result recall_result recall session.scratchpad session_scratchpad " +
    "recover_context log_decision log_entry log_handoff"
  ).split(" "),
);

function isMemoryTool(name: string): boolean {
  return memoryTools.has(name) || /holdfast/i.test(name);
}

type Fields = Record<string, unknown>;

/** How steps are told. */
interface Telling {
  /** Where the agent works, which paths need not repeat. */
  folder: string | undefined;
  /** Takes secrets out of a text. */
  hide: (text: string) => string;
}

/**
 * The steps of a conversation in order. A call that was repeated in a row is one step with a count, and a finished task is
 * one step with its outcome.
 */
export function readSteps(messages: readonly StoredMessage[], telling: Partial<Telling> = {}): Step[] {
  const list = new StepList({ folder: telling.folder, hide: telling.hide ?? redactText });
  for (const { stored, parts } of toldMessages(messages)) {
    if (stored.inWarning) continue;
    const said = userWords(stored);
    if (said !== "") list.addUser(said);
    if (stored.message.role !== "assistant") continue;
    for (const part of parts) {
      if (part.type === "text") list.addWords(part.text);
      if (part.type !== "call") continue;
      const { tool, result } = part;
      const fields: Fields = isObject(part.input) ? part.input : {};
      const task = taskTool.exec(tool)?.[1];
      if (task !== undefined) list.addTask(task, fields, result);
      else if (!isMemoryTool(tool) && !isPlanTool(tool)) list.addCall({ tool, fields, result });
    }
  }
  list.endTurn();
  return list.steps;
}

/** The name as the host shows it, such as mcp__holdfast__begin_task. */
const taskTool = /(?:^|[_.:/-])(begin|end|cancel)_task$/;

class StepList {
  readonly steps: Step[] = [];
  readonly #telling: Telling;
  /** The last call, as it is told, and how often it was made. */
  #last: { key: string; count: number; step: Step } | undefined;
  /** The agent's last words in this turn. */
  #words: Step | undefined;
  /** Where the open tasks began. */
  readonly #tasks: { at: number; description: string }[] = [];

  constructor(telling: Telling) {
    this.#telling = telling;
  }

  addUser(text: string): void {
    this.endTurn();
    this.steps.push(userStep(text, this.#telling));
  }

  addWords(text: string): void {
    if (text.trim() === "") return;
    this.#words = wordsStep(text, this.#telling);
    this.steps.push(this.#words);
  }

  addCall(call: Omit<MadeCall, "count">): void {
    // Models describe the same command in other words each time.
    const { description: _description, timeout: _timeout, ...fields } = call.fields;
    const key = `${call.tool} ${JSON.stringify(fields)}`;
    const isRetry = this.#last?.key === key;
    const count = isRetry && this.#last ? this.#last.count + 1 : 1;
    if (isRetry && this.#last) this.steps.splice(this.steps.lastIndexOf(this.#last.step), 1);
    const step = callStep({ ...call, count }, this.#telling);
    this.#last = { key, count, step };
    this.steps.push(step);
  }

  /** The outcome of a task takes the place of its steps. The user's messages in it stay. */
  addTask(kind: string, { description, summary, reason }: Fields, result: ToldResult | undefined): void {
    if (result?.isError) return;
    if (kind === "begin") {
      // A call in the task is not a retry of one before it.
      this.#last = undefined;
      this.#tasks.push({ at: this.steps.length, description: String(description ?? "") });
      return;
    }
    const task = this.#tasks.pop();
    const inside = task === undefined ? [] : this.steps.splice(task.at);
    this.steps.push(...inside.filter((step) => step.kind === "user"));
    const outcome = String(summary ?? reason ?? "");
    const name = task === undefined || task.description === "" ? "a task" : `the task "${task.description}"`;
    const told = `${kind === "end" ? "Finished" : "Cancelled"} ${name}: ${outcome}`;
    this.steps.push({
      ...wordsStep(told, this.#telling),
      isEnd: true,
      ...(kind === "end" ? { closes: outcome } : {}),
    });
    [this.#last, this.#words] = [undefined, undefined];
  }

  endTurn(): void {
    if (this.#words) this.#words.isEnd = true;
    [this.#last, this.#words] = [undefined, undefined];
  }
}

/** Longer texts are searched for secrets only in the part that can be shown. */
const maxSearched = 20_000;

/** Untrusted text for one line: without secrets, and without anything that looks like a marker of ours. */
function clean(text: string, { hide }: Telling): string {
  return hide(
    text.length > 2 * maxSearched
      ? `${text.slice(0, maxSearched)}
${text.slice(-maxSearched)}`
      : text,
  );
}

function userStep(text: string, telling: Telling): Step {
  return {
    kind: "user",
    isEnd: false,
    failed: false,
    render: (characters) =>
      `User: ${fenceLine(cutLine(oneLine(clean(text, telling)), Math.min(characters, 100)))}`,
  };
}

/** Lines that agents draw. */
const rulers = /[─━═-]{3,}/g;

function wordsStep(text: string, telling: Telling): Step {
  return {
    kind: "words",
    isEnd: false,
    failed: false,
    render: (characters) =>
      `You: ${fenceLine(cutLine(oneLine(clean(text, telling).replaceAll(rulers, " ")), characters))}`,
  };
}

interface MadeCall {
  tool: string;
  fields: Fields;
  result: ToldResult | undefined;
  /** How often it was made in a row. */
  count: number;
}

function callStep({ tool, fields, result, count }: MadeCall, telling: Telling): Step {
  const { folder = "" } = telling;
  const tell = (text: string) => clean(folder.length > 1 ? text.replaceAll(`${folder}/`, "") : text, telling);
  const failed =
    result !== undefined &&
    describeOutcome(result.text, result.isError, 0, commandOf(fields) !== undefined).failed;
  return {
    kind: "call",
    isEnd: false,
    failed,
    render(characters) {
      const head = cutLine(
        oneLine(describeCall(tool, mapStrings(fields, tell), characters)),
        Math.ceil(characters * 0.55),
      );
      const times = count > 1 ? ` (${count} times)` : "";
      const room = characters - Math.min(head.length, Math.ceil(characters * 0.55));
      const outcome =
        result === undefined
          ? "(no result)"
          : outcomeOf(tool, fields, { ...result, text: tell(result.text) }, room);
      return `- ${fenceLine(head)}${times}${outcome === "" ? "" : ` → ${fenceLine(outcome)}`}`;
    },
  };
}

function outcomeOf(tool: string, fields: Fields, { text, isError }: ToldResult, room: number): string {
  const outcome = describeOutcome(text, isError, room, commandOf(fields) !== undefined);
  if (outcome.failed) return outcome.text;
  // The beginning of a file tells little, unless that is all of it. That an edit was made is known.
  if (isRead(tool, fields)) {
    const count = text.split("\n").length;
    const lines = `${count} ${count === 1 ? "line" : "lines"}`;
    return text.length > room * 1.5 ? lines : `${lines}: ${outcome.text}`;
  }
  return isWrite(tool, fields) ? "" : outcome.text || "no output";
}

const pathFields = [
  "file_path",
  "path",
  "filePath",
  "notebook_path",
  "target_file",
  "absolute_path",
  "filename",
  "file",
];

function textField(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function isRead(tool: string, fields: Fields): boolean {
  return /^(?:read|view|cat|open)/i.test(tool) && textField(fields, pathFields) !== undefined;
}

function isWrite(tool: string, fields: Fields): boolean {
  return (
    /edit|write|create|replace|patch/i.test(tool) &&
    (textField(fields, pathFields) !== undefined || patchIn(fields) !== undefined)
  );
}

function patchIn(fields: Fields): string | undefined {
  return Object.values(fields).find(
    (value): value is string =>
      typeof value === "string" && /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File)/m.test(value),
  );
}

/** A call as a person would write it down: a command, a file with its range, or what an edit changed. */
function describeCall(tool: string, fields: Fields, characters: number): string {
  const path = textField(fields, pathFields);
  const command = commandOf(fields);
  if (command !== undefined && path === undefined) return `$ ${linesJoined(command)}`;
  const patch = patchIn(fields);
  if (patch !== undefined)
    return `${tool} ${linesJoined(patch.replaceAll(/^\*\*\* (?:Begin|End) Patch\n?/gm, ""))}`;
  if (path === undefined) return `${tool} ${argumentsOf(fields)}`;
  if (isRead(tool, fields)) {
    const others = argumentsOf(fields, [...pathFields, ...rangeFields]);
    return `${tool} ${path}${rangeOf(fields)}${others === "" ? "" : ` ${others}`}`;
  }
  const change = changeIn(fields, characters);
  return change === "" ? `${tool} ${path} ${argumentsOf(fields, pathFields)}` : `${tool} ${path}: ${change}`;
}

function commandOf(fields: Fields): string | undefined {
  for (const name of ["command", "cmd", "script"]) {
    const value = fields[name];
    const command = Array.isArray(value) ? value.join(" ") : value;
    if (typeof command === "string" && command.trim() !== "") return command;
  }
  return undefined;
}

/** The end of a line in a command that is shown in one line. */
function linesJoined(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ⏎ ");
}

const rangeFields = ["offset", "limit", "start_line", "end_line", "view_range"];

function rangeOf({ offset, limit, start_line, end_line, view_range }: Fields): string {
  if (Array.isArray(view_range)) return `:${view_range.join("-")}`;
  const from = Number(start_line ?? offset ?? 0) || (limit === undefined ? 0 : 1);
  const to = Number(end_line ?? (limit === undefined ? 0 : from + Number(limit) - 1));
  return from > 0 || to > 0 ? `:${from || 1}-${to > 0 ? to : ""}` : "";
}

/** The change of an edit: the part that differs, or the beginning of a new text. */
function changeIn(fields: Fields, characters: number): string {
  const half = Math.max(30, Math.floor(characters / 5));
  const one = ({
    old_string,
    new_string,
    oldString,
    newString,
    oldText,
    newText,
    old_str,
    new_str,
  }: Fields) => {
    const [before, after] = [
      old_string ?? oldString ?? oldText ?? old_str,
      new_string ?? newString ?? newText ?? new_str,
    ];
    if (typeof after !== "string") return "";
    if (typeof before !== "string" || before === "") return quoted(after, half);
    const { at, removed, inserted } = spliceBetween(before, after);
    // Whole lines say more than the letters that differ.
    const start = before.lastIndexOf("\n", at - 1) + 1;
    const tail = before.slice(at + removed.length).split("\n", 1)[0] ?? "";
    const lead = before.slice(start, at);
    return `${quoted(lead + removed + tail, half)} became ${quoted(lead + inserted + tail, half)}`;
  };
  if (Array.isArray(fields.edits)) {
    const edits = fields.edits
      .filter(isObject)
      .map(one)
      .filter((text) => text !== "");
    return edits.slice(0, 3).join("; ") + (edits.length > 3 ? `; and ${edits.length - 3} more edits` : "");
  }
  const single = one(fields);
  if (single !== "") return single;
  const content = textField(fields, ["content", "file_text", "text", "contents"]);
  return content === undefined ? "" : `${content.split("\n").length} lines, ${quoted(content, half)}`;
}

function quoted(text: string, limit: number): string {
  return `"${cutLine(linesJoined(text), limit)}"`;
}

function argumentsOf(fields: Fields, except: readonly string[] = []): string {
  return Object.entries(fields)
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
