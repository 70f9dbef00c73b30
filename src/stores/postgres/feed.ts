import type { Client } from "pg";
import type { Listeners, StoreChange } from "../store.ts";
import type { Connection, ConnectionHooks } from "./connection.ts";

/** How often to check the listening connection. */
const heartbeat = 10_000;

interface Announcement extends StoreChange {
  /** A new session; known revisions belong to a purged one with the same id. */
  born?: boolean;
}

/** LISTENs on a separate connection. After a reconnect, reads missed changes from the table. */
export class Feed {
  readonly #connection: Connection;
  readonly #listeners: Listeners;
  readonly #notified = new Map<string, number>();
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating = false;
  #listened = false;

  constructor(connect: (hooks: ConnectionHooks) => Connection, listeners: Listeners) {
    this.#listeners = listeners;
    this.#connection = connect({ prepare: (client) => this.#listen(client), lost: () => void this.#beat() });
  }

  async start(): Promise<void> {
    this.#starting ??= this.#ping();
    try {
      await this.#starting;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
    this.#timer ??= setInterval(() => void this.#beat(), heartbeat).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#connection.close();
  }

  /** Any query reconnects a lost connection, which listens again. */
  async #ping(): Promise<void> {
    await this.#connection.query("SELECT 1", []);
  }

  async #beat(): Promise<void> {
    if (this.#beating || !this.#listened) return;
    this.#beating = true;
    // If the server is down, the next heartbeat retries.
    await this.#ping().catch(() => undefined);
    this.#beating = false;
  }

  async #listen(client: Client): Promise<void> {
    client.on("notification", ({ payload }) => {
      const change = readAnnouncement(payload);
      if (change && (change.born || (this.#notified.get(change.sessionId) ?? 0) < change.revision))
        this.#notify(change);
    });
    await client.query("LISTEN holdfast");
    if (this.#listened) {
      const { rows } = await client.query<StoreChange>(
        'SELECT owner, id AS "sessionId", revision FROM agent_sessions',
      );
      for (const change of rows)
        if (this.#notified.get(change.sessionId) !== change.revision) this.#notify(change);
    }
    this.#listened = true;
  }

  #notify({ owner, sessionId, revision }: Announcement): void {
    this.#notified.set(sessionId, revision);
    this.#listeners.notify({ owner, sessionId, revision });
  }
}

/** Any client can send to the channel, so validate the payload. */
function readAnnouncement(payload: string | undefined): Announcement | undefined {
  try {
    const change = JSON.parse(payload ?? "") as Partial<Announcement> | null;
    const isValid =
      typeof change?.owner === "string" &&
      typeof change.sessionId === "string" &&
      typeof change.revision === "number";
    return isValid ? (change as Announcement) : undefined;
  } catch {
    return undefined;
  }
}
