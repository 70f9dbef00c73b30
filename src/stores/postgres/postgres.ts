import type { Client, ClientConfig } from "pg";
import { Queue } from "../../engine/queue.ts";
import { residentKinds } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import { openEnd } from "../session-table.ts";
import {
  entryFromSql,
  entryToSql,
  recordFromSql,
  type SqlEntry,
  type SqlRecord,
  type SqlSession,
  sessionColumns,
  sessionFromSql,
  sessionToSql,
  summaryColumns,
  summaryFromSql,
} from "../sql-rows.ts";
import { type Commit, Listeners, type NewSession, type Store, type StoreOptions } from "../store.ts";
import { Connection, type ConnectionHooks } from "./connection.ts";
import { Feed } from "./feed.ts";
import { postgresLedger } from "./ledger.ts";
import { eraseStatements, remainsInPostgres, rewriteSessions } from "./rewrite.ts";
import { migrations } from "./schema.ts";

export interface PostgresOptions extends StoreOptions {
  /** postgres://user:password@host:port/database */
  url: string;
}

/** Rows per INSERT when a whole session is created. */
const batchSize = 500;

export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const pg = await importPg();
  const config: ClientConfig = {
    connectionString: options.url,
    // Our BIGINT values stay below 2^53, so parse them as numbers.
    types: {
      getTypeParser: ((oid: number, format: "text") =>
        oid === 20 ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  };
  const shared = new Connection(pg, { ...config, pipeline: true } as ClientConfig);
  const exclusive = new Connection(pg, config, { prepare: limitIdleTransactions });
  await migrate(exclusive);
  return makeStore(shared, exclusive, (hooks) => new Connection(pg, config, hooks));
}

/** If this process dies during a transaction, the server soon releases its locks. */
async function limitIdleTransactions(client: Client): Promise<void> {
  await client.query("SET idle_in_transaction_session_timeout = '5s'");
}

async function importPg(): Promise<typeof import("pg")> {
  try {
    return (await import("pg")).default as unknown as typeof import("pg");
  } catch (error) {
    throw new HoldfastError(
      "missing_dependency",
      "The Postgres store needs the package pg. Run: npm install pg",
      { cause: error },
    );
  }
}

function makeStore(
  shared: Connection,
  exclusive: Connection,
  connect: (hooks: ConnectionHooks) => Connection,
): Store {
  const listeners = new Listeners();
  const feed = new Feed(connect, listeners);
  const transactions = new Queue();
  /** Multi-statement transactions run one at a time on the exclusive connection. */
  const transaction = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    transactions.run(() => exclusive.transaction(work));

  const erase = async () => {
    for (const statement of eraseStatements) await shared.query(statement, []);
    return [remainsInPostgres];
  };

  return {
    name: "postgres",
    ledger: postgresLedger(shared),
    create: (session) => {
      const commitId = crypto.randomUUID();
      return transaction((client) => insertSession(client, session, commitId));
    },
    async load({ sessionId, owner }) {
      // One statement, so that the row and its records are consistent.
      const rows = await shared.query<SqlSession & { resident: SqlRecord[] }>(
        `SELECT s.*, coalesce((
           SELECT json_agg(json_build_object('kind', kind, 'key', key, 'value', value) ORDER BY kind, key) FROM session_records
           WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND value IS NOT NULL AND kind = ANY($3)
         ), '[]') AS resident
         FROM agent_sessions s WHERE s.id = $1 AND s.owner = $2`,
        [sessionId, owner, residentKinds],
      );
      const row = rows[0];
      return row && { row: sessionFromSql(row), records: row.resident.map(recordFromSql) };
    },
    async revision({ sessionId, owner }) {
      const rows = await shared.query<{ revision: number }>(
        "SELECT revision FROM agent_sessions WHERE id = $1 AND owner = $2",
        [sessionId, owner],
      );
      return rows[0]?.revision;
    },
    commit: (commit) => writeCommit(shared, commit),
    async records({ sessionId, owner }, { kinds, keys, from, to, at }) {
      const values: unknown[] = [sessionId, owner, kinds];
      const parameter = (value: unknown) => `$${values.push(value)}`;
      const conditions = ["session_id = $1", "owner = $2", "kind = ANY($3)"];
      if (at === undefined) conditions.push(`to_revision = ${openEnd}`);
      else conditions.push(`from_revision <= ${parameter(at)} AND to_revision > ${parameter(at)}`);
      if (keys) conditions.push(`key = ANY(${parameter(keys)})`);
      if (from !== undefined) conditions.push(`key >= ${parameter(from)}`);
      if (to !== undefined) conditions.push(`key <= ${parameter(to)}`);
      const rows = await shared.query<SqlRecord & object>(
        `SELECT kind, key, value FROM session_records WHERE ${conditions.join(" AND ")} ORDER BY kind, key`,
        values,
      );
      return rows.map(recordFromSql);
    },
    async journal({ sessionId, owner }, { from = 0, to = openEnd, limit = openEnd, newestFirst }) {
      const rows = await shared.query<SqlEntry & object>(
        `SELECT * FROM session_journal WHERE session_id = $1 AND owner = $2 AND revision BETWEEN $3 AND $4
         ORDER BY revision ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
        [sessionId, owner, from, to, limit],
      );
      return rows.map(entryFromSql);
    },
    async entryByKey({ sessionId, owner }, key) {
      const rows = await shared.query<SqlEntry & object>(
        "SELECT * FROM session_journal WHERE session_id = $1 AND owner = $2 AND idempotency_key = $3",
        [sessionId, owner, key],
      );
      return rows[0] && entryFromSql(rows[0]);
    },
    /** The only query without a session id; it hits every shard. */
    async sessions(owner, { agent, statuses, parent, limit = openEnd, offset = 0 }) {
      const rows = await shared.query<SqlSession & object>(
        `SELECT ${summaryColumns} FROM agent_sessions WHERE owner = $1 AND ($2::text IS NULL OR agent = $2)
         AND ($3::text[] IS NULL OR status = ANY($3)) AND ($4::text IS NULL OR parent = $4)
         ORDER BY updated_at DESC, id COLLATE "C" LIMIT $5 OFFSET $6`,
        [owner, agent ?? null, statuses ?? null, parent ?? null, limit, offset],
      );
      return rows.map(summaryFromSql);
    },
    purge: ({ sessionId, owner }) => {
      let found = false;
      return transaction(async (client) => {
        for (const table of ["session_records", "session_journal", "ledger_calls", "ledger_pieces"]) {
          await client.query(`DELETE FROM ${table} WHERE session_id = $1 AND owner = $2`, [sessionId, owner]);
        }
        const { rowCount } = await client.query("DELETE FROM agent_sessions WHERE id = $1 AND owner = $2", [
          sessionId,
          owner,
        ]);
        // If the response to the first attempt was lost, the retry finds no rows.
        found ||= (rowCount ?? 0) > 0;
        return found;
      });
    },
    async rewrite(owners, edit, now) {
      const rewritten = await transaction((client) => rewriteSessions(client, owners, edit, now));
      return { ...rewritten, remaining: await erase() };
    },
    erase,
    async watch(listener) {
      await feed.start();
      return listeners.add(listener);
    },
    async close() {
      await feed.stop();
      await Promise.all([shared.close(), exclusive.close()]);
    },
  };
}

/** Sent again if the response is lost; the server recognises the commit by its id and applies it once. */
async function writeCommit(
  shared: Connection,
  { scope, expected, row, notepadChanged, records, entry }: Commit,
): Promise<boolean> {
  const line = entryToSql(entry);
  const commitId = crypto.randomUUID();
  const values = [
    scope.sessionId,
    scope.owner,
    expected,
    row.createdAt,
    row.title,
    row.status,
    row.updatedAt,
    row.revision,
    row.lastFork,
    JSON.stringify(row.counters),
    notepadChanged,
    row.notepad,
    row.lineage.length === 0,
    records.map(({ kind }) => kind),
    records.map(({ key }) => key),
    records.map(({ value }) => (value === null ? null : JSON.stringify(value))),
    line.at,
    line.actor,
    line.surface,
    line.operation,
    line.changes,
    line.idempotency_key,
    line.result,
    commitId,
  ];
  const placeholders = values.map((_, index) => `$${index + 1}`).join(", ");
  const text = `SELECT holdfast_commit(${placeholders}) AS done`;
  const [answer] = await shared.query<{ done: boolean }>(text, values, "holdfast_commit");
  return answer?.done ?? false;
}

async function insertSession(
  client: Client,
  { row, records, entries }: NewSession,
  commitId: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO agent_sessions (${sessionColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     ON CONFLICT DO NOTHING`,
    sessionToSql(row),
  );
  if (rowCount === 0) {
    // The id exists. This call created it if the first attempt succeeded and only its response was lost.
    const { rows } = await client.query(
      "SELECT 1 FROM session_journal WHERE session_id = $1 AND owner = $2 AND commit_id = $3 LIMIT 1",
      [row.id, row.owner, commitId],
    );
    return rows.length > 0;
  }
  for (let from = 0; from < records.length; from += batchSize) {
    const batch = records.slice(from, from + batchSize);
    await client.query(
      `INSERT INTO session_records (session_id, owner, kind, key, from_revision, to_revision, value)
       SELECT $1, $2, w.kind, w.key, $3, ${openEnd}, w.value FROM unnest($4::text[], $5::text[], $6::text[]) AS w(kind, key, value)`,
      [
        row.id,
        row.owner,
        row.revision,
        batch.map(({ kind }) => kind),
        batch.map(({ key }) => key),
        batch.map(({ value }) => JSON.stringify(value)),
      ],
    );
  }
  for (let from = 0; from < entries.length; from += batchSize) {
    const batch = entries.slice(from, from + batchSize).map(entryToSql);
    const column = (name: keyof SqlEntry) => batch.map((entry) => entry[name]);
    await client.query(
      `INSERT INTO session_journal (session_id, owner, commit_id, revision, at, actor, surface, operation, changes, idempotency_key, result)
       SELECT $1, $2, $11, w.* FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[]) AS w`,
      [
        row.id,
        row.owner,
        column("revision"),
        column("at"),
        column("actor"),
        column("surface"),
        column("operation"),
        column("changes"),
        column("idempotency_key"),
        column("result"),
        commitId,
      ],
    );
  }
  await client.query("SELECT pg_notify('holdfast', $1)", [
    JSON.stringify({ owner: row.owner, sessionId: row.id, revision: row.revision, born: true }),
  ]);
  return true;
}

/** Migrates the schema, under a lock that serialises concurrent processes. */
async function migrate(connection: Connection): Promise<void> {
  await connection.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(5202941937)");
    const { rows } = await client.query<{ ours: string | null; sessions: string | null }>(
      "SELECT to_regclass('holdfast_schema')::text AS ours, to_regclass('agent_sessions')::text AS sessions",
    );
    if (rows[0]?.sessions && !rows[0].ours) {
      throw new HoldfastError(
        "store_foreign",
        "This Postgres database has a table agent_sessions that Holdfast did not create; it was not changed. Use another database.",
      );
    }
    await client.query("CREATE TABLE IF NOT EXISTS holdfast_schema (version INTEGER NOT NULL)");
    const found = await client.query<{ version: number }>(
      "SELECT max(version) AS version FROM holdfast_schema",
    );
    const version = found.rows[0]?.version ?? 0;
    if (version > migrations.length) {
      throw new HoldfastError(
        "store_newer",
        `This database was written by a newer Holdfast (schema ${version}; this version supports ${migrations.length}). Update holdfast.`,
      );
    }
    for (let next = version; next < migrations.length; next++) {
      await client.query(migrations[next] as string);
      await client.query("INSERT INTO holdfast_schema (version) VALUES ($1)", [next + 1]);
    }
  });
}
