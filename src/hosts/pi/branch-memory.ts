import { isObject, type Json, objectIn } from "../../engine/json.ts";
import { Queue } from "../../engine/queue.ts";
import type { NoteValue } from "../../engine/records.ts";
import type { SessionExport } from "../../engine/session-document.ts";
import type { State } from "../../engine/state.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { ownPins } from "../../surfaces/pins/operations.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { earlierSessions } from "../earlier-sessions.ts";
import {
  type CustomEntry,
  type EntryState,
  isStateEntry,
  listChanges,
  readState,
} from "../plugin/scratchpad-entries.ts";
import { sessionIdOf } from "../session-link.ts";
import type { PiContext, PiExtensionApi, PiTreeEntry } from "./api.ts";

/** The memory that the custom entries along a branch record. */
interface BranchMemory extends EntryState {
  /** By id. */
  notes: ReadonlyMap<string, Json>;
  /** By id. */
  pins: ReadonlyMap<string, Json>;
}

/**
 * The memory of pi's current branch. Each branch that is written to is one session: going back to an earlier entry and
 * writing from there starts a new session with the memory that the entry's branch records.
 */
export class PiMemory {
  readonly #append: PiExtensionApi["appendEntry"];
  readonly #openMemory: (context: PiContext) => Promise<Memory>;
  #memory: Promise<Memory> | undefined;
  #session: Promise<Session> | undefined;
  #kept: { revision: number; memory: BranchMemory } | undefined;
  readonly #writes = new Queue();

  constructor(append: PiExtensionApi["appendEntry"], openMemory: (context: PiContext) => Promise<Memory>) {
    this.#append = append;
    this.#openMemory = openMemory;
  }

  /** Call this when pi switches to another branch or session. */
  leaveBranch(): void {
    this.#session = undefined;
    this.#kept = undefined;
  }

  async session(context: PiContext): Promise<Session> {
    this.#session ??= this.#find(context).catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  /** The open items of the last conversation, if this one has nothing yet; "" otherwise. */
  async earlierSessions(session: Session, { cwd }: PiContext): Promise<string> {
    if (!isMemoryEmpty(await session.state())) return "";
    // Several projects may share a store that the user chose.
    if (findWorkspace({ cwd }).store.source !== "default") return "";
    return earlierSessions(await this.#memory, session.id);
  }

  /** Appends to the branch what it does not record yet: the agent's edits, and a person's. */
  keep(context: PiContext): Promise<void> {
    return this.#writes.run(() => this.#keep(context));
  }

  async close(): Promise<void> {
    const memory = this.#memory;
    this.leaveBranch();
    this.#memory = undefined;
    await (await memory)?.close();
  }

  async #keep(context: PiContext): Promise<void> {
    const session = await this.session(context);
    const state = await session.state();
    if (this.#kept?.revision === state.row.revision) return;
    const before = this.#kept?.memory ?? readBranch(context.sessionManager.getBranch());
    const notes = await session.records("note");
    const memory = { ...stateOf(state), notes: new Map(notes.map(({ key, value }) => [key, value as Json])) };
    for (const [type, data] of listEntries(before, memory)) this.#append(type, data);
    this.#kept = { revision: state.row.revision, memory };
  }

  async #find(context: PiContext): Promise<Session> {
    this.#memory ??= this.#openMemory(context);
    const memory = await this.#memory.catch((error: unknown) => {
      this.#memory = undefined;
      throw error;
    });
    const { sessionManager } = context;
    const pi = sessionManager.getSessionId();
    const branch = sessionManager.getBranch();
    const entries = sessionManager.getEntries();
    const link = readLink(branch);
    if (link?.pi === pi && !wroteOffBranch(link, entries, branch)) {
      const found = await memory.findSession(link.session);
      if (found) return found;
    }
    const id = sessionIdOf("pi", pi);
    const isTaken = hasLink(entries, pi);
    const existing = isTaken ? undefined : await memory.findSession(id);
    const recorded = readBranch(branch);
    const isNew = !link && !isTaken && listEntries(readBranch([]), recorded).length === 0;
    // If another branch of the file has this id, the import chooses a new one.
    const row = { id, parent: link?.session ?? null, at: Date.now() };
    const session =
      existing ??
      (isNew
        ? await memory.openSession(id, { agent: "pi" })
        : await memory.importSession(toDocument(recorded, row)));
    this.#append(linkKey, { session: session.id, pi });
    return session;
  }
}

/** The session that a branch writes to, according to one of its entries. */
interface BranchLink {
  /** The id of that entry. */
  entry: string;
  session: string;
  /** The pi session that wrote the entry; a fork copies the entry into its own file. */
  pi: string;
}

const noteKey = "holdfast:note";
const pinKey = "holdfast:pin";
const linkKey = "holdfast:session";

function readBranch(branch: readonly PiTreeEntry[]): BranchMemory {
  return { ...readState(branch), notes: notesOf(branch), pins: pinsOf(branch) };
}

/** The notes of a branch, without damaged ones. */
export function notesOf(branch: readonly PiTreeEntry[]): Map<string, Json> {
  return valuesOf(branch, noteKey, "note", isNote);
}

/** The pins of a branch, without damaged ones. */
export function pinsOf(branch: readonly PiTreeEntry[]): Map<string, Json> {
  return valuesOf(branch, pinKey, "pin", isPin);
}

/** The last value of each id in the entries of a type. `null` removes one. */
function valuesOf(
  branch: readonly PiTreeEntry[],
  key: string,
  field: string,
  isValid: (id: string, value: unknown) => boolean,
): Map<string, Json> {
  const values = new Map<string, Json>();
  for (const { type, customType, data } of branch) {
    if (type !== "custom" || customType !== key) continue;
    const { id, [field]: value } = objectIn(data);
    if (typeof id !== "string") continue;
    if (value === null) values.delete(id);
    else if (isValid(id, value)) values.set(id, value as Json);
  }
  return values;
}

/** The entries to append to a branch so that it records the current memory. */
function listEntries(before: BranchMemory, now: BranchMemory): CustomEntry[] {
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

function readLink(branch: readonly PiTreeEntry[]): BranchLink | undefined {
  return branch.map(toLink).findLast((link) => link !== undefined);
}

function toLink({ type, customType, data, id }: PiTreeEntry): BranchLink | undefined {
  if (type !== "custom" || customType !== linkKey || !isObject(data)) return undefined;
  const { session, pi } = data;
  return typeof session === "string" && typeof pi === "string" ? { entry: id, session, pi } : undefined;
}

/** Whether any branch of the file already has a session. */
function hasLink(entries: readonly PiTreeEntry[], pi: string): boolean {
  return entries.some((entry) => toLink(entry)?.pi === pi);
}

/** Whether the session has written entries after the link that are not on this branch. */
function wroteOffBranch(
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

/** The memory of a branch as a session to import. */
export function toDocument(
  { notepad, scratchpad, notes, pins }: BranchMemory,
  {
    id,
    title = null,
    parent = null,
    at,
  }: { id: string; title?: string | null; parent?: string | null; at: number },
): SessionExport {
  const { notes: own, plan, refs } = scratchpad;
  return {
    format: "holdfast-session",
    version: 1,
    session: { id, agent: "pi", title, parent, createdAt: at, updatedAt: at, revision: 0 },
    notepad,
    records: {
      space: { ...(own === "" ? {} : { notes: own }), ...(plan === "" ? {} : { plan }) },
      ref: Object.fromEntries(refs.map((ref, index) => [recordKey(index), ref])),
      note: Object.fromEntries(notes),
      pin: Object.fromEntries(pins),
    },
    journal: [],
  };
}

/** The key of the record with this index, for records that are numbered. */
export function recordKey(index: number): string {
  return String(index + 1).padStart(12, "0");
}

function isPin(id: string, value: unknown): boolean {
  return (
    /^p\d{1,12}$/.test(id) &&
    isObject(value) &&
    typeof value.text === "string" &&
    typeof value.by === "string"
  );
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

function stateOf(state: State): Omit<BranchMemory, "notes"> {
  const pins = ownPins(state).map(({ id, ...pin }): [string, Json] => [id, pin]);
  return { notepad: state.row.notepad, scratchpad: readScratchpad(state), pins: new Map(pins) };
}
