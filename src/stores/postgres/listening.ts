import type { Client } from "pg";
import { Queue } from "../../engine/queue.ts";
import { notify } from "./announcer.ts";
import { endClient, openClient, type Pg } from "./open-client.ts";
import type { Pool } from "./pool.ts";
import type { ServerAddress } from "./server-address.ts";

/** How long an announcement to ourselves may take. */
const testMilliseconds = 1_000;
const reconnectMilliseconds = 500;
const limits = { lockMilliseconds: 1_000, statementMilliseconds: 3_000 };

/**
 * A connection that LISTENs. It must be direct: behind a pooler LISTEN is accepted and nothing ever arrives, so the
 * connection is tested first. Without it the feed still finds every change, at its heartbeat.
 */
export class Listening {
  readonly #pg: Pg;
  readonly #address: ServerAddress;
  readonly #pool: Pool;
  readonly #warn: (warning: string) => void;
  readonly #channels = new Set<string>();
  readonly #queue = new Queue();
  #client: Client | undefined;
  #isDeaf = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  onAnnouncement: (channel: string, payload: string | undefined) => void = () => {};
  onReconnect: () => void = () => {};

  constructor(pg: Pg, address: ServerAddress, pool: Pool, warn: (warning: string) => void) {
    this.#pg = pg;
    this.#address = address;
    this.#pool = pool;
    this.#warn = warn;
  }

  /** Resolves when announcements on the channel arrive, or when it is clear that none will. */
  async add(channel: string): Promise<void> {
    if (this.#channels.has(channel)) return;
    this.#channels.add(channel);
    await this.#queue.run(async () => {
      if (this.#isDeaf) return;
      if (this.#client) await this.#client.query(`LISTEN ${channel}`).catch(() => undefined);
      else await this.#connect();
    });
  }

  remove(channel: string): void {
    this.#channels.delete(channel);
    this.#client?.query(`UNLISTEN ${channel}`).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client) await endClient(client);
  }

  async #connect(): Promise<void> {
    let current: Client | undefined;
    const lost = () => {
      if (this.#client === current) this.#reconnectLater();
    };
    try {
      const { client } = await openClient(this.#pg, this.#address, limits, { pipeline: false, onEnd: lost });
      current = client;
      client.on("notification", ({ channel, payload }) => this.onAnnouncement(channel, payload));
      if (await this.#hears(client)) {
        for (const channel of this.#channels) await client.query(`LISTEN ${channel}`);
        this.#client = client;
      } else {
        this.#isDeaf = true;
        void endClient(client);
        this.#warn(
          "LISTEN does not work on this Postgres connection (a pooler in transaction mode?). Changes are found by polling, twice a second. For live changes add ?listen=URL with the encoded URL of a direct connection.",
        );
      }
    } catch {
      // The feed's polling reports an unreachable server to the waiting caller.
      if (current) void endClient(current);
      this.#reconnectLater();
    }
  }

  /** Sends an announcement the way commits do, and waits for it. */
  async #hears(client: Client): Promise<boolean> {
    const channel = `holdfast_test_${crypto.randomUUID().replaceAll("-", "")}`;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onNotification = (message: { channel: string }) => message.channel === channel && resolve(true);
    client.on("notification", onNotification);
    const timer = setTimeout(() => resolve(false), testMilliseconds);
    try {
      await client.query(`LISTEN ${channel}`);
      await this.#pool.run(notify([channel], [""]));
      return await promise;
    } finally {
      clearTimeout(timer);
      client.removeListener("notification", onNotification);
      client.query(`UNLISTEN ${channel}`).catch(() => undefined);
    }
  }

  #reconnectLater(): void {
    this.#client = undefined;
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#queue
        .run(async () => {
          if (this.#isStopped || this.#client) return;
          await this.#connect();
          if (this.#client) this.onReconnect();
        })
        .catch(() => undefined);
    }, reconnectMilliseconds).unref();
  }
}
