import { notifyListener, type StopWatching, type StoreChange, type WatchScope } from "../store.ts";
import { type Announcement, channelOf, readPayload } from "./announcer.ts";
import { touchedSeconds } from "./commit-functions.ts";
import type { Listening } from "./listening.ts";
import type { Pool } from "./pool.ts";
import { revisionsOf, touchedSince } from "./statements.ts";

/** A lost announcement is found within this time. */
const heartbeatMilliseconds = 300;

/** How far back to look at least: clocks of several servers differ, and a commit takes a moment. */
const slackSeconds = 30;

interface Watch {
  scope: WatchScope;
  listener: (change: StoreChange) => void;
}

interface Known {
  revision: number;
  createdAt: number;
  /** When it was learned, in the order of events in this process. */
  order: number;
}

/**
 * Reports commits to the watchers: those of this process at once, those of others when they are announced, and what
 * was announced to nobody by looking at the watched sessions.
 */
export class Feed {
  readonly #pool: Pool;
  readonly #listening: Listening;
  readonly #watches = new Set<Watch>();
  readonly #known = new Map<string, Known>();
  #order = 0;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  /** When the last look at an owner's sessions began. */
  readonly #looked = new Map<string, number>();

  constructor(pool: Pool, listening: Listening) {
    this.#pool = pool;
    this.#listening = listening;
    listening.onAnnouncement = (channel, payload) => this.#receive(channel, payload);
    listening.onReconnect = () => void this.#poll();
  }

  async watch(listener: Watch["listener"], scope: WatchScope): Promise<StopWatching> {
    const watch = { scope, listener };
    await this.#listening.add(channelOf(scope.owner));
    // What is there now is not news. Listen first, so that nothing falls between.
    for (const row of await this.#look(scope.owner, [watch])) this.#learn(scope.owner, row);
    this.#watches.add(watch);
    this.#timer ??= setInterval(() => void this.#poll(), heartbeatMilliseconds).unref();
    return () => {
      this.#watches.delete(watch);
      if (this.#ownedBy(scope.owner).length === 0) this.#forget(scope.owner);
      if (this.#watches.size === 0) this.#stopTimer();
    };
  }

  /** A commit of this process. */
  committed(owner: string, announcement: Announcement): void {
    if (this.#watches.size > 0) this.#news(owner, announcement);
  }

  async stop(): Promise<void> {
    this.#watches.clear();
    this.#stopTimer();
    await this.#listening.stop();
  }

  #receive(channel: string, payload: string | undefined): void {
    for (const owner of this.#owners())
      if (channelOf(owner) === channel) for (const each of readPayload(payload)) this.#news(owner, each);
  }

  /** One look at a time; a look that fails is repeated at the next heartbeat. */
  #poll(): Promise<void> {
    this.#polling ??= this.#pollOwners()
      .catch(() => undefined)
      .finally(() => {
        this.#polling = undefined;
      });
    return this.#polling;
  }

  async #pollOwners(): Promise<void> {
    for (const owner of this.#owners()) {
      const began = this.#order;
      for (const row of await this.#look(owner, this.#ownedBy(owner))) {
        // Learned while the look was under way: newer than what it saw.
        const known = this.#known.get(keyOf(owner, row.sessionId));
        if (!known || known.order <= began) this.#news(owner, row);
      }
    }
  }

  /** The watched sessions of one owner: those named, or all that changed lately if one watch names none. */
  async #look(owner: string, watches: readonly Watch[]): Promise<Announcement[]> {
    const began = Date.now();
    const ids = watches.map(({ scope }) => scope.sessionId);
    const named = ids.filter((id) => id !== undefined);
    const since = (began - (this.#looked.get(owner) ?? began)) / 1_000 + slackSeconds;
    const statement =
      named.length === ids.length
        ? revisionsOf(owner, [...new Set(named)])
        : touchedSince(owner, since, touchedSeconds);
    const rows = await this.#pool.run<{ id: string; revision: number; created_at: number }>(statement);
    if (named.length < ids.length) this.#looked.set(owner, began);
    return rows.map(({ id, revision, created_at }) => ({ sessionId: id, revision, createdAt: created_at }));
  }

  #news(owner: string, announcement: Announcement): void {
    const { sessionId, revision, createdAt } = announcement;
    const known = this.#known.get(keyOf(owner, sessionId));
    if (known && known.createdAt === createdAt && known.revision >= revision) return;
    this.#learn(owner, announcement);
    for (const { scope, listener } of [...this.#watches]) {
      if (scope.owner !== owner || (scope.sessionId ?? sessionId) !== sessionId) continue;
      notifyListener(listener, { owner, sessionId, revision });
    }
  }

  #learn(owner: string, { sessionId, revision, createdAt }: Announcement): void {
    const known = this.#known.get(keyOf(owner, sessionId));
    if (known?.createdAt === createdAt && known.revision >= revision) return;
    this.#known.set(keyOf(owner, sessionId), { revision, createdAt, order: ++this.#order });
  }

  #forget(owner: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(keyOf(owner, ""))) this.#known.delete(key);
    this.#looked.delete(owner);
    this.#listening.remove(channelOf(owner));
  }

  #owners(): string[] {
    return [...new Set([...this.#watches].map(({ scope }) => scope.owner))];
  }

  #ownedBy(owner: string): Watch[] {
    return [...this.#watches].filter(({ scope }) => scope.owner === owner);
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function keyOf(owner: string, sessionId: string): string {
  return `${owner}\n${sessionId}`;
}
