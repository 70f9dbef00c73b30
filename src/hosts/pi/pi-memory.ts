import type { Json } from "../../engine/json.ts";
import { Queue } from "../../engine/queue.ts";
import type { State } from "../../engine/state.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { ownPins } from "../../surfaces/pins/operations.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { isNothingKept } from "../../surfaces/views.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { earlierSessions } from "../earlier-sessions.ts";
import { sessionIdOf } from "../session-link.ts";
import type { PiContext, PiExtensionApi } from "./api.ts";
import {
  type BranchMemory,
  hasLink,
  linkEntry,
  listEntries,
  readBranch,
  readLink,
  toDocument,
  wroteOffBranch,
} from "./branch-memory.ts";

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
    if (!isNothingKept(await session.state())) return "";
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
    const memory = { ...stateOf(state), notes: await this.#notes(session, state) };
    for (const [type, data] of listEntries(before, memory)) this.#append(type, data);
    this.#kept = { revision: state.row.revision, memory };
  }

  /** Reads all notes once, then only those written since. */
  async #notes(session: Session, { row }: State): Promise<Map<string, Json>> {
    if (!this.#kept) return notesIn(await session.records("note"));
    const notes = new Map(this.#kept.memory.notes);
    const entries = await session.history({ from: this.#kept.revision + 1, to: row.revision });
    // Retention may have removed what was written while this process slept.
    if (entries.length < row.revision - this.#kept.revision) return notesIn(await session.records("note"));
    const changed = new Set(
      entries.flatMap(({ changes }) =>
        changes.flatMap((change) => (change.type === "record" && change.kind === "note" ? [change.key] : [])),
      ),
    );
    if (changed.size === 0) return notes;
    for (const id of changed) notes.delete(id);
    for (const [id, value] of notesIn(await session.records("note", [...changed]))) notes.set(id, value);
    return notes;
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
    const existing = hasLink(entries, pi) ? undefined : await memory.findSession(id);
    // If another branch of the file has this id, the import chooses a new one.
    const row = { id, parent: link?.session ?? null, now: Date.now() };
    const session = existing ?? (await memory.importSession(toDocument(readBranch(branch), row)));
    this.#append(...linkEntry(session.id, pi));
    return session;
  }
}

function stateOf(state: State): Omit<BranchMemory, "notes"> {
  const pins = ownPins(state).map(({ id, ...pin }): [string, Json] => [id, pin]);
  return { notepad: state.row.notepad, scratchpad: readScratchpad(state), pins: new Map(pins) };
}

function notesIn(records: readonly { key: string; value: Json }[]): Map<string, Json> {
  return new Map(records.map(({ key, value }) => [key, value]));
}
