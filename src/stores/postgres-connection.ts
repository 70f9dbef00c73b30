import type { Client, ClientConfig, QueryResultRow } from "pg";
import { HoldfastError } from "../errors.ts";

type Pg = typeof import("pg");

/** How long a lost server is waited for. */
const patience = 15_000;

/** One connection that comes back by itself. Statements in flight on it travel together. */
export class Connection {
  readonly #pg: Pg;
  readonly #config: ClientConfig;
  readonly #prepare: (client: Client) => Promise<void>;
  #client: Promise<Client> | undefined;
  #closed = false;

  constructor(pg: Pg, config: ClientConfig, prepare: (client: Client) => Promise<void> = async () => undefined) {
    this.#pg = pg;
    this.#config = config;
    this.#prepare = prepare;
  }

  /** A statement that may be sent twice: a lost connection is made again and the question asked again. */
  async read<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#patiently(async (client) => (await client.query<Row>({ text, values })).rows);
  }

  /** A statement that must not be sent twice; `recover` finds out what became of it when the connection broke. */
  async write<T>(work: (client: Client) => Promise<T>, recover: () => Promise<T | undefined>): Promise<T> {
    let uncertain = false;
    return this.#patiently(async (client) => {
      if (uncertain) {
        const known = await recover();
        if (known !== undefined) return known;
      }
      uncertain = true;
      return work(client);
    });
  }

  async client(): Promise<Client> {
    if (this.#closed) throw new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
    this.#client ??= this.#connect();
    return this.#client;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async #patiently<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const deadline = Date.now() + patience;
    for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
      try {
        return await work(await this.client());
      } catch (error) {
        if (!isConnectionLoss(error) || this.#closed || Date.now() > deadline) throw postgresError(error);
        this.#client = undefined;
      }
      await new Promise((proceed) => setTimeout(proceed, pause));
    }
  }

  async #connect(): Promise<Client> {
    const client = new this.#pg.Client(this.#config);
    const lost = () => {
      this.#client = undefined;
    };
    client.on("error", lost);
    client.on("end", lost);
    try {
      await client.connect();
      await this.#prepare(client);
      return client;
    } catch (error) {
      this.#client = undefined;
      await client.end().catch(() => undefined);
      throw error;
    }
  }
}

export function isConnectionLoss(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  // Classes 08 and 57P are the server's way of saying: not now.
  return (
    /^(?:08|57P)/.test(code) ||
    ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND"].includes(code) ||
    /Connection terminated|Client (?:was closed|has encountered)|not queryable|connection error/i.test(message)
  );
}

export function postgresError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as { code?: string; message?: string };
  if (isConnectionLoss(error)) {
    return new HoldfastError("store_failed", `Postgres cannot be reached: ${message || code}. Check the server and the URL, then try again.`, { cause: error });
  }
  if (code === "53100") {
    return new HoldfastError("store_full", `Postgres has no disk space left: ${message}. Nothing was written. Free some space, then try again.`, { cause: error });
  }
  if (code === "25006" || code === "42501") {
    return new HoldfastError("store_read_only", `Postgres refuses writes: ${message}. Use a role and a server that may write.`, { cause: error });
  }
  return new HoldfastError("store_failed", `Postgres refused: ${message}. Nothing was acknowledged.`, { data: { code }, cause: error });
}
