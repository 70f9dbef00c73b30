import type { Client, ClientConfig } from "pg";
import { HoldfastError } from "../../errors.ts";
import { failureOf } from "./postgres-errors.ts";
import type { ServerAddress } from "./server-address.ts";

export type Pg = typeof import("pg");

/** How long to wait for a new connection, and for a byte on a connection with a pending statement. */
export const silenceMilliseconds = 4_000;

/** Limits on the server, so that it stops working on a statement before its client gives up. */
export interface ServerLimits {
  lockMilliseconds: number;
  statementMilliseconds: number;
}

export interface OpenClient {
  client: Client;
  /** The connection leads to a pooler: its settings and prepared statements are not ours. */
  pooled: boolean;
  /** The server may keep sessions on other nodes, so that a transaction with several of them is a distributed one. */
  distributed: boolean;
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

/** Connects to the first host that answers and, if asked for, accepts writes. */
export async function openClient(
  pg: Pg,
  address: ServerAddress,
  limits: ServerLimits,
  options: { pipeline: boolean; onEnd: () => void },
): Promise<OpenClient> {
  let reason: unknown;
  for (const host of address.hosts) {
    try {
      return await openHost(pg, host, address, limits, options);
    } catch (error) {
      // A wrong password or database name is not the host's fault: report it instead of trying the next.
      if (failureOf(error) === "final") throw error;
      reason = error;
    }
  }
  throw reason;
}

async function openHost(
  pg: Pg,
  host: string,
  address: ServerAddress,
  limits: ServerLimits,
  { pipeline, onEnd }: { pipeline: boolean; onEnd: () => void },
): Promise<OpenClient> {
  const client = new pg.Client({ ...clientConfig(pg, host), pipeline } as ClientConfig);
  client.on("error", onEnd);
  client.on("end", onEnd);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; standby: boolean; citus: boolean }>(
      `SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS standby,
        EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`,
    );
    if (address.needsPrimary && rows[0]?.standby) throw standbyError();
    // A pooler answers the handshake itself, with a process id of its own.
    const { processID } = client as unknown as { processID: number | null };
    const pooled = address.pooled || rows[0]?.pid !== processID;
    if (!pooled) await client.query(`SELECT ${settings(limits, false)}`);
    return { client, pooled, distributed: rows[0]?.citus ?? false };
  } catch (error) {
    client.removeListener("end", onEnd);
    endClient(client);
    throw error;
  }
}

function clientConfig(pg: Pg, url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: silenceMilliseconds,
    keepAlive: true,
    // Our BIGINT values stay below 2^53, so parse them as numbers.
    types: {
      getTypeParser: ((oid: number, format: "text") =>
        oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  };
}

/** `local`: for the current transaction only, which is all that a pooler allows. */
export function settings({ lockMilliseconds, statementMilliseconds }: ServerLimits, local: boolean): string {
  return `set_config('lock_timeout', '${Math.ceil(lockMilliseconds)}', ${local}), set_config('statement_timeout', '${Math.ceil(statementMilliseconds)}', ${local})`;
}

/** Ends a connection without waiting for a server that may not answer. */
export function endClient(client: Client): Promise<void> {
  const stream = socketOf(client);
  const forced = setTimeout(() => stream.destroy(), 1_000);
  return client
    .end()
    .catch(() => undefined)
    .finally(() => clearTimeout(forced));
}

export function socketOf(client: Client): { bytesRead: number; destroy(): void } {
  return (client as unknown as { connection: { stream: { bytesRead: number; destroy(): void } } }).connection
    .stream;
}

function standbyError(): Error {
  return Object.assign(new Error("the server is a standby and accepts no writes"), { code: "25006" });
}
