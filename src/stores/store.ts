import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { RecordKind } from "../engine/records.ts";
import type { SessionRow, SessionStatus } from "../engine/state.ts";
import type { Ledger } from "./ledger.ts";
import type { Rewritten, TextEdit } from "./rewrite.ts";
import type { Trimming } from "./trim.ts";

/** One session of one owner. Every call names both; sessions of other owners are invisible. */
export interface Scope {
  owner: string;
  sessionId: string;
}

export interface StoredRecord {
  kind: RecordKind;
  key: string;
  /** Null: removed. A fork keeps the null, because it hides the record that its ancestor has. */
  value: Json;
}

export interface RecordSelection {
  kinds: readonly RecordKind[];
  /** Only these keys. */
  keys?: readonly string[];
  /** Only keys in this range, inclusive. */
  from?: string;
  to?: string;
  /** As of this revision (default: the current one). */
  at?: number;
}

/** Entries with `from <= revision <= to`. */
export interface JournalSelection {
  from?: number;
  to?: number;
  limit?: number;
  newestFirst?: boolean;
}

/** The `to` of a version that is still valid. */
export const openEnd = Number.MAX_SAFE_INTEGER;

/** One version of a record, valid from revision `from` up to, not including, `to`. The current version ends at 2^53 - 1. */
export interface RecordVersion extends StoredRecord {
  from: number;
  to: number;
}

export interface NewSession {
  row: SessionRow;
  records: readonly StoredRecord[];
  /** A copied session: all versions of its records, with those that only forks read. `records` is empty then. */
  versions?: readonly RecordVersion[];
  entries: readonly JournalEntry[];
}

export interface Commit {
  scope: Scope;
  /** The revision the operation was applied to. */
  expected: number;
  /** The session after the operation; its revision is `expected + 1`. */
  row: Readonly<SessionRow>;
  notepadChanged: boolean;
  records: readonly StoredRecord[];
  entry: JournalEntry;
}

export interface SessionSelection {
  agent?: string;
  statuses?: readonly SessionStatus[];
  parent?: string;
  limit?: number;
  /** Only sessions that the list shows after this one: the last of the page before. */
  after?: { updatedAt: number; id: string };
}

/** A session without its text, for lists. */
export type SessionSummary = Omit<SessionRow, "notepad" | "lineage" | "counters" | "lastFork"> & {
  notes: number;
};

export interface StoreChange {
  owner: string;
  sessionId: string;
  revision: number;
}

/** One session, or all sessions of an owner. */
export interface WatchScope {
  owner: string;
  sessionId?: string;
}

export type StopWatching = () => void;

/**
 * The storage port. A driver stores rows without interpreting them. Every acknowledged write is durable, unless
 * the user chose a weaker mode.
 */
export interface Store {
  /** False if the owner has a session with this id. Another owner's is not noticed. */
  create(session: NewSession): Promise<boolean>;
  /** The session's row and its resident records. */
  load(scope: Scope): Promise<{ row: SessionRow; records: StoredRecord[] } | undefined>;
  /** The current revision. Must be cheap: callers use it to check whether their state is stale. */
  revision(scope: Scope): Promise<number | undefined>;
  /** Atomic. False if the session is not at the expected revision, or was purged and created again. */
  commit(commit: Commit): Promise<boolean>;
  /** Ordered by kind, then key, both by code point. */
  records(scope: Scope, selection: RecordSelection): Promise<StoredRecord[]>;
  /** Every version of the session's own records, by kind, key and time. */
  versions(scope: Scope): Promise<RecordVersion[]>;
  journal(scope: Scope, selection: JournalSelection): Promise<JournalEntry[]>;
  entryByKey(scope: Scope, key: string): Promise<JournalEntry | undefined>;
  /** Ordered by last commit, newest first. */
  sessions(owner: string, selection: SessionSelection): Promise<SessionSummary[]>;
  /** Permanently removes all rows of the session. */
  purge(scope: Scope): Promise<boolean>;
  /**
   * Edits all text of these owners' sessions where it is stored: rows in every version, journal and ledger. Then clears
   * what the store's files keep of the old text. Each changed session gets a new revision. Optional.
   */
  rewrite?(owners: readonly string[], edit: TextEdit, now: number): Promise<Rewritten>;
  /** Clears what the store's files keep of text that was removed; returns what remains and when it goes. Optional. */
  erase?(): Promise<string[]>;
  /** Removes what retention no longer keeps. Optional: a store without it keeps everything. */
  readonly trimming?: Trimming;
  /** Records model calls; optional. */
  readonly ledger?: Ledger;
  /**
   * Calls the listener after commits in the scope, by any process: in order per session, and for its newest revision
   * at least once. Several commits may be reported as one, and a store may report other sessions too.
   */
  watch(listener: (change: StoreChange) => void, scope: WatchScope): Promise<StopWatching>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Called with a known limit of this SQLite version or Postgres connection. Default: `console.warn`. */
  onWarning?: (warning: string) => void;
  /** Milliseconds to retry before a store that is locked or unreachable is reported. Each store has its own default. */
  lockTimeout?: number;
}

/** The listeners in this process. */
export class Listeners {
  readonly #listeners = new Set<(change: StoreChange) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: (change: StoreChange) => void): StopWatching {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(change: StoreChange): void {
    for (const listener of [...this.#listeners]) notifyListener(listener, change);
  }
}

/** An error in a listener does not fail the write; it is rethrown as an uncaught exception. */
export function notifyListener<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export function summaryOf(row: SessionRow): SessionSummary {
  const { notepad: _notepad, lineage: _lineage, counters, lastFork: _lastFork, ...rest } = row;
  return { ...rest, notes: counters.notes };
}
