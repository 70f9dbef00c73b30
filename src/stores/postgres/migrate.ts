import type { Client } from "pg";
import { HoldfastError } from "../../errors.ts";
import { endClient, openClient, type Pg } from "./open-client.ts";
import type { Pool } from "./pool.ts";
import { failureOf, postgresError } from "./postgres-errors.ts";
import { migrations } from "./schema.ts";
import type { ServerAddress } from "./server-address.ts";

/** An upgrade may copy a table; it has no time limit of its own. */
const unlimited = { lockMilliseconds: 0, statementMilliseconds: 0 };

interface Found {
  ours: boolean;
  sessions: boolean;
}

/** One scan of the catalog: `to_regclass` may see one table of another process's upgrade and not yet the other. */
const findTables = `SELECT coalesce(bool_or(relname = 'holdfast_schema'), false) AS ours,
    coalesce(bool_or(relname = 'agent_sessions'), false) AS sessions
  FROM pg_catalog.pg_class WHERE relname IN ('holdfast_schema', 'agent_sessions') AND pg_table_is_visible(oid)`;

/** Brings the schema up to date. Reads first, so that opening a current store writes nothing. */
export async function migrate(pool: Pool, pg: Pg, address: ServerAddress): Promise<void> {
  const [found] = await pool.run<Found>({ text: findTables, values: [] });
  if (found?.sessions && !found.ours) throw foreignError();
  const [row] = found?.ours
    ? await pool.run<{ version: number | null }>({
        text: "SELECT max(version) AS version FROM holdfast_schema",
        values: [],
      })
    : [];
  if (isCurrent(row?.version ?? 0)) return;
  const deadline = Date.now() + pool.patience;
  for (;;) {
    try {
      return await withClient(pg, address, upgrade);
    } catch (error) {
      // The upgrade is one transaction, and looks first at what is already there.
      if (failureOf(error) === "final" || Date.now() > deadline) throw postgresError(error);
    }
    await new Promise((proceed) => setTimeout(proceed, 200));
  }
}

async function withClient(
  pg: Pg,
  address: ServerAddress,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const { client } = await openClient(pg, address, unlimited, { pipeline: false, onEnd: () => {} });
  try {
    await work(client);
  } finally {
    await endClient(client);
  }
}

/** Under a lock that serialises concurrent processes. */
async function upgrade(client: Client): Promise<void> {
  await client.query("BEGIN");
  try {
    // A process that dies here must not keep the lock.
    await client.query("SET LOCAL idle_in_transaction_session_timeout = '5s'");
    // Citus changes tables and functions in one transaction only one shard after the other; elsewhere this has no effect.
    await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    await client.query("SELECT pg_advisory_xact_lock(5202941937)");
    const { rows } = await client.query<Found>(findTables);
    if (rows[0]?.sessions && !rows[0].ours) throw foreignError();
    await client.query("CREATE TABLE IF NOT EXISTS holdfast_schema (version INTEGER NOT NULL PRIMARY KEY)");
    const found = await client.query<{ version: number | null }>(
      "SELECT max(version) AS version FROM holdfast_schema",
    );
    const version = found.rows[0]?.version ?? 0;
    isCurrent(version);
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue;
      await client.query(migration);
      await client.query("INSERT INTO holdfast_schema (version) VALUES ($1)", [index + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function isCurrent(version: number): boolean {
  if (version <= migrations.length) return version === migrations.length;
  throw new HoldfastError(
    "store_newer",
    `This database was written by a newer Holdfast (schema ${version}; this version supports ${migrations.length}). Update holdfast.`,
  );
}

function foreignError(): HoldfastError {
  return new HoldfastError(
    "store_foreign",
    "This Postgres database has a table agent_sessions that Holdfast did not create; it was not changed. Use another database.",
  );
}
