import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { RecordKind } from "../engine/records.ts";
import type { SessionRow, SessionStatus } from "../engine/state.ts";
import type { Ledger } from "./ledger.ts";

/** One session of one owner: every call names both, and a session of another owner does not exist. */
export interface Scope {
  owner: string;
  sessionId: string;
}

/** A null value removes the record. */
export interface RecordWrite {
  kind: RecordKind;
  key: string;
  value: Json;
}

export interface StoredRecord {
  kind: RecordKind;
  key: string;
  /** Null: the record is known to be gone, which hides one inherited from an ancestor. */
  value: Json;
}

export interface RecordSelection {
  kinds: readonly RecordKind[];
  /** Only these keys. */
  keys?: readonly string[];
  /** Only keys from here to there, both included. */
  from?: string;
  to?: string;
  /** As they were at this revision; now, when absent. */
  at?: number;
}

/** Entries with `from <= revision <= to`. */
export interface JournalSelection {
  from?: number;
  to?: number;
  limit?: number;
  newestFirst?: boolean;
}

export interface NewSession {
  row: SessionRow;
  records: readonly RecordWrite[];
  entries: readonly JournalEntry[];
}

export interface Commit {
  scope: Scope;
  /** The revision the operation was applied to. */
  expected: number;
  /** The session after the operation; its revision is `expected + 1`. */
  row: Readonly<SessionRow>;
  notepadChanged: boolean;
  records: readonly RecordWrite[];
  entry: JournalEntry;
}

export interface SessionSelection {
  agent?: string;
  statuses?: readonly SessionStatus[];
  parent?: string;
  limit?: number;
  offset?: number;
}

/** A session without its text: what a list shows. */
export type SessionSummary = Omit<SessionRow, "notepad" | "lineage" | "counters" | "lastFork"> & {
  notes: number;
};

export interface StoreChange {
  owner: string;
  sessionId: string;
  revision: number;
}

export type StopWatching = () => void;

/**
 * Where sessions live. A driver keeps rows and knows nothing of what they mean.
 * Whatever it acknowledges is durable, unless its user named a weaker mode.
 */
export interface Store {
  readonly name: string;
  /** False when the id is taken. */
  create(session: NewSession): Promise<boolean>;
  /** The session's row and its resident records. */
  load(scope: Scope): Promise<{ row: SessionRow; records: StoredRecord[] } | undefined>;
  /** The cheapest question a store answers: is what I have still current? */
  revision(scope: Scope): number | undefined | Promise<number | undefined>;
  /** All of the commit or nothing; false when the session is no longer at the expected revision, or is another of its id. */
  commit(commit: Commit): Promise<boolean>;
  /** In the order of kind and key, both by code point. */
  records(scope: Scope, selection: RecordSelection): Promise<StoredRecord[]>;
  journal(scope: Scope, selection: JournalSelection): Promise<JournalEntry[]>;
  entryByKey(scope: Scope, key: string): Promise<JournalEntry | undefined>;
  /** Newest first, by the time of the last commit. */
  sessions(owner: string, selection: SessionSelection): Promise<SessionSummary[]>;
  /** Removes every row of the session for good. */
  purge(scope: Scope): Promise<boolean>;
  /** What models were given; a store that keeps no such record has none. */
  readonly ledger?: Ledger;
  /** Hears of every commit, of this process and of others, at least once and in order per session. */
  watch(listener: (change: StoreChange) => void): Promise<StopWatching>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Called with what was repaired or dropped. Default: `console.warn`. */
  onWarning?: (warning: string) => void;
}

/** Listeners of one process. */
export class Listeners {
  readonly #listeners = new Set<(change: StoreChange) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: (change: StoreChange) => void): StopWatching {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(change: StoreChange): void {
    for (const listener of [...this.#listeners]) notifyListener(listener, change);
  }
}

/** A failing listener does not undo the write; its error is reported as uncaught. */
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
