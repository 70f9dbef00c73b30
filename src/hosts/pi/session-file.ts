import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import type { Scratchpad } from "../../surfaces/scratchpad/operations.ts";
import {
  type PiEntry,
  type PiHeader,
  type PiWarning,
  type PlacedEntry,
  parsePiTree,
} from "./session-tree.ts";

export type { PiEntry, PiWarning };

export interface PiMessage {
  /** Id of the entry with the message. */
  id: string;
  timestamp: string | null;
  /** As pi wrote it. */
  message: Record<string, unknown>;
}

export interface PiState {
  scratchpad: Scratchpad;
  /** `null` if the branch has none. */
  notepad: string | null;
}

export interface PiSession extends PiHeader, PiState {
  title: string | null;
  /** From the root to the leaf, all types; compactions have the type "compaction". */
  branch: PiEntry[];
  messages: PiMessage[];
  warnings: PiWarning[];
}

export interface WriteOptions {
  now: Date;
  /** Returns eight random hexadecimal digits; called again while the id is taken. */
  makeId: () => string;
}

const keys = {
  legacy: "openclaw:scratchpad",
  notes: "openclaw:scratchpad:notes",
  plan: "openclaw:scratchpad:plan",
  refs: "openclaw:scratchpad:refs",
  notepad: "holdfast:notepad",
} as const;

/**
 * Reads a pi session file along the branch that pi would open: from its last entry to the root.
 *
 * @example readPiSession(text).scratchpad.plan
 */
export function readPiSession(text: string): PiSession {
  const { header, branch, warnings } = parsePiTree(text);
  const state = readState(branch, warnings);
  const messages = readMessages(branch, warnings);
  const entries = branch.map(({ entry }) => entry);
  warnings.sort((left, right) => left.line - right.line);
  return { ...header, ...state, title: readTitle(entries), branch: entries, messages, warnings };
}

/**
 * The text with one custom entry appended for each value that differs from the file's branch.
 * Write it only while pi does not have the session open: pi neither locks nor rereads the file.
 *
 * @example writePiState(text, { notepad: "Ship on Friday." }, { now: new Date(), makeId })
 */
export function writePiState(text: string, state: Partial<PiState>, options: WriteOptions): string {
  const session = readPiSession(text);
  let parentId = session.branch.at(-1)?.id ?? null;
  let output = text;
  for (const [customType, data] of listChanges(session, state)) {
    const id = unusedId(output, options.makeId);
    const timestamp = options.now.toISOString();
    const line = JSON.stringify({ type: "custom", customType, data, id, parentId, timestamp });
    output += `${output.endsWith("\n") ? "" : "\n"}${line}\n`;
    parentId = id;
  }
  return output;
}

/** The custom entries that lead from one state to another. Scratchpad data is a bare string or array, because OpenClaw reads nothing else. */
export function listChanges(
  before: PiState,
  { scratchpad, notepad }: Partial<PiState>,
): [customType: string, data: unknown][] {
  const changes: [string, unknown][] = [];
  if (scratchpad !== undefined) {
    const { notes, plan, refs } = before.scratchpad;
    if (scratchpad.notes !== notes) changes.push([keys.notes, scratchpad.notes]);
    if (scratchpad.plan !== plan) changes.push([keys.plan, scratchpad.plan]);
    if (!sameItems(scratchpad.refs, refs)) changes.push([keys.refs, scratchpad.refs]);
  }
  if (notepad !== undefined && notepad !== before.notepad) changes.push([keys.notepad, { content: notepad }]);
  return changes;
}

function sameItems(left: string[], right: string[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

function unusedId(text: string, makeId: () => string): string {
  for (let attempt = 0; attempt < 100; attempt++) {
    const id = makeId();
    if (!/^[0-9a-f]{8}$/.test(id)) {
      throw new HoldfastError(
        "invalid_input",
        `makeId returned "${id}". Return eight lowercase hexadecimal digits.`,
      );
    }
    // Search the whole text, so that we do not reuse an id from a damaged line or of a missing parent.
    if (!text.includes(id)) return id;
  }
  throw new HoldfastError(
    "invalid_input",
    "makeId returned 100 ids that the file already has. Return random ones.",
  );
}

/** Whether a custom entry of this type contains part of the state. */
export function isStateEntry(customType: unknown): boolean {
  return Object.values(keys).some((key) => key === customType);
}

/** Reads root first, so that the last entry wins, with the old notes key or the new one. */
export function readState(branch: PlacedEntry[], warnings: PiWarning[]): PiState {
  const state: PiState = { scratchpad: { notes: "", plan: "", refs: [] }, notepad: null };
  for (const { line, entry } of branch) {
    if (entry.type !== "custom" || applyEntry(state, entry)) continue;
    const message = `Unknown shape of data in "${entry.customType}"; the value before it was kept.`;
    warnings.push({ line, message });
  }
  return state;
}

/** False if an entry with one of our keys has data in an unknown shape. */
function applyEntry(state: PiState, { customType, data }: PiEntry): boolean {
  const { scratchpad } = state;
  switch (customType) {
    case keys.legacy:
    case keys.notes: {
      const notes = readText(data, "notes");
      if (notes !== undefined) scratchpad.notes = notes ?? "";
      return notes !== undefined;
    }
    case keys.plan: {
      const plan = readText(data, "plan");
      if (plan !== undefined) scratchpad.plan = plan ?? "";
      return plan !== undefined;
    }
    case keys.refs: {
      const refs = readRefs(data);
      if (refs !== undefined) scratchpad.refs = refs;
      return refs !== undefined;
    }
    case keys.notepad: {
      const notepad = readText(data, "notepad");
      if (notepad !== undefined) state.notepad = notepad;
      return notepad !== undefined;
    }
    default:
      return true;
  }
}

/** `null` if empty, `undefined` if unreadable. */
function readText(data: unknown, space: string): string | null | undefined {
  const value = unwrap(data, ["content", "text", space]);
  return typeof value === "string" || value === null ? value : undefined;
}

function readRefs(data: unknown): string[] | undefined {
  const value = unwrap(data, ["items", "refs"]);
  if (value === null) return [];
  return Array.isArray(value) ? value.filter((item: unknown) => typeof item === "string") : undefined;
}

/** The value of the first of the fields that an object has; other data unchanged, with `null` for no data. */
function unwrap(data: unknown, fields: string[]): unknown {
  if (!isObject(data)) return data ?? null;
  const field = fields.find((name) => data[name] !== undefined);
  return field === undefined ? undefined : data[field];
}

function readMessages(branch: PlacedEntry[], warnings: PiWarning[]): PiMessage[] {
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
