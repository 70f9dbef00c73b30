import { isObject } from "../../engine/json.ts";
import type { Scratchpad } from "../../surfaces/scratchpad/operations.ts";

/**
 * The scratchpad and the notepad in a session file of pi or OpenClaw: custom entries, which stay out of the model's context.
 * Each has one value whole, and the last one along a branch holds.
 */
export interface EntryState {
  scratchpad: Scratchpad;
  /** `null` if the branch has none. */
  notepad: string | null;
}

/** An entry that a host appends: its type and its data. */
export type CustomEntry = [customType: string, data: unknown];

interface ReadEntry {
  type: string;
  [field: string]: unknown;
}

const keys = {
  legacy: "openclaw:scratchpad",
  notes: "openclaw:scratchpad:notes",
  plan: "openclaw:scratchpad:plan",
  refs: "openclaw:scratchpad:refs",
  notepad: "holdfast:notepad",
} as const;

/** Whether a custom entry of this type contains part of the state. */
export function isStateEntry(customType: unknown): boolean {
  return Object.values(keys).some((key) => key === customType);
}

/** Reads root first, so that the last entry wins, with the old notes key or the new one. */
export function readState<Entry extends ReadEntry>(
  branch: readonly Entry[],
  onUnreadable: (entry: Entry) => void = () => {},
): EntryState {
  const state: EntryState = { scratchpad: { notes: "", plan: "", refs: [] }, notepad: null };
  for (const entry of branch) if (entry.type === "custom" && !applyEntry(state, entry)) onUnreadable(entry);
  return state;
}

/** False if an entry with one of our keys has data in an unknown shape. */
function applyEntry(state: EntryState, { customType, data }: ReadEntry): boolean {
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

/** The custom entries that lead from one state to another. Scratchpad data is a bare string or array, because OpenClaw reads nothing else. */
export function listChanges(before: EntryState, { scratchpad, notepad }: Partial<EntryState>): CustomEntry[] {
  const changes: CustomEntry[] = [];
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
