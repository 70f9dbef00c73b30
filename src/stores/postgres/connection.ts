import type { Client, ClientConfig, QueryResultRow } from "pg";
import { HoldfastError } from "../../errors.ts";

type Pg = typeof import("pg");

/** How long a lost server is waited for. */
const patience = 15_000;

/** How long a server may say nothing at all while it owes an answer, before its connection counts as dead. */
const longestSilence = 4_000;

export interface ConnectionHooks {
  /** Done on every new connection before anything else. */
  prepare?: (client: Client) => Promise<void>;
  lost?: () => void;
}

/**
 * One connection that comes back by itself. What runs on it may run a second time when the answer was lost,
 * so it must be such that twice does no harm. Statements in flight on it travel together.
 */
export class Connection {
  readonly #pg: Pg;
  readonly #config: ClientConfig;
  readonly #hooks: ConnectionHooks;
  #client: Promise<Client> | undefined;
  #closed = false;

  constructor(pg: Pg, config: ClientConfig, hooks: ConnectionHooks = {}) {
    this.#pg = pg;
    this.#config = { connectionTimeoutMillis: longestSilence, keepAlive: true, ...config };
    this.#hooks = hooks;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[], name?: string): Promise<Row[]> {
    return this.#patiently(
      async (client) => (await client.query<Row>({ text, values, ...(name ? { name } : {}) })).rows,
    );
  }

  /** All of the work or nothing. Not to be called again before it is done. */
  async transaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#patiently(async (client) => {
      try {
        await client.query("BEGIN");
        const result = await work(client);
        await client.query("COMMIT");
        return result;
      } catch (error) {
        if (!isConnectionLoss(error)) await client.query("ROLLBACK").catch(() => undefined);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async #patiently<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const deadline = Date.now() + patience;
    for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
      if (this.#closed)
        throw new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
      this.#client ??= this.#connect();
      const connecting = this.#client;
      try {
        const client = await connecting;
        return await unlessSilent(client, () => work(client));
      } catch (error) {
        if (!isConnectionLoss(error) || this.#closed || Date.now() > deadline) throw postgresError(error);
        this.#drop(connecting);
      }
      await new Promise((proceed) => setTimeout(proceed, pause));
    }
  }

  #connect(): Promise<Client> {
    const client = new this.#pg.Client(this.#config);
    const connecting = client
      .connect()
      .then(() => this.#hooks.prepare?.(client))
      .then(() => client);
    const lost = () => this.#drop(connecting);
    client.on("error", lost);
    client.on("end", lost);
    connecting.catch(() => {
      lost();
      client.end().catch(() => undefined);
    });
    return connecting;
  }

  /** Several statements notice the same loss; only the first may forget the connection, or a new one would be lost too. */
  #drop(connecting: Promise<Client>): void {
    if (this.#client !== connecting) return;
    this.#client = undefined;
    connecting.then((client) => client.end()).catch(() => undefined);
    if (!this.#closed) this.#hooks.lost?.();
  }
}

/** A cable that was cut says nothing, ever. */
async function unlessSilent<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const { stream } = (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } })
    .connection;
  let heard = stream.bytesRead;
  const watchdog = setInterval(() => {
    if (stream.bytesRead === heard) stream.destroy();
    heard = stream.bytesRead;
  }, longestSilence);
  try {
    return await work();
  } finally {
    clearInterval(watchdog);
  }
}

const lostCodes = [
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
];

function isConnectionLoss(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // Classes 08 and 57P are the server's way of saying: not now.
  return (
    /^(?:08|57P)/.test(code) ||
    lostCodes.includes(code) ||
    /Connection terminated|Client (?:was closed|has encountered)|not queryable|connection error|timeout expired/i.test(
      message,
    )
  );
}

export function postgresError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as { code?: string; message?: string };
  if (isConnectionLoss(error)) {
    return new HoldfastError(
      "store_failed",
      `Postgres cannot be reached: ${message || code}. Check the server and the URL, then try again.`,
      { cause: error },
    );
  }
  if (code === "53100") {
    return new HoldfastError(
      "store_full",
      `Postgres has no disk space left: ${message}. Nothing was written. Free some space, then try again.`,
      { cause: error },
    );
  }
  if (code === "25006" || code === "42501") {
    return new HoldfastError(
      "store_read_only",
      `Postgres refuses writes: ${message}. Use a role and a server that may write.`,
      { cause: error },
    );
  }
  return new HoldfastError("store_failed", `Postgres refused: ${message}. Nothing was acknowledged.`, {
    data: { code },
    cause: error,
  });
}
