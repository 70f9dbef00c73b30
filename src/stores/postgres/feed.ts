import type { Client } from "pg";
import type { Listeners, StoreChange } from "../store.ts";
import type { Connection, ConnectionHooks } from "./connection.ts";

/** How often a connection that only listens is asked whether it is still there. */
const heartbeat = 10_000;

interface Announcement extends StoreChange {
  /** The session is new; what was known under its id is of a purged one. */
  born?: boolean;
}

/** LISTEN on a connection of its own. After a lost connection, missed changes are read from the table. */
export class Feed {
  readonly #connection: Connection;
  readonly #listeners: Listeners;
  readonly #told = new Map<string, number>();
  #starting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating = false;
  #listened = false;

  constructor(connect: (hooks: ConnectionHooks) => Connection, listeners: Listeners) {
    this.#listeners = listeners;
    this.#connection = connect({ prepare: (client) => this.#listen(client), lost: () => void this.#beat() });
  }

  async start(): Promise<void> {
    this.#starting ??= this.#ask();
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

  /** Any question makes a lost connection anew, and so listens again. */
  async #ask(): Promise<void> {
    await this.#connection.query("SELECT 1", []);
  }

  async #beat(): Promise<void> {
    if (this.#beating || !this.#listened) return;
    this.#beating = true;
    // A server that stays away is asked for again at the next heartbeat.
    await this.#ask().catch(() => undefined);
    this.#beating = false;
  }

  async #listen(client: Client): Promise<void> {
    client.on("notification", ({ payload }) => {
      const news = readAnnouncement(payload);
      if (news && (news.born || (this.#told.get(news.sessionId) ?? 0) < news.revision)) this.#tell(news);
    });
    await client.query("LISTEN holdfast");
    if (this.#listened) {
      const { rows } = await client.query<StoreChange>(
        'SELECT owner, id AS "sessionId", revision FROM agent_sessions',
      );
      for (const change of rows) if (this.#told.get(change.sessionId) !== change.revision) this.#tell(change);
    }
    this.#listened = true;
  }

  #tell({ owner, sessionId, revision }: Announcement): void {
    this.#told.set(sessionId, revision);
    this.#listeners.tell({ owner, sessionId, revision });
  }
}

/** Anybody who may connect may announce anything, so it is believed only if it has the right shape. */
function readAnnouncement(payload: string | undefined): Announcement | undefined {
  try {
    const news = JSON.parse(payload ?? "") as Partial<Announcement> | null;
    const isRight =
      typeof news?.owner === "string" &&
      typeof news.sessionId === "string" &&
      typeof news.revision === "number";
    return isRight ? (news as Announcement) : undefined;
  } catch {
    return undefined;
  }
}
