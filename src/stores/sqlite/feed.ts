import type { StatementSync } from "node:sqlite";
import { rowsAs } from "../sql-rows.ts";
import type { Statement } from "../sql-store.ts";
import { Listeners, type Scope, type StopWatching, type StoreChange } from "../store.ts";

/** Changes that are kept for watchers; one that has missed more looks at every session. */
const keptChanges = 1_000;
/** Old ones are removed in steps, because every removal changes a page more. */
const removedAtOnce = 100;

/** Between two looks for commits of other processes, while there are watchers. */
const pollMilliseconds = 100;

interface Statements {
  prepare(sql: string): StatementSync;
}

type NumberedChange = StoreChange & { number: number };

/** The open file, as the feed reads it. */
interface WatchedFile extends Statements {
  /** Runs a read and waits for locks. */
  read(work: () => void): Promise<void>;
  assertOpen(): void;
}

/** Notifies watchers of commits, by this process and by others. A poll reads only the sessions that changed. */
export class SqliteFeed {
  readonly #file: WatchedFile;
  readonly #listeners = new Listeners();
  /** The last revision reported, by session; only of sessions that changed since there are watchers. */
  readonly #notified = new Map<string, number>();
  /** The newest change that a poll has seen. */
  #lastChange = 0;
  /** The data_version at the last poll. */
  #polled = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: WatchedFile) {
    this.#file = file;
  }

  async watch(listener: (change: StoreChange) => void): Promise<StopWatching> {
    if (this.#listeners.size === 0) {
      await this.#file.read(() => {
        this.#polled = this.#version();
        this.#lastChange = lastChange(this.#file);
      });
      this.#notified.clear();
      clearInterval(this.#timer);
      this.#timer = setInterval(() => this.#poll(), pollMilliseconds);
      this.#timer.unref();
    }
    const remove = this.#listeners.add(listener);
    return () => {
      remove();
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** Reports a commit of this process. */
  notify(change: StoreChange): void {
    if (this.#listeners.size === 0) return;
    this.#notified.set(ownedId(change), change.revision);
    this.#listeners.notify(change);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** SQLite's data_version, which changes when another process commits. */
  #version(): number {
    this.#file.assertOpen();
    return (this.#file.prepare("PRAGMA data_version").get() as { data_version: number }).data_version;
  }

  #poll(): void {
    let found: ReturnType<typeof changesAfter>;
    try {
      const version = this.#version();
      if (version === this.#polled) return;
      found = changesAfter(this.#file, this.#lastChange);
      this.#polled = version;
    } catch {
      // The file is unreachable or locked. Reads and writes report it; the next poll retries.
      return;
    }
    this.#lastChange = found.last;
    for (const change of found.changes) {
      if (this.#notified.get(ownedId(change)) === change.revision) continue;
      this.#notified.set(ownedId(change), change.revision);
      this.#listeners.notify(change);
    }
  }
}

/** Notes a commit, in its transaction, for the watchers of other processes. */
export function addChange(rows: Statements, { owner, sessionId }: Scope, revision: number): void {
  const { lastInsertRowid } = rows
    .prepare("INSERT INTO store_changes (owner, session_id, revision) VALUES (?, ?, ?)")
    .run(owner, sessionId, revision);
  const number = Number(lastInsertRowid);
  if (number % removedAtOnce === 0)
    rows.prepare("DELETE FROM store_changes WHERE number <= ?").run(number - keptChanges);
}

/** The last number stays, so that the next one is new to every watcher. */
export function forgetChanges({ owner, sessionId }: Scope): Statement {
  return {
    text: "UPDATE store_changes SET owner = '', session_id = '' WHERE owner = $1 AND session_id = $2",
    values: [owner, sessionId],
  };
}

export function lastChange(rows: Statements): number {
  return Number(rows.prepare("SELECT max(number) AS last FROM store_changes").get()?.last ?? 0);
}

/** The commits after a change, each session once with its newest revision. */
export function changesAfter(rows: Statements, seen: number): { changes: StoreChange[]; last: number } {
  const found = rowsAs<NumberedChange>(
    rows
      .prepare(
        "SELECT number, owner, session_id AS sessionId, revision FROM store_changes WHERE number > ? ORDER BY number",
      )
      .all(seen),
  );
  const last = found.at(-1)?.number ?? seen;
  const isComplete = (found[0]?.number ?? seen + 1) === seen + 1;
  const changes = isComplete ? found : everySession(rows);
  const newest = new Map(
    changes
      .filter(({ sessionId }) => sessionId !== "")
      .map(({ owner, sessionId, revision }) => [
        ownedId({ owner, sessionId }),
        { owner, sessionId, revision },
      ]),
  );
  return { changes: [...newest.values()], last };
}

function everySession(rows: Statements): StoreChange[] {
  return rowsAs<StoreChange>(
    rows.prepare("SELECT owner, id AS sessionId, revision FROM agent_sessions ORDER BY updated_at, id").all(),
  );
}

function ownedId({ owner, sessionId }: Scope): string {
  return `${sessionId}\n${owner}`;
}
