import { Listeners, type Scope, type StopWatching, type StoreChange } from "../store.ts";
import { changesAfter, lastChange } from "./changes.ts";
import type { SqliteRows } from "./session-rows.ts";

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
        this.#lastChange = lastChange(rows);
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
    let found: ReturnType<typeof changesAfter>;
    try {
      const version = this.#parts.version();
      if (version === this.#polled) return;
      found = changesAfter(this.#parts.rows, this.#lastChange);
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

export function ownedId({ owner, sessionId }: Scope): string {
  return `${sessionId}\n${owner}`;
}
