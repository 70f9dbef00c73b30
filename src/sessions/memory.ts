import { residentKinds } from "../engine/records.ts";
import { keepEverything } from "../engine/retention.ts";
import type { SessionExport } from "../engine/session-document.ts";
import { shortHash } from "../engine/short-hash.ts";
import {
  emptyCounters,
  listResident,
  type ProjectPin,
  type SessionRow,
  type SessionStatus,
  type State,
} from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { makeGuard, type SecretGuard } from "../secrets/guard.ts";
import type { Rewritten } from "../stores/rewrite.ts";
import type { SessionSummary, StoreChange, StoredRecord } from "../stores/store.ts";
import { type Knowledge, knowledgeId, knowledgeOf, knowledgeOwner } from "../surfaces/knowledge/handle.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import { listPins } from "../surfaces/pins/operations.ts";
import type { ApplyOptions } from "../surfaces/session-handle.ts";
import { ownLoop, type Presentation } from "../surfaces/surface.ts";
import type { ToolDescription } from "../surfaces/toolbox.ts";
import { loadState, scopeOf, sessionNotFound } from "./lineage.ts";
import { checkId, checkTitle, type MemoryConfig } from "./options.ts";
import { Retention, retentionOwner, sweepId, sweepStateIn } from "./retention.ts";
import { Session } from "./session.ts";

export interface SessionQuery {
  agent?: string;
  /** Default: active. `all` does not include deleted sessions. */
  status?: SessionStatus | "all";
  parent?: string;
  limit?: number;
  /** Only sessions that the list shows after this one: the last of the page before. */
  after?: { updatedAt: number; id: string };
}

const none: readonly ProjectPin[] = [];

/** Sessions cached in memory; others are loaded from the store on access. */
const maxOpen = 500;

/** An open handle on one store, for one owner. */
export class Memory {
  /** Removes in the background what the store no longer keeps. */
  readonly retention: Retention;
  readonly #setting: MemoryConfig;
  readonly #open = new Map<string, Session>();
  #knowledge: Memory | undefined;
  #shownPins: { resident: State["resident"]; pins: readonly ProjectPin[] } | undefined;

  constructor(setting: MemoryConfig) {
    this.#setting = {
      ...setting,
      // Some stores keep only whole milliseconds.
      clock: () => Math.floor(setting.clock()),
    };
    this.retention = this.#makeRetention(setting);
  }

  get #guard(): SecretGuard {
    return this.#setting.guard ?? makeGuard();
  }

  get owner(): string {
    return this.#setting.owner;
  }

  /** Tool descriptions of the chosen surfaces, for the model. `session.call` runs them. */
  tools(presentation: Presentation = ownLoop): ToolDescription[] {
    return this.#setting.toolbox.presentAs(presentation).describe();
  }

  /** The parts of the memory, for agents, adapters and hosts. */
  get setting(): MemoryConfig {
    return this.#setting;
  }

  /** An agent's permanent knowledge, shared by all its sessions: system prompt, skills, state and tools. */
  async knowledge(agent = "default"): Promise<Knowledge<Session>> {
    checkId(agent, "agent id");
    const id = await knowledgeId(this.owner, agent);
    return knowledgeOf(await this.#unlisted().openSession(id, { agent }));
  }

  /** The session that holds the pins of the whole project: every session shows them. */
  async project(): Promise<Session> {
    return this.#unlisted().openSession(this.#projectId());
  }

  /** The sessions of the owner that no list shows. */
  #unlisted(): Memory {
    this.#knowledge ??= new Memory({
      ...this.#setting,
      owner: knowledgeOwner(this.owner),
      project: undefined,
    });
    return this.#knowledge;
  }

  #projectId(): string {
    const { project } = this.#setting;
    if (project === undefined)
      throw new HoldfastError(
        "invalid_input",
        `This memory belongs to no project. Open it with "project", or pin in one session with session.pins.`,
      );
    return `project-${shortHash(project)}`;
  }

  /** The pins of the whole project, the same list as long as nothing has changed. */
  async projectPins(): Promise<readonly ProjectPin[]> {
    if (this.#setting.project === undefined) return none;
    const sessionId = this.#projectId();
    const { store } = this.#setting;
    if ((await store.revision({ owner: knowledgeOwner(this.owner), sessionId })) === undefined) return none;
    const state = await (await this.project()).state();
    if (state.resident !== this.#shownPins?.resident)
      this.#shownPins = { resident: state.resident, pins: listPins(state) };
    return this.#shownPins.pins;
  }

  async createSession(options: NewSessionOptions = {}): Promise<Session> {
    return this.#create(this.#newRow(options, "created"), [], { type: "session.create" });
  }

  /** Throws `session_not_found` if there is no such session, or it is deleted. */
  async resumeSession(id: string): Promise<Session> {
    const session = await this.findSession(id);
    if (!session) throw sessionNotFound(id);
    return session;
  }

  async findSession(id: string): Promise<Session | undefined> {
    checkId(id, "session id");
    const open = this.#open.get(id);
    const state = open
      ? await open.state().catch(rethrowUnlessGone)
      : await loadState(this.#setting, this.owner, id);
    if (!state || state.row.status === "deleted") return undefined;
    return this.#remember(open ?? this.#session(state));
  }

  /** Resumes the session, or creates it if it does not exist. */
  async openSession(id: string, options: Omit<NewSessionOptions, "id"> = {}): Promise<Session> {
    const existing = await this.findSession(id);
    if (existing) return existing;
    try {
      return await this.createSession({ ...options, id });
    } catch (error) {
      // Another process may have created it meanwhile.
      const created =
        error instanceof HoldfastError && error.code === "session_exists"
          ? await this.findSession(id)
          : undefined;
      if (created) return created;
      throw error;
    }
  }

  async listSessions({ status = "active", ...selection }: SessionQuery = {}): Promise<SessionSummary[]> {
    const statuses: SessionStatus[] = status === "all" ? ["active", "archived"] : [status];
    return this.#setting.store.sessions(this.owner, { ...selection, statuses });
  }

  async archiveSession(id: string, options: ApplyOptions = {}): Promise<void> {
    await this.#setStatus(id, "archived", options);
  }

  /** Hides the session. `restoreSession` reverses this; `purgeSession` removes the session permanently. */
  async deleteSession(id: string, options: ApplyOptions = {}): Promise<void> {
    await this.#setStatus(id, "deleted", options);
  }

  async restoreSession(id: string, options: ApplyOptions = {}): Promise<void> {
    await this.#setStatus(id, "active", options);
  }

  /** Removes all rows, including the journal. Throws `conflict` while forks read from the session. */
  async purgeSession(id: string): Promise<void> {
    const session = await this.#findAnyStatus(id);
    const { row } = await session.state();
    const forks = row.lastFork > 0 ? await this.#forks(id) : [];
    if (forks.length > 0) {
      throw new HoldfastError(
        "conflict",
        `Session ${id} cannot be purged: it shares rows with its forks ${forks.join(", ")}. Purge the forks first, or delete this session to hide it.`,
        { data: { sessionId: id, forks } },
      );
    }
    await this.#setting.store.purge(scopeOf(row));
    this.#open.delete(id);
  }

  /**
   * Edits all stored text of this owner permanently: sessions, history, model calls and knowledge. `edit` must keep the
   * length of a text. Returns what changed, and what of the old text remains where.
   */
  async rewrite(edit: (text: string) => string): Promise<Rewritten> {
    const { store, clock } = this.#setting;
    if (!store.rewrite) {
      throw new HoldfastError(
        "store_failed",
        "This store cannot edit its stored text: it has no rewrite(). Nothing was changed. Purge the sessions instead.",
      );
    }
    this.#open.clear();
    this.#knowledge = undefined;
    const checked = (text: string) => {
      const edited = edit(text);
      return edited.length === text.length ? edited : text;
    };
    return store.rewrite([this.owner, knowledgeOwner(this.owner)], checked, clock());
  }

  /** Clears what the store's files keep of removed text; returns what remains. */
  async erase(): Promise<string[]> {
    return (await this.#setting.store.erase?.()) ?? [];
  }

  /** Copies notepad, notes, scratchpad, tasks, messages and history, at a cost independent of their size. */
  async forkSession(id: string, options: NewSessionOptions = {}): Promise<Session> {
    const parent = await this.resumeSession(id);
    const { agent, title } = (await parent.state()).row;
    const child = this.#newRow({ agent, title: title ?? undefined, ...options }, "forked");
    // Check the id before the parent's journal records the fork.
    if (await this.#exists(child.id)) throw sessionExists(child.id);
    const { result, state } = await parent.apply(
      { type: "session.fork", child: child.id },
      { actor: { kind: "system" } },
    );
    const row: SessionRow = {
      ...child,
      parent: id,
      lineage: [{ sessionId: id, revision: result.revision }, ...state.row.lineage],
      revision: result.revision + 1,
      counters: { ...state.row.counters },
      notepad: state.row.notepad,
    };
    return this.#create(row, residentRecords(state), {
      type: "session.forked",
      from: id,
      at: result.revision,
    });
  }

  /** Creates a child with an empty memory, or with a copy of the notepad. */
  async spawnSession(
    id: string,
    options: NewSessionOptions & { copyNotepad?: boolean } = {},
  ): Promise<Session> {
    const parent = await this.resumeSession(id);
    const { row } = await parent.state();
    const child = { ...this.#newRow({ agent: row.agent, ...options }, "spawned"), parent: id };
    return this.#create({ ...child, notepad: options.copyNotepad ? row.notepad : null }, [], {
      type: "session.create",
    });
  }

  async exportSession(id: string): Promise<SessionExport> {
    const { exportSession } = await loadTransfer();
    return this.#guard.hideInDocument(await exportSession(await this.resumeSession(id)));
  }

  /** Creates a session from an exported document. Default id: the exported one, or a new one if that exists. */
  async importSession(document: unknown, options: { id?: string } = {}): Promise<Session> {
    const { readExport } = await loadTransfer();
    const imported = this.#guard.cleanDocument(readExport(document, this.owner, this.#setting.clock()));
    const preferredId = checkId(options.id ?? imported.row.id, "session id");
    try {
      return await this.#insert({ ...imported, row: { ...imported.row, id: preferredId } });
    } catch (error) {
      // If the id exists and the caller did not ask for it, use a new one.
      if (options.id !== undefined || !(error instanceof HoldfastError && error.code === "session_exists"))
        throw error;
      const id = checkId(this.#setting.makeId(), "session id");
      return this.#insert({ ...imported, row: { ...imported.row, id } });
    }
  }

  /** Calls the listener after every commit to this owner's sessions, by any process. */
  async watch(listener: (change: { sessionId: string; revision: number }) => void): Promise<() => void> {
    return this.#setting.store.watch(
      ({ owner, sessionId, revision }: StoreChange) => {
        if (owner === this.owner) listener({ sessionId, revision });
      },
      { owner: this.owner },
    );
  }

  /** Calls the listener after every change to the knowledge of this owner's agents, by any process. */
  async watchKnowledge(listener: () => void): Promise<() => void> {
    const owner = knowledgeOwner(this.owner);
    return this.#setting.store.watch(
      (change) => {
        if (change.owner === owner) listener();
      },
      { owner },
    );
  }

  async close(): Promise<void> {
    this.retention.stop();
    this.#open.clear();
    await this.#setting.store.close();
  }

  #newRow(options: NewSessionOptions, origin: SessionRow["origin"]): SessionRow {
    const row = newRow(options, { origin, owner: this.owner, setting: this.#setting });
    return { ...row, title: this.#guard.clean(row.title, { isRecord: true }).value };
  }

  #create(row: SessionRow, records: StoredRecord[], operation: JournalEntry["operation"]): Promise<Session> {
    return this.#insert({ row, records, entries: [birthOf(row, operation)] });
  }

  async #insert(session: {
    row: SessionRow;
    records: StoredRecord[];
    entries: JournalEntry[];
  }): Promise<Session> {
    const { id } = session.row;
    if (!(await this.#setting.store.create(session))) throw sessionExists(id);
    const state = await loadState(this.#setting, this.owner, id);
    if (!state) throw sessionNotFound(id);
    return this.#remember(this.#session(state));
  }

  #makeRetention({ store, retention = keepEverything }: MemoryConfig): Retention {
    const own = retentionOwner(this.owner);
    return new Retention({
      store,
      owners: [this.owner, knowledgeOwner(this.owner), own],
      rules: retention,
      clock: this.#setting.clock,
      state: async () =>
        sweepStateIn(new Memory({ ...this.#setting, owner: own }), await sweepId(this.owner)),
      purge: async ({ owner, id, revision }) => {
        if (owner !== this.owner || (await store.revision({ owner, sessionId: id })) !== revision)
          return false;
        return this.purgeSession(id).then(() => true, isKept);
      },
    });
  }

  async #setStatus(id: string, status: SessionStatus, options: ApplyOptions): Promise<void> {
    const session = await this.#findAnyStatus(id);
    await session.apply({ type: "session.status", status }, { actor: { kind: "person" }, ...options });
  }

  async #findAnyStatus(id: string): Promise<Session> {
    const state = await loadState(this.#setting, this.owner, checkId(id, "session id"));
    if (!state) throw sessionNotFound(id);
    return this.#open.get(id) ?? this.#session(state);
  }

  async #forks(id: string): Promise<string[]> {
    const children = await this.#setting.store.sessions(this.owner, { parent: id });
    return children.filter(({ origin }) => origin === "forked").map((child) => child.id);
  }

  async #exists(id: string): Promise<boolean> {
    return (await this.#setting.store.revision({ owner: this.owner, sessionId: id })) !== undefined;
  }

  #session(state: State): Session {
    return new Session(this.#setting, state, {
      knowledge: (agent) => this.knowledge(agent),
      project: () => this.project(),
      projectPins: () => this.projectPins(),
    });
  }

  #remember(session: Session): Session {
    this.#open.delete(session.id);
    this.#open.set(session.id, session);
    const oldest = this.#open.size > maxOpen ? this.#open.keys().next().value : undefined;
    if (oldest !== undefined) this.#open.delete(oldest);
    return session;
  }
}

/** Loaded lazily: it imports zod, which would slow the start of a hook. */
function loadTransfer() {
  return import("./transfer.ts");
}

function sessionExists(id: string): HoldfastError {
  return new HoldfastError(
    "session_exists",
    `Session ${JSON.stringify(id)} already exists (it may be deleted). Resume it, restore it, or choose another id.`,
    { data: { sessionId: id } },
  );
}

/** A fork reads from it, or it is gone already. */
function isKept(error: unknown): false {
  if (error instanceof HoldfastError && ["conflict", "session_not_found"].includes(error.code)) return false;
  throw error;
}

function rethrowUnlessGone(error: unknown): undefined {
  if (error instanceof HoldfastError && error.code === "session_not_found") return undefined;
  throw error;
}

export interface NewSessionOptions {
  /** Default: random. */
  id?: string;
  agent?: string;
  title?: string;
}

/** The row of a session that has nothing in it yet. */
function newRow(
  options: NewSessionOptions,
  {
    origin,
    owner,
    setting,
  }: { origin: SessionRow["origin"]; owner: string; setting: Pick<MemoryConfig, "clock" | "makeId"> },
): SessionRow {
  const now = setting.clock();
  return {
    id: checkId(options.id ?? setting.makeId(), "session id"),
    owner,
    agent: checkId(options.agent ?? "default", "agent id"),
    title: options.title === undefined ? null : checkTitle(options.title),
    status: "active",
    origin,
    parent: null,
    lineage: [],
    createdAt: now,
    updatedAt: now,
    revision: 1,
    lastFork: 0,
    counters: emptyCounters(),
    notepad: null,
  };
}

/** The first entry of a session's journal. */
function birthOf(row: SessionRow, operation: JournalEntry["operation"]): JournalEntry {
  return {
    revision: row.revision,
    at: row.createdAt,
    actor: { kind: "system" },
    surface: "session",
    operation,
    changes: [],
    key: null,
    result: null,
  };
}

function residentRecords(state: State): StoredRecord[] {
  return residentKinds.flatMap((kind) =>
    listResident(state, kind).map(([key, value]) => ({ kind, key, value })),
  );
}
