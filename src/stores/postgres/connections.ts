import type { Client, ClientBase, ClientConfig, Pool, QueryResult, QueryResultRow } from "pg";
import { HoldfastError } from "../../errors.ts";
import type { Statement } from "../sql-store.ts";

export type Pg = typeof import("pg");

export type Query = <Row extends QueryResultRow>(
  text: string,
  values?: readonly unknown[],
) => Promise<QueryResult<Row>>;

/** Where a Postgres store is. */
export interface ServerAddress {
  /** One URL per host, in the order to try them. */
  hosts: string[];
  /** Only a host that accepts writes is used. */
  needsPrimary: boolean;
  /** LISTEN on this server instead: a direct connection in addition to a pooler. */
  listen?: ServerAddress;
}

/** Outlasts the 30 s in which Patroni, by default, replaces a failed primary. */
const defaultLockTimeout = 45_000;

/** Of one process to one server, without the one that listens. */
const maxConnections = 8;

/** A connection that does not answer for so long counts as dead. */
const longestSilence = 4_000;
const shortestSilence = 500;

/** A client that vanished in the middle of a transaction holds its locks no longer than this. */
const idleLimit = 5_000;

interface Attempt {
  mayBeDone: boolean;
  /** Milliseconds until the lock timeout. */
  left: number;
  /** From here on a lost connection leaves the outcome open. */
  isCommitting: boolean;
}

/**
 * The connections of this process to one server. Work that fails because the connection was lost, the server was
 * replaced or a row was locked is done again until the lock timeout.
 */
export class Connections {
  readonly address: ServerAddress;
  readonly pg: Pg;
  readonly #lockTimeout: number;
  readonly #silence: number;
  /** One per host. */
  readonly #pools: Pool[];
  readonly #open = new Set<Client>();
  #current = 0;
  #isClosed = false;

  constructor(pg: Pg, address: ServerAddress, lockTimeout = defaultLockTimeout) {
    this.pg = pg;
    this.address = address;
    this.#lockTimeout = lockTimeout;
    this.#silence = Math.max(shortestSilence, Math.min(longestSilence, lockTimeout / 2));
    this.#pools = address.hosts.map((host) => this.#makePool(host));
  }

  /** One statement that only reads, or announces. */
  query<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<QueryResult<Row>> {
    return this.#retry((client) => queryOf(client, this.#silence)<Row>(text, values));
  }

  /** Applies statements together or not at all, also if their connection fails; see `SqlDatabase`. */
  write(statements: readonly Statement[], proof?: Statement): Promise<number[] | undefined> {
    return this.#retry(async (client, attempt) => {
      const counts = await this.#apply(client, attempt, statements).catch((error) => {
        if (error.code === uniqueViolation) return rollBack(client);
        throw error;
      });
      if (counts || !attempt.mayBeDone || !proof) return counts;
      const { rows } = await queryOf(client, this.#silence)(proof.text, proof.values);
      return rows.length > 0 ? [] : undefined;
    });
  }

  /** A transaction without time limits, for changes of the schema. It may run again after it was applied. */
  longTransaction(work: (query: Query) => Promise<void>): Promise<void> {
    return this.#retry(async (client) => {
      const query = queryOf(client, undefined);
      await query(
        `BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
         SET LOCAL idle_in_transaction_session_timeout = ${idleLimit}`,
      );
      await work(query);
      await query("COMMIT");
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#pools.map((pool) => pool.end()));
    await Promise.all([...this.#open].map(endClient));
  }

  get #serverLimit(): number {
    return Math.ceil(this.#silence * 0.75);
  }

  #makePool(host: string): Pool {
    const pool = new this.pg.Pool({
      ...clientConfig(this.pg, host),
      connectionTimeoutMillis: Math.max(shortestSilence, Math.min(longestSilence, this.#lockTimeout)),
      max: maxConnections,
      onConnect: (client) => this.#prepare(client),
    });
    pool.on("connect", (client) => {
      this.#open.add(client);
      client.on("end", () => this.#open.delete(client));
      // The statement under way fails with it; without a listener the process would end.
      client.on("error", () => {});
    });
    // A connection that was lost while nobody used it; the pool has dropped it.
    pool.on("error", () => {});
    return pool;
  }

  async #prepare(client: ClientBase): Promise<void> {
    const query = queryOf(client, this.#silence);
    const { rows } = await query<{ pid: number; standby: boolean }>(
      "SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS standby",
    );
    if (this.address.needsPrimary && rows[0]?.standby) throw standbyError();
    // A pooler answers the handshake with a process id of its own; a setting would stay on its connection to the server.
    const { processID } = client as unknown as { processID: number | null };
    if (rows[0]?.pid !== processID) return;
    await query(`SET lock_timeout = ${this.#serverLimit}; SET statement_timeout = ${this.#serverLimit}`);
  }

  async #apply(
    client: ClientBase,
    attempt: Attempt,
    statements: readonly Statement[],
  ): Promise<number[] | undefined> {
    const query = queryOf(client, this.#silence);
    // The server gives up before the client does, so that the outcome is known. The limits are of this transaction only:
    // a pooler gives each transaction another connection.
    const lockLimit = Math.ceil(Math.max(20, Math.min(this.#serverLimit, attempt.left * 0.9)));
    await query(
      `BEGIN; SET LOCAL lock_timeout = ${lockLimit}; SET LOCAL statement_timeout = ${this.#serverLimit};
       SET LOCAL idle_in_transaction_session_timeout = ${idleLimit}`,
    );
    const counts: number[] = [];
    for (const { text, values, required } of statements) {
      const { rowCount } = await query(text, values);
      if (required && !rowCount) return rollBack(client);
      counts.push(rowCount ?? 0);
    }
    attempt.isCommitting = true;
    await query("COMMIT");
    return counts;
  }

  async #retry<T>(work: (client: Client, attempt: Attempt) => Promise<T>): Promise<T> {
    const started = Date.now();
    const deadline = started + this.#lockTimeout;
    let doubt: unknown;
    for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
      if (this.#isClosed) throw closedError();
      const host = this.#current;
      const left = deadline - Date.now();
      const attempt = { mayBeDone: doubt !== undefined, left, isCommitting: false };
      try {
        return await this.#withClient(host, (client) => work(client, attempt));
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "lost" && attempt.isCommitting) doubt = error;
        if (failure === "final" || this.#isClosed || Date.now() + pause > deadline)
          throw doubt === undefined ? postgresError(error) : unknownOutcome(doubt, Date.now() - started);
        if (failure !== "busy" && this.#current === host) this.#current = (host + 1) % this.#pools.length;
      }
      await new Promise((proceed) => setTimeout(proceed, pause));
    }
  }

  async #withClient<T>(host: number, work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#pools[host]?.connect();
    if (!client) throw closedError();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      // A new connection next time, perhaps to another server; closing this one ends its transaction.
      client.release(true);
      throw error;
    }
  }
}

export async function importPg(): Promise<Pg> {
  try {
    return (await import("pg")).default as unknown as Pg;
  } catch (error) {
    throw new HoldfastError(
      "missing_dependency",
      "The Postgres store needs the package pg. Run: npm install pg",
      { cause: error },
    );
  }
}

/** A connection outside the pool, to the first host that answers and, if asked for, accepts writes. */
export async function openClient(
  pg: Pg,
  { hosts, needsPrimary }: ServerAddress,
  config: ClientConfig = {},
): Promise<Client> {
  let reason: unknown;
  for (const host of hosts) {
    const client = new pg.Client({ ...clientConfig(pg, host), ...config });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("SELECT pg_is_in_recovery() AS standby");
      if (needsPrimary && rows[0].standby) throw standbyError();
      return client;
    } catch (error) {
      void endClient(client);
      // A wrong password or database name is not the host's fault: report it instead of trying the next.
      if (failureOf(error) === "final") throw error;
      reason = error;
    }
  }
  throw reason;
}

/** Ends a connection without waiting for a server that may not answer. */
export async function endClient(client: Client): Promise<void> {
  const { stream } = client.connection as unknown as { stream: { destroy(): void } };
  const forced = setTimeout(() => stream.destroy(), 1_000);
  await client.end().catch(() => undefined);
  clearTimeout(forced);
}

function clientConfig(pg: Pg, url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: longestSilence,
    keepAlive: true,
    // Our BIGINT values stay below 2^53, so parse them as numbers.
    types: {
      getTypeParser: ((oid: number, format: "text") =>
        oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  };
}

/** A row with this key exists already. */
const uniqueViolation = "23505";

async function rollBack(client: ClientBase): Promise<undefined> {
  await queryOf(client, longestSilence)("ROLLBACK");
}

/** A dead network path reports no error, so a statement has to be answered in this time. */
function queryOf(client: ClientBase, milliseconds: number | undefined): Query {
  return (text, values = []) => {
    const config = { text, values: [...values], query_timeout: milliseconds };
    return client.query(config);
  };
}

/** Our own parameters; `pg` would not know them. */
const ownParameters = ["target_session_attrs", "listen"];

/**
 * Parses `postgres://user:password@host:port[,host:port…]/database`, with
 * `?target_session_attrs=read-write|primary|any` and `?listen=URL` (encoded).
 */
export function parseServerAddress(url: string): ServerAddress {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(url);
  if (!parts) throw refused(url, "it is not postgres://user:password@host:port/database");
  const [, scheme = "", credentials = "", hosts = "", path = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const [attributes, listen] = ownParameters.map((name) => parameters.get(name));
  for (const name of ownParameters) parameters.delete(name);
  const rest = parameters.size > 0 ? `?${parameters}` : "";
  const names = hosts.split(",");
  if (names.length > 1 && names.includes("")) throw refused(url, "it has an empty host in its list");
  if (attributes && !["read-write", "primary", "any"].includes(attributes)) {
    throw refused(
      url,
      `target_session_attrs=${attributes} is not supported, because a memory needs a server that accepts writes; use read-write, primary, any`,
    );
  }
  return {
    hosts: names.map((host) => `${scheme}${credentials}${host}${path}${rest}`),
    needsPrimary: attributes ? attributes !== "any" : names.length > 1,
    ...(listen ? { listen: parseServerAddress(listen) } : {}),
  };
}

/** The message does not repeat the URL, which contains a password. */
function refused(url: string, why: string): HoldfastError {
  return new HoldfastError("invalid_input", `This Postgres URL cannot be used: ${why}.`, {
    data: { store: url.replace(/:[^:@/]*@/, ":…@") },
  });
}

function standbyError(): Error {
  return Object.assign(new Error("the server is a standby and accepts no writes"), { code: "25006" });
}

export function closedError(): HoldfastError {
  return new HoldfastError("store_closed", "The Postgres store was closed. Open the memory again.");
}

/**
 * The meaning of an error for the statement that it answers.
 * - `lost`: the connection failed; a COMMIT that was sent may have been applied.
 * - `moved`: the server accepts no writes (a standby); not applied, a new connection may reach the primary.
 * - `crowded`: the server has no free connection; not applied.
 * - `busy`: a lock or a time limit on the server; not applied.
 * - `final`: not applied, and trying again would not help.
 */
export type Failure = "lost" | "moved" | "crowded" | "busy" | "final";

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

const byCode: Record<string, Failure> = {
  "25006": "moved",
  "53300": "crowded",
  // Lock timeout, statement timeout, serialisation failure, deadlock.
  "55P03": "busy",
  "57014": "busy",
  "40001": "busy",
  "40P01": "busy",
  // The server ended a transaction that was left open, as after a stall of this process.
  "25P03": "lost",
};

function failureOf(error: unknown): Failure {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (error instanceof HoldfastError) return "final";
  const known = byCode[code];
  if (known) return known;
  // SQLSTATE 08: connection exception; 57P: the server shuts down or is not ready.
  const isLost =
    /^(?:08|57P)/.test(code) ||
    lostCodes.includes(code) ||
    /Connection terminated|Client (?:was closed|has encountered)|not queryable|connection error|timeout expired|timeout exceeded|read timeout|pooler error|server_login_retry|no more connections allowed/i.test(
      message,
    );
  return isLost ? "lost" : "final";
}

/** For a statement that was not applied. */
export function postgresError(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, message } = error as { code?: string; message?: string };
  const failure = failureOf(error);
  if (failure === "lost" || failure === "crowded") {
    return new HoldfastError(
      "store_failed",
      `Postgres cannot be reached: ${message || code}. Nothing was written. Check the server and the URL, then try again.`,
      { data: { code }, cause: error },
    );
  }
  if (failure === "busy") {
    return new HoldfastError(
      "store_busy",
      `Another transaction blocks this session in Postgres: ${message}. Nothing was written. Try again.`,
      { data: { code }, cause: error },
    );
  }
  if (code === "53100") {
    return new HoldfastError(
      "store_full",
      `Postgres has no disk space left: ${message}. Nothing was written. Free some space, then try again.`,
      { cause: error },
    );
  }
  if (failure === "moved" || code === "42501") {
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

/** For a write that was sent and not answered. */
export function unknownOutcome(error: unknown, waitedMilliseconds: number): HoldfastError {
  const { code, message } = error as { code?: string; message?: string };
  return new HoldfastError(
    "store_unknown",
    `Postgres did not answer within ${(waitedMilliseconds / 1_000).toFixed(1)} s (${message || code}). The change may have been applied. Send the same call again: it is applied once. To find out, look at the session's newest entry ("holdfast log SESSION").`,
    { data: { code }, cause: error },
  );
}
