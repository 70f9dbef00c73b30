import { isObject, type Json } from "../../engine/json.ts";
import type { NoteValue } from "../../engine/records.ts";
import type { SessionExport } from "../../engine/session-document.ts";
import type { PiTreeEntry } from "./api.ts";
import { isStateEntry, listChanges, type PiState, readState } from "./session-file.ts";

/** The memory that the custom entries along a branch record. */
export interface BranchMemory extends PiState {
  /** By id. */
  notes: ReadonlyMap<string, Json>;
  /** By id. */
  pins: ReadonlyMap<string, Json>;
}

/** The session that a branch writes to, according to one of its entries. */
export interface BranchLink {
  /** The id of that entry. */
  entry: string;
  session: string;
  /** The pi session that wrote the entry; a fork copies the entry into its own file. */
  pi: string;
}

const noteKey = "holdfast:note";
const pinKey = "holdfast:pin";
const linkKey = "holdfast:session";

export type CustomEntry = [customType: string, data: unknown];

export function readBranch(branch: readonly PiTreeEntry[]): BranchMemory {
  const placed = branch.map((entry, line) => ({ line, entry: { timestamp: null, ...entry } }));
  return { ...readState(placed, []), notes: notesOf(branch), pins: pinsOf(branch) };
}

function pinsOf(branch: readonly PiTreeEntry[]): Map<string, Json> {
  const pins = new Map<string, Json>();
  for (const { type, customType, data } of branch) {
    if (type !== "custom" || customType !== pinKey || !isObject(data)) continue;
    const { id, pin } = data;
    if (typeof id !== "string" || !/^p\d{1,12}$/.test(id)) continue;
    if (isObject(pin) && typeof pin.text === "string" && typeof pin.by === "string")
      pins.set(id, pin as Json);
    else pins.delete(id);
  }
  return pins;
}

/** The notes of a branch, without damaged ones. */
export function notesOf(branch: readonly PiTreeEntry[]): Map<string, Json> {
  const notes = new Map<string, Json>();
  for (const { type, customType, data } of branch) {
    if (type !== "custom" || customType !== noteKey || !isObject(data)) continue;
    const { id, note } = data;
    if (typeof id !== "string") continue;
    if (note === null) notes.delete(id);
    else if (isNote(id, note)) notes.set(id, note as Json);
  }
  return notes;
}

/** The entries to append to a branch so that it records the current memory. */
export function listEntries(before: BranchMemory, now: BranchMemory): CustomEntry[] {
  const changed = changedIds(before.notes, now.notes);
  const pins = changedIds(before.pins, now.pins);
  return [
    ...listChanges(before, now),
    ...changed.map((id): CustomEntry => [noteKey, { id, note: now.notes.get(id) ?? null }]),
    ...pins.map((id): CustomEntry => [pinKey, { id, pin: now.pins.get(id) ?? null }]),
  ];
}

function changedIds(before: ReadonlyMap<string, Json>, now: ReadonlyMap<string, Json>): string[] {
  return [...new Set([...before.keys(), ...now.keys()])].filter((id) => !isSame(before.get(id), now.get(id)));
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function linkEntry(session: string, pi: string): CustomEntry {
  return [linkKey, { session, pi }];
}

export function readLink(branch: readonly PiTreeEntry[]): BranchLink | undefined {
  return branch.map(toLink).findLast((link) => link !== undefined);
}

function toLink({ type, customType, data, id }: PiTreeEntry): BranchLink | undefined {
  if (type !== "custom" || customType !== linkKey || !isObject(data)) return undefined;
  const { session, pi } = data;
  return typeof session === "string" && typeof pi === "string" ? { entry: id, session, pi } : undefined;
}

/** Whether any branch of the file already has a session. */
export function hasLink(entries: readonly PiTreeEntry[], pi: string): boolean {
  return entries.some((entry) => toLink(entry)?.pi === pi);
}

/** Whether the session has written entries after the link that are not on this branch. */
export function wroteOffBranch(
  link: BranchLink,
  entries: readonly PiTreeEntry[],
  branch: readonly PiTreeEntry[],
): boolean {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const here = new Set(branch.map(({ id }) => id));
  const ownerOf = (entry: PiTreeEntry): string | undefined => {
    const seen = new Set<PiTreeEntry>();
    for (let at: PiTreeEntry | undefined = entry; at && !seen.has(at); at = byId.get(at.parentId ?? "")) {
      if (toLink(at)) return at.id;
      seen.add(at);
    }
    return undefined;
  };
  return entries.some(
    (entry) =>
      entry.type === "custom" &&
      (isStateEntry(entry.customType) || entry.customType === noteKey || entry.customType === pinKey) &&
      !here.has(entry.id) &&
      ownerOf(entry) === link.entry,
  );
}

/** The memory of a branch as a document to import. */
export function toDocument(
  memory: BranchMemory,
  session: { id: string; parent: string | null; now: number },
): SessionExport {
  const { notes, plan, refs } = memory.scratchpad;
  const { id, parent, now } = session;
  return {
    format: "holdfast-session",
    version: 1,
    session: { id, agent: "pi", title: null, parent, createdAt: now, updatedAt: now, revision: 0 },
    notepad: memory.notepad,
    records: {
      space: { ...(notes === "" ? {} : { notes }), ...(plan === "" ? {} : { plan }) },
      ref: Object.fromEntries(refs.map((ref, index) => [String(index + 1).padStart(12, "0"), ref])),
      note: Object.fromEntries(memory.notes),
      pin: Object.fromEntries(memory.pins),
    },
    journal: [],
  };
}

function isNote(id: string, value: unknown): boolean {
  if (!isObject(value)) return false;
  const { content, tags, createdAt, updatedAt, updated }: Partial<Record<keyof NoteValue, unknown>> = value;
  return (
    /^note_\d{1,15}$/.test(id) &&
    typeof content === "string" &&
    Array.isArray(tags) &&
    tags.every((tag) => typeof tag === "string") &&
    [createdAt, updatedAt, updated].every((time) => typeof time === "number")
  );
}
