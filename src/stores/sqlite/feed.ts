import type { SqlSession } from "../sql-rows.ts";
import { Listeners, type Scope, type StopWatching, type StoreChange } from "../store.ts";
import type { SqliteRows } from "./session-rows.ts";
import { rowsAs } from "./typed-rows.ts";

interface FeedParts {
  rows: SqliteRows;
  /** SQLite's data_version, which changes when another process commits. */
  version: () => number;
  /** Runs a read and waits for locks. */
  read: (work: () => void) => Promise<void>;
  pollMilliseconds: number;
}

/** Notifies watchers of commits, by this process and by others. A poll reads only the sessions that changed. */
export class SqliteFeed {
  readonly #parts: FeedParts;
  readonly #listeners = new Listeners();
  /** The last revision reported, by session; only of sessions that changed since there are watchers. */
  readonly #notified = new Map<string, number>();
  /** The newest change that a poll has seen. */
  #lastChange = 0;
  /** The data_version at the last poll. */
  #polled = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  async watch(listener: (change: StoreChange) => void): Promise<StopWatching> {
    const { rows, version, read, pollMilliseconds } = this.#parts;
    if (this.#listeners.size === 0) {
      await read(() => {
        this.#polled = version();
        this.#lastChange = Number(rows.prepare("SELECT last FROM store_changes").get()?.last ?? 0);
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

  #poll(): void {
    let changes: (StoreChange & { change: number })[];
    try {
      const version = this.#parts.version();
      if (version === this.#polled) return;
      changes = this.#changes();
      this.#polled = version;
    } catch {
      // The file is unreachable or locked. Reads and writes report it; the next poll retries.
      return;
    }
    for (const { change, ...changed } of changes) {
      this.#lastChange = change;
      if (this.#notified.get(ownedId(changed)) === changed.revision) continue;
      this.#notified.set(ownedId(changed), changed.revision);
      this.#listeners.notify(changed);
    }
  }

  /** The sessions committed to after the last change, each with its newest revision. */
  #changes(): (StoreChange & { change: number })[] {
    const found = this.#parts.rows
      .prepare("SELECT owner, id, revision, change FROM agent_sessions WHERE change > ? ORDER BY change")
      .all(this.#lastChange);
    return rowsAs<SqlSession & { change: number }>(found).map(({ owner, id, revision, change }) => ({
      owner,
      sessionId: id,
      revision,
      change,
    }));
  }
}

export function ownedId({ owner, sessionId }: Scope): string {
  return `${sessionId}\n${owner}`;
}
