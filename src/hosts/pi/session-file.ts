import { isObject, type Json, objectIn, textIn } from "../../engine/json.ts";
import type { SessionExport } from "../../engine/session-document.ts";
import { HoldfastError } from "../../errors.ts";
import type { SessionFile } from "../host.ts";
import { type EntryState, listChanges, readState } from "../plugin/scratchpad-entries.ts";
import { countIn, type LineWarning, parseJsonLines, timeIn } from "../transcript/json-files.ts";
import { plainText, toModelMessage } from "../transcript/messages.ts";
import type { ModelCall, RecordedEvent, Recording } from "../transcript/recorded-session.ts";
import { notesOf, pinsOf, recordKey, toDocument } from "./branch-memory.ts";

/** The version of pi's session format that Holdfast reads and writes. */
const supportedVersion = 3;

/** One line after the header, with all its fields; unknown types included. */
interface PiEntry {
  type: string;
  id: string;
  /** `null` for a root. */
  parentId: string | null;
  timestamp: string | null;
  [field: string]: unknown;
}

interface PlacedEntry {
  line: number;
  entry: PiEntry;
}

type Fields = Record<string, unknown>;

interface PiMessage {
  /** Id of the entry with the message. */
  id: string;
  timestamp: string | null;
  /** As pi wrote it. */
  message: Fields;
}

export interface PiSession extends EntryState {
  id: string;
  timestamp: string | null;
  title: string | null;
  /** From the root to the leaf, all types; compactions have the type "compaction". */
  branch: PiEntry[];
  messages: PiMessage[];
  warnings: LineWarning[];
}

export interface WriteOptions {
  now: Date;
  /** Returns eight random hexadecimal digits. Called again while the id is taken. */
  makeId: () => string;
}

/**
 * Reads a pi session file along the branch that pi would open: from its last entry to the root.
 *
 * @example readPiSession(text).scratchpad.plan
 */
export function readPiSession(text: string): PiSession {
  const { lines: parsed, warnings } = parseJsonLines(text);
  const [first, ...rest] = parsed;
  const header = parseHeader(first?.value);
  const placed = rest.flatMap(({ line, value }): PlacedEntry[] => {
    const entry = parseEntry(value);
    if (typeof entry !== "string") return [{ line, entry }];
    warnings.push({ line, message: `Skipped: ${entry}.` });
    return [];
  });
  const branch = branchOfLast(placed, warnings);
  const entries = branch.map(({ entry }) => entry);
  const lines = new Map(branch.map(({ line, entry }) => [entry, line]));
  const state = readState(entries, (entry) => {
    const message = `Unknown shape of data in "${entry.customType}"; the value before it was kept.`;
    warnings.push({ line: lines.get(entry) ?? 0, message });
  });
  const messages = readMessages(branch, warnings);
  warnings.sort((left, right) => left.line - right.line);
  return { ...header, ...state, title: readTitle(entries), branch: entries, messages, warnings };
}

/**
 * The text with one custom entry appended for each value that differs from the file's branch.
 * Write it only while pi does not have the session open: pi neither locks nor rereads the file.
 *
 * @example writePiState(text, { notepad: "Ship on Friday." }, { now: new Date(), makeId })
 */
export function writePiState(text: string, state: Partial<EntryState>, options: WriteOptions): string {
  const session = readPiSession(text);
  let parentId = session.branch.at(-1)?.id ?? null;
  let output = text;
  for (const [customType, data] of listChanges(session, state)) {
    let id = options.makeId();
    // Search the whole text, so that we do not reuse an id from a damaged line or of a missing parent.
    while (output.includes(id)) id = options.makeId();
    const timestamp = options.now.toISOString();
    const line = JSON.stringify({ type: "custom", customType, data, id, parentId, timestamp });
    output += `${output.endsWith("\n") ? "" : "\n"}${line}\n`;
    parentId = id;
  }
  return output;
}

function readMessages(branch: PlacedEntry[], warnings: LineWarning[]): PiMessage[] {
  const messages: PiMessage[] = [];
  for (const { line, entry } of branch) {
    if (entry.type !== "message") continue;
    const { id, timestamp, message } = entry;
    if (isObject(message)) messages.push({ id, timestamp, message });
    else warnings.push({ line, message: `Message entry "${id}" contains no message and was left out.` });
  }
  return messages;
}

function readTitle(branch: PiEntry[]): string | null {
  const name = branch.findLast(({ type }) => type === "session_info")?.name;
  return typeof name === "string" && name.trim() !== "" ? name.trim() : null;
}

export const piSessionFile: SessionFile = {
  isIn: (text) => /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"session"[^\n]*(?:\r?\n|$)/.test(text),
  read(text) {
    const session = readPiSession(text);
    return { document: documentOf(session), warnings: session.warnings };
  },
  write: (text, memory) =>
    writePiState(text, memory, { now: new Date(), makeId: () => crypto.randomUUID().slice(0, 8) }),
};

/** The whole memory and the messages of the current branch as a session. */
function documentOf({ id, title, timestamp, branch, messages, ...state }: PiSession): SessionExport {
  const memory = { ...state, notes: notesOf(branch), pins: pinsOf(branch) };
  const document = toDocument(memory, { id, title, at: Date.parse(timestamp ?? "") || Date.now() });
  const message = messages.map((each, index) => [recordKey(index), each.message as Json]);
  return { ...document, records: { ...document.records, message: Object.fromEntries(message) } };
}

function parseHeader(value: Fields | undefined): Pick<PiSession, "id" | "timestamp"> {
  if (value === undefined) throw notPiSession("no line with a JSON object");
  if (value.type !== "session")
    throw notPiSession(`a first line of type ${JSON.stringify(value.type) ?? "(none)"}`);
  // The first version of pi's format has no version number.
  const version = value.version ?? 1;
  if (typeof version !== "number") throw notPiSession(`a header with version ${JSON.stringify(version)}`);
  if (version !== supportedVersion) throw unsupportedVersion(version);
  if (typeof value.id !== "string" || value.id === "") throw notPiSession("a header without an id");
  return { id: value.id, timestamp: stringOrNull(value.timestamp) };
}

function notPiSession(found: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `This is not a pi session file: found ${found}, expected a first line {"type":"session","version":${supportedVersion},"id":…}. ` +
      "Pass a .jsonl file from ~/.pi/agent/sessions.",
    { data: { found } },
  );
}

function unsupportedVersion(version: number): HoldfastError {
  const advice =
    version < supportedVersion
      ? "Open the session once with pi, which rewrites the file to the current version, then try again."
      : "Update Holdfast; if it is up to date, it cannot read this version of pi's files yet.";
  return new HoldfastError(
    "invalid_input",
    `This pi session file has version ${version}, Holdfast reads version ${supportedVersion}. ${advice}`,
    { data: { version, supportedVersion } },
  );
}

/** The entry, or what is wrong with it. */
function parseEntry(value: Fields): PiEntry | string {
  const { type, id, timestamp } = value;
  const parentId = value.parentId ?? null;
  if (type === "session") return "a second session header";
  if (typeof type !== "string") return "an entry without a type";
  if (typeof id !== "string" || id === "") return `an entry of type "${type}" without an id`;
  if (parentId !== null && typeof parentId !== "string")
    return `entry "${id}" has a parentId that is not a string`;
  return { ...value, type, id, parentId, timestamp: stringOrNull(timestamp) };
}

function indexById(entries: PlacedEntry[], warnings: LineWarning[]): Map<string, PlacedEntry> {
  const byId = new Map<string, PlacedEntry>();
  for (const placed of entries) {
    const { line, entry } = placed;
    // If two entries have the same id, the later one counts, as in pi.
    if (byId.has(entry.id))
      warnings.push({ line, message: `Id "${entry.id}" is used twice; this entry counts.` });
    byId.set(entry.id, placed);
  }
  return byId;
}

/** The entries from the root to the last one; a missing parent or a cycle ends the walk with a warning. */
function branchOfLast(entries: PlacedEntry[], warnings: LineWarning[]): PlacedEntry[] {
  const byId = indexById(entries, warnings);
  const branch = new Set<PlacedEntry>();
  let current = entries.at(-1);
  while (current !== undefined) {
    branch.add(current);
    const { line, entry } = current;
    if (entry.parentId === null) break;
    const parent = byId.get(entry.parentId);
    if (parent === undefined || branch.has(parent)) {
      const fault = parent === undefined ? "is not in the file" : "is also its descendant";
      const message = `Parent "${entry.parentId}" of "${entry.id}" ${fault}; the branch was read from here on.`;
      warnings.push({ line, message });
      break;
    }
    current = parent;
  }
  return [...branch].reverse();
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The events on the branch that pi would open. */
export const piRecording: Recording = {
  matches: ([first]) => first?.type === "session",
  read(_lines, text) {
    /** The number of messages before each entry. */
    const messagesBefore = new Map<unknown, number>();
    let messages = 0;
    return readPiSession(text).branch.flatMap((entry) => {
      messagesBefore.set(entry.id, messages);
      const event = eventOf(entry, messagesBefore);
      if (event?.type === "message") messages++;
      return event ? [event] : [];
    });
  },
};

function eventOf(entry: Fields, messagesBefore: ReadonlyMap<unknown, number>): RecordedEvent | undefined {
  const at = timeIn(entry.timestamp);
  switch (entry.type) {
    case "compaction": {
      const keptFrom = messagesBefore.get(entry.firstKeptEntryId);
      return { type: "compaction", summary: textIn(entry.summary), keptFrom };
    }
    case "branch_summary":
      return { type: "message", message: { role: "user", content: textIn(entry.summary) }, at };
    case "custom_message":
      return { type: "message", message: { role: "user", content: plainText(entry.content) }, at };
    case "message": {
      const fields = objectIn(entry.message);
      const message = toModelMessage(fields);
      const call = fields.role === "assistant" ? { call: callOf(fields) } : {};
      return message && { type: "message", message, at, ...call };
    }
    default:
      return undefined;
  }
}

function callOf(message: Fields): ModelCall {
  const { input, output, cacheRead, cacheWrite } = objectIn(message.usage);
  return {
    id: "",
    model: textIn(message.model),
    usage: {
      input: countIn(input),
      cacheWrite: countIn(cacheWrite),
      cacheRead: countIn(cacheRead),
      output: countIn(output),
    },
  };
}
