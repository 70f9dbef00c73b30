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

/** How long an announcement to ourselves may take. */
const echoMilliseconds = 1_000;

/** How long a statement on the connection that listens may take. */
const queryMilliseconds = 4_000;

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
 * Reports commits to watchers: those of this process at once, those of others when they are announced. If
 * nobody announced a commit, because a process died or LISTEN does not work here, a look at the latest changes finds it.
 */
export class Feed {
  readonly #connections: Connections;
  readonly #warn: (warning: string) => void;
  readonly #watches = new Set<Watch>();
  /** The owners of the watched sessions, by channel. */
  readonly #owners = new Map<string, string>();
  /** The newest known revisions, and when they were learned, in the order of events in this process. */
  readonly #known = new Map<string, Announcement & { order: number }>();
  #order = 0;
  /** The changes that are not yet announced to other processes. */
  readonly #pending = new Map<string, Announcement>();
  #isAnnouncing = false;
  #sent: Promise<void> = Promise.resolve();
  /** One statement at a time on the connection that listens. */
  readonly #queue = new Queue();
  #client: Client | undefined;
  #isDeaf = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(connections: Connections, warn: (warning: string) => void) {
    this.#connections = connections;
    this.#warn = warn;
  }

  async watch(listener: Watch["listener"], scope: WatchScope): Promise<StopWatching> {
    const watch = { scope, listener, isReady: false };
    this.#watches.add(watch);
    this.#owners.set(channelOf(scope.owner), scope.owner);
    const stop = () => {
      this.#watches.delete(watch);
      if (this.#watches.values().every((other) => other.scope.owner !== scope.owner))
        this.#forget(scope.owner);
    };
    try {
      // Listen first, then look, so that nothing falls between.
      await this.#listen([channelOf(scope.owner)]);
      await this.#look([scope.owner], slackSeconds);
    } catch (error) {
      stop();
      throw error;
    }
    watch.isReady = true;
    if (!this.#heartbeat) this.#scheduleLook(Date.now());
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
    clearTimeout(this.#heartbeat);
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
    const announcements = [...this.#pending.values()];
    this.#pending.clear();
    if (announcements.length === 0) return;
    const channels = announcements.map(({ owner }) => channelOf(owner));
    const payloads = announcements.map(
      ({ sessionId, revision, createdAt }) => `${revision} ${createdAt} ${sessionId}`,
    );
    await this.#notify(channels, payloads).catch(() => undefined);
  }

  async #notify(channels: readonly string[], payloads: readonly string[]): Promise<void> {
    await this.#connections.query(
      "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS a(channel, payload)",
      [channels, payloads],
    );
  }

  /** The next look finds the changes that a failed look missed. */
  #scheduleLook(last: number): void {
    this.#heartbeat = setTimeout(async () => {
      this.#heartbeat = undefined;
      if (this.#watches.size === 0) return;
      const began = Date.now();
      if (!this.#client) await this.#listen([...this.#owners.keys()]);
      const isDone = await this.#look([...this.#owners.values()], (began - last) / 1_000 + slackSeconds).then(
        () => true,
        () => false,
      );
      this.#scheduleLook(isDone ? began : last);
    }, heartbeatMilliseconds).unref();
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
    if (!this.#owners.has(channelOf(owner))) return;
    const known = this.#known.get(keyOf(announcement));
    if (known && known.createdAt === createdAt && known.revision >= revision) return;
    this.#known.set(keyOf(announcement), { ...announcement, order: ++this.#order });
    for (const { scope, listener, isReady } of [...this.#watches]) {
      const isMeant = scope.owner === owner && (scope.sessionId ?? sessionId) === sessionId;
      if (isReady && isMeant) notifyListener(listener, { owner, sessionId, revision });
    }
  }

  /** Without a connection the heartbeat tries again, and finds what was missed. */
  async #listen(channels: readonly string[]): Promise<void> {
    await this.#queue.run(async () => {
      if (this.#isDeaf) return;
      try {
        this.#client ??= await this.#connect();
        for (const channel of channels) await this.#client.query(`LISTEN ${channel}`);
      } catch {
        if (this.#client) void endClient(this.#client);
        this.#client = undefined;
      }
    });
  }

  async #connect(): Promise<Client> {
    const { pg, address } = this.#connections;
    const client = await openClient(pg, address.listen ?? address, { query_timeout: queryMilliseconds });
    client.on("end", () => {
      if (this.#client === client) this.#client = undefined;
    });
    try {
      await this.#test(client);
    } catch (error) {
      void endClient(client);
      throw error;
    }
    client.on("notification", ({ channel, payload }) => this.#receive(channel, payload));
    return client;
  }

  /** Behind a pooler LISTEN is accepted and nothing ever arrives. */
  async #test(client: Client): Promise<void> {
    const channel = `holdfast_echo_${crypto.randomUUID().replaceAll("-", "")}`;
    const heard = new Promise<true>((resolve) => client.once("notification", () => resolve(true)));
    await client.query(`LISTEN ${channel}`);
    await this.#notify([channel], [""]);
    if (await Promise.race([heard, pause(echoMilliseconds, false)])) return;
    this.#isDeaf = true;
    this.#warn(
      "LISTEN does not work on this Postgres connection (a pooler in transaction mode?). Changes are found by polling, once a second. For live changes add ?listen=URL with the encoded URL of a direct connection.",
    );
    throw new Error("LISTEN does not work here");
  }

  #receive(channel: string, payload = ""): void {
    const owner = this.#owners.get(channel);
    // Any client can send to a channel.
    const [, revision, createdAt, sessionId] = /^(\d{1,15}) (\d{1,15}) (.+)$/s.exec(payload) ?? [];
    if (owner === undefined || sessionId === undefined) return;
    this.#learn({ owner, sessionId, revision: Number(revision), createdAt: Number(createdAt) });
  }

  #forget(owner: string): void {
    const channel = channelOf(owner);
    this.#owners.delete(channel);
    for (const [key, known] of this.#known) if (known.owner === owner) this.#known.delete(key);
    this.#queue.run(() => this.#client?.query(`UNLISTEN ${channel}`)).catch(() => undefined);
  }
}

function keyOf({ owner, sessionId }: StoreChange): string {
  return `${owner}\n${sessionId}`;
}
