import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { Queue } from "../../engine/queue.ts";
import { notifyListener, type StopWatching, type StoreChange, type WatchScope } from "../store.ts";
import { type Connections, endClient, openClient } from "./connections.ts";

/** A change that was not announced, or not heard, is found within this time. */
const heartbeatMilliseconds = 1_000;

/** How far back a heartbeat looks at least: clocks of several servers differ, and a commit takes a moment. */
const slackSeconds = 30;

/** At most one announcement per process in this time: every NOTIFY takes a lock that the whole server shares. */
const pauseMilliseconds = 50;

/** Sessions per payload, which may have 8,000 bytes. */
const batchSize = 40;

/** How long an announcement to ourselves may take. */
const echoMilliseconds = 1_000;

/** How long closing waits for the last announcements. */
const closeMilliseconds = 1_000;

/** A session's newest revision. `createdAt` tells a session from a purged one with the same id. */
interface Announcement extends StoreChange {
  createdAt: number;
}

interface Watch {
  scope: WatchScope;
  listener: (change: StoreChange) => void;
  /** False until what was there before is known. */
  isReady: boolean;
}

/** The channel of one owner. A hash, because every listener on the server can see the names of channels. */
export function channelOf(owner: string): string {
  return `holdfast_${createHash("sha256").update(owner).digest("hex").slice(0, 24)}`;
}

/**
 * Reports commits to watchers: those of this process at once, those of others when they are announced. What nobody
 * announced, because a process died or LISTEN does not work here, is found by looking at what changed lately.
 */
export class Feed {
  readonly #connections: Connections;
  readonly #warn: (warning: string) => void;
  readonly #watches = new Set<Watch>();
  /** The newest known revisions, and when they were learned, in the order of events in this process. */
  readonly #known = new Map<string, Announcement & { order: number }>();
  #order = 0;
  /** What is not yet announced to other processes. */
  readonly #pending = new Map<string, Announcement>();
  #isAnnouncing = false;
  #sent: Promise<void> = Promise.resolve();
  /** One statement at a time on the connection that listens. */
  readonly #queue = new Queue();
  #client: Client | undefined;
  #isDeaf = false;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #lastLook = 0;

  constructor(connections: Connections, warn: (warning: string) => void) {
    this.#connections = connections;
    this.#warn = warn;
  }

  async watch(listener: Watch["listener"], scope: WatchScope): Promise<StopWatching> {
    const watch = { scope, listener, isReady: false };
    const stop = () => {
      this.#watches.delete(watch);
      if (!this.#isWatched(scope.owner)) this.#forget(scope.owner);
      if (this.#watches.size === 0) this.#stopTimer();
    };
    if (this.#watches.size === 0) this.#lastLook = Date.now();
    this.#watches.add(watch);
    try {
      // Listen first, then look, so that nothing falls between.
      await this.#listen([scope.owner]);
      await this.#look([scope.owner], slackSeconds);
    } catch (error) {
      stop();
      throw error;
    }
    watch.isReady = true;
    this.#timer ??= setInterval(() => void this.#beat(), heartbeatMilliseconds).unref();
    return stop;
  }

  /** A commit of this process. */
  announce(announcement: Announcement): void {
    this.#learn(announcement);
    this.#pending.set(keyOf(announcement), announcement);
    if (!this.#isAnnouncing) void this.#announceAll();
  }

  async close(): Promise<void> {
    this.#watches.clear();
    this.#stopTimer();
    // Not longer if the server is away: whoever watches looks for it.
    const announced = this.#sent.then(() => this.#announcePending());
    await Promise.race([announced, pause(closeMilliseconds, undefined, { ref: false })]);
    await this.#queue.run(() => this.#client && endClient(this.#client));
  }

  async #announceAll(): Promise<void> {
    this.#isAnnouncing = true;
    while (this.#pending.size > 0) {
      this.#sent = this.#announcePending();
      await this.#sent;
      await pause(pauseMilliseconds, undefined, { ref: false });
    }
    this.#isAnnouncing = false;
  }

  /** After the commits, not in them: all commits of the server would wait for the lock that NOTIFY takes. */
  async #announcePending(): Promise<void> {
    const byOwner = Map.groupBy(this.#pending.values(), ({ owner }) => owner);
    this.#pending.clear();
    const [channels, payloads]: [string[], string[]] = [[], []];
    for (const [owner, announcements] of byOwner) {
      for (let from = 0; from < announcements.length; from += batchSize) {
        channels.push(channelOf(owner));
        payloads.push(writePayload(announcements.slice(from, from + batchSize)));
      }
    }
    if (channels.length > 0) await this.#notify(channels, payloads).catch(() => undefined);
  }

  async #notify(channels: readonly string[], payloads: readonly string[]): Promise<void> {
    await this.#connections.query(
      "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS a(channel, payload)",
      [channels, payloads],
    );
  }

  /** One at a time; one that fails is repeated by the next. */
  #beat(): Promise<void> {
    this.#beating ??= this.#catchUp()
      .catch(() => undefined)
      .finally(() => {
        this.#beating = undefined;
      });
    return this.#beating;
  }

  async #catchUp(): Promise<void> {
    const owners = this.#owners();
    if (!this.#client) await this.#listen(owners);
    const began = Date.now();
    await this.#look(owners, (began - this.#lastLook) / 1_000 + slackSeconds);
    this.#lastLook = began;
  }

  async #look(owners: readonly string[], seconds: number): Promise<void> {
    const order = this.#order;
    const { rows } = await this.#connections.query<{
      owner: string;
      id: string;
      revision: number;
      created_at: number;
    }>(
      `SELECT owner, id, revision, created_at FROM agent_sessions
       WHERE owner = ANY($1) AND touched > now() - $2 * interval '1 second'`,
      [owners, seconds],
    );
    for (const { owner, id, revision, created_at } of rows) {
      const found = { owner, sessionId: id, revision, createdAt: created_at };
      // Learned while the look was under way: newer than what it saw.
      if ((this.#known.get(keyOf(found))?.order ?? 0) <= order) this.#learn(found);
    }
  }

  #learn(announcement: Announcement): void {
    const { owner, sessionId, revision, createdAt } = announcement;
    if (!this.#isWatched(owner)) return;
    const known = this.#known.get(keyOf(announcement));
    if (known && known.createdAt === createdAt && known.revision >= revision) return;
    this.#known.set(keyOf(announcement), { ...announcement, order: ++this.#order });
    for (const { scope, listener, isReady } of [...this.#watches]) {
      const isMeant = scope.owner === owner && (scope.sessionId ?? sessionId) === sessionId;
      if (isReady && isMeant) notifyListener(listener, { owner, sessionId, revision });
    }
  }

  /** Without a connection the heartbeat tries again, and finds what was missed. */
  async #listen(owners: readonly string[]): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#isDeaf) return;
      try {
        this.#client ??= await this.#connect();
        for (const owner of owners) await this.#client?.query(`LISTEN ${channelOf(owner)}`);
      } catch {
        this.#client = undefined;
      }
    });
  }

  /** Undefined if nothing can be heard: behind a pooler LISTEN is accepted and nothing ever arrives. */
  async #connect(): Promise<Client | undefined> {
    const { pg, address } = this.#connections;
    const client = await openClient(pg, address.listen ?? address);
    client.on("end", () => {
      if (this.#client === client) this.#client = undefined;
    });
    client.on("notification", ({ channel, payload }) => this.#receive(channel, payload));
    const echo = new Promise<boolean>((resolve) => {
      client.on("notification", () => resolve(true));
      setTimeout(() => resolve(false), echoMilliseconds).unref();
    });
    const channel = `holdfast_echo_${crypto.randomUUID().replaceAll("-", "")}`;
    await client.query(`LISTEN ${channel}`);
    await this.#notify([channel], [""]);
    if (await echo) return client;
    this.#isDeaf = true;
    void endClient(client);
    this.#warn(
      "LISTEN does not work on this Postgres connection (a pooler in transaction mode?). Changes are found by polling, once a second. For live changes add ?listen=URL with the encoded URL of a direct connection.",
    );
    return undefined;
  }

  #receive(channel: string, payload: string | undefined): void {
    for (const owner of this.#owners())
      if (channelOf(owner) === channel)
        for (const announcement of readPayload(owner, payload)) this.#learn(announcement);
  }

  #forget(owner: string): void {
    for (const [key, known] of this.#known) if (known.owner === owner) this.#known.delete(key);
    void this.#queue.run(() => this.#client?.query(`UNLISTEN ${channelOf(owner)}`)).catch(() => undefined);
  }

  #isWatched(owner: string): boolean {
    return this.#watches.values().some(({ scope }) => scope.owner === owner);
  }

  #owners(): string[] {
    return [...new Set([...this.#watches].map(({ scope }) => scope.owner))];
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function keyOf({ owner, sessionId }: StoreChange): string {
  return `${owner}\n${sessionId}`;
}

function writePayload(announcements: readonly Announcement[]): string {
  return JSON.stringify(
    announcements.map(({ sessionId, revision, createdAt }) => [sessionId, revision, createdAt]),
  );
}

/** Any client can send to a channel, so validate the payload. */
function readPayload(owner: string, payload: string | undefined): Announcement[] {
  let given: unknown;
  try {
    given = JSON.parse(payload ?? "");
  } catch {
    return [];
  }
  return (Array.isArray(given) ? given : []).flatMap((each: unknown) => {
    const [sessionId, revision, createdAt] = Array.isArray(each) ? (each as unknown[]) : [];
    const isValid =
      typeof sessionId === "string" && Number.isSafeInteger(revision) && Number.isSafeInteger(createdAt);
    return isValid
      ? [{ owner, sessionId, revision: revision as number, createdAt: createdAt as number }]
      : [];
  });
}
