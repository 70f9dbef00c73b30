import type { StoredMessage } from "../context/conversation.ts";
import { fenceLine } from "../context/fence.ts";
import { type ToldResult, toldMessages } from "../context/told-messages.ts";
import { isObject, mapStrings } from "../engine/json.ts";
import { oneLine, spliceBetween } from "../engine/text.ts";
import { redactText } from "../secrets/redact.ts";
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
    "recover_context log_decision log_entry log_handoff set_state delete_state save_skill edit_system_prompt"
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

/** Colors of a terminal, and tags that a host puts around an error. */
const decoration = new RegExp(
  `${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]|</?(?:tool_use_error|error)>`,
  "g",
);

/** Rulers, progress bars and percentages, which say nothing once the call has ended. */
const progress = /^[\s\p{S}\p{P}]*$|[█▓▒░#=>]{3}.{0,80}\d\s?%|\d\s?%.{0,80}(?:[█▓▒░#=>]{3}|\/s\b|\bETA\b)/u;

const stackFrame =
  /^\s{0,40}(?:at .{1,200}[:(]\d|File ".{1,200}", line \d|\d{1,6}: 0x[\da-f]|[^\s]{0,200}node_modules\/[^\s]{0,200}:\d{1,7}:\d)/;

/** More of a result is not read: its beginning and its end say what came of the call. */
const maxRead = 6_000;

/** The lines of a result that a reader needs: no colors, progress, stack frames, or lines that differ only in numbers. */
function thinLines(result: string): string[] {
  const half = maxRead / 2;
  const text =
    result.length <= maxRead ? result : `${result.slice(0, half)}\n…\n${result.slice(-half)}`.toWellFormed();
  const shapes = new Map<string, number>();
  const lines: { shape: string; line: string }[] = [];
  for (const shown of text.replaceAll(decoration, "").split("\n")) {
    // A carriage return begins the line again.
    const line = oneLine(shown.slice(shown.trimEnd().lastIndexOf("\r") + 1));
    if (line === "" || (line !== "…" && progress.test(line)) || stackFrame.test(shown)) continue;
    const shape = line.replaceAll(/\d+/g, "0");
    const times = (shapes.get(shape) ?? 0) + 1;
    shapes.set(shape, times);
    if (times <= maxAlike) lines.push({ shape, line });
  }
  const last = new Map(lines.map(({ shape }, index) => [shape, index]));
  return lines.map(({ shape, line }, index) => {
    const more = (shapes.get(shape) ?? 0) - maxAlike;
    return more > 0 && last.get(shape) === index ? `${line} (and ${more} more like it)` : line;
  });
}

/** Lines of one shape that are shown before the rest is counted. */
const maxAlike = 3;

/** The line that a tool writes about the end of a command. */
const exitLine =
  /^\W*(?:(?:the )?(?:process|command) )?(?:exit|exited with|exited|finished with)[ _]?(?:code|status)\b"?\s?[:=]?\s?(\d{1,3})\W*$/i;

const exitField = /"exit_?(?:code|status)"\s*:\s*([1-9]\d{0,2})\b/i;

const errorLine =
  /\b(?:error|err!|exception|fatal|fail(?:ed|ure|ing)?|cannot|can't|could not|denied|not found|no such|invalid|panic|refused|unexpected|timed out|unable)\b/i;

/** The outcome of a call in one line: its error if it failed, else the beginning and the end of what it returned. */
export function describeOutcome(
  result: string,
  isError: boolean,
  limit: number,
  isCommand = true,
): { text: string; failed: boolean } {
  // A caller may put the name of the tool before what it reports.
  const lines = thinLines(result.replace(/^[\w-]+ failed: /, ""));
  // A command reports its exit at the beginning or the end; what it printed may be about other exit codes.
  const ends = isCommand ? [...lines.slice(0, 2), ...lines.slice(-2)] : [];
  const code = ends.map((line) => exitLine.exec(line)?.[1]).find((found) => found !== undefined);
  const exit =
    code ?? (isCommand && /^\s*\{/.test(result) ? exitField.exec(result.slice(0, maxRead))?.[1] : undefined);
  const failed = isError || (exit !== undefined && exit !== "0");
  const told = code === undefined ? lines : lines.filter((line) => !exitLine.test(line));
  if (!failed) return { text: cutLine(told.join(" | "), limit), failed };
  const first = told.findIndex((line) => errorLine.test(line));
  const error = (first === -1 ? told : told.slice(first)).join(" | ");
  const status = exit === undefined || exit === "0" ? "FAILED" : `FAILED, exit ${exit}`;
  return { text: error === "" ? status : `${status}: ${cutLine(error, limit)}`, failed };
}

/** One line without its middle, if it is longer than the limit. */
export function cutLine(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 40) return `${text.slice(0, Math.max(0, limit - 1)).trimEnd()}…`.toWellFormed();
  const head = Math.ceil(limit * 0.65);
  return `${text.slice(0, head).trimEnd()} … ${text.slice(text.length - (limit - head - 3)).trimStart()}`.toWellFormed();
}
