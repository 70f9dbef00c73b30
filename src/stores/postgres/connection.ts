import type { Client, ClientConfig, QueryResultRow } from "pg";
import { HoldfastError } from "../../errors.ts";

type Pg = typeof import("pg");

/** How long to retry when the connection is lost. */
const retryMilliseconds = 15_000;

/** A connection with a pending query counts as dead after this long without a byte. */
const silenceMilliseconds = 4_000;

export interface ConnectionHooks {
  /** Runs first on every new connection. */
  prepare?: (client: Client) => Promise<void>;
  lost?: () => void;
}

/**
 * A connection that reconnects automatically. If a response is lost, the work runs again, so it must be idempotent.
 * Concurrent queries share the connection.
 */
export class Connection {
  readonly #pg: Pg;
  readonly #config: ClientConfig;
  readonly #hooks: ConnectionHooks;
  #client: Promise<Client> | undefined;
  #closed = false;

  constructor(pg: Pg, config: ClientConfig, hooks: ConnectionHooks = {}) {
    this.#pg = pg;
    this.#config = { connectionTimeoutMillis: silenceMilliseconds, keepAlive: true, ...config };
    this.#hooks = hooks;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[], name?: string): Promise<Row[]> {
    return this.#withRetry(
      async (client) => (await client.query<Row>({ text, values, ...(name ? { name } : {}) })).rows,
    );
  }

  /** Runs the work in a transaction. Calls must not overlap. */
  async transaction<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return this.#withRetry(async (client) => {
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

  async #withRetry<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const deadline = Date.now() + retryMilliseconds;
    for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
      if (this.#closed)
        throw new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
      this.#client ??= this.#connect();
      const connecting = this.#client;
      try {
        const client = await connecting;
        return await withSilenceTimeout(client, () => work(client));
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

  /** Several queries may report the same loss; drop the connection once, or its replacement would be dropped too. */
  #drop(connecting: Promise<Client>): void {
    if (this.#client !== connecting) return;
    this.#client = undefined;
    connecting.then((client) => client.end()).catch(() => undefined);
    if (!this.#closed) this.#hooks.lost?.();
  }
}

/** A dead network path reports no error, so destroy a silent connection. */
async function withSilenceTimeout<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const { stream } = (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } })
    .connection;
  let received = stream.bytesRead;
  const watchdog = setInterval(() => {
    if (stream.bytesRead === received) stream.destroy();
    received = stream.bytesRead;
  }, silenceMilliseconds);
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
  // SQLSTATE 08: connection exception; 57P: the server shuts down or is not ready.
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
      `Postgres rejected a write: ${message}. Use a role with write permission and a writable server.`,
      { cause: error },
    );
  }
  return new HoldfastError("store_failed", `Postgres failed: ${message}. Nothing was acknowledged.`, {
    data: { code },
    cause: error,
  });
}
