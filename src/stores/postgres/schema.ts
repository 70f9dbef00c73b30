import { HoldfastError } from "../../errors.ts";
import { openEnd } from "../store.ts";
import type { Connections } from "./connections.ts";

const current = `to_revision = ${openEnd} AND value IS NOT NULL`;

/** One text per version of the schema, each run once. The same tables as in SQLite. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE agent_sessions (
    id TEXT NOT NULL,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT,
    status TEXT NOT NULL,
    origin TEXT NOT NULL,
    parent TEXT,
    lineage TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    last_fork BIGINT NOT NULL,
    counters TEXT NOT NULL,
    notepad TEXT,
    -- By the server's clock, for watchers; updated_at is by the clock of whoever wrote.
    touched TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (id, owner)
  );
  CREATE INDEX agent_sessions_listed ON agent_sessions (owner, updated_at DESC, id COLLATE "C");
  CREATE INDEX agent_sessions_touched ON agent_sessions (owner, touched);
  CREATE INDEX agent_sessions_parent ON agent_sessions (owner, parent) WHERE parent IS NOT NULL;

  CREATE TABLE session_records (
    session_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    from_revision BIGINT NOT NULL,
    to_revision BIGINT NOT NULL,
    value TEXT,
    PRIMARY KEY (session_id, owner, kind, key, to_revision)
  );

  CREATE TABLE session_journal (
    session_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    owner TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    surface TEXT NOT NULL,
    operation TEXT NOT NULL,
    changes TEXT NOT NULL,
    idempotency_key TEXT,
    result TEXT,
    -- Tells whether a commit whose answer was lost is applied.
    commit_id TEXT,
    PRIMARY KEY (session_id, owner, revision)
  );
  CREATE UNIQUE INDEX session_journal_keys ON session_journal (session_id, owner, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  CREATE TABLE ledger_calls (
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    owner TEXT NOT NULL,
    at BIGINT NOT NULL,
    base BIGINT NOT NULL,
    kept BIGINT NOT NULL,
    pieces TEXT NOT NULL,
    facts TEXT NOT NULL,
    call_id TEXT,
    PRIMARY KEY (session_id, owner, number)
  );

  CREATE TABLE ledger_pieces (
    session_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL,
    part TEXT NOT NULL,
    role TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session_id, owner, hash)
  );

  CREATE VIEW session_notes AS
    SELECT session_id, owner, key AS id, value::json ->> 'content' AS content, value::json -> 'tags' AS tags
    FROM session_records WHERE kind = 'note' AND ${current};
  CREATE VIEW session_spaces AS
    SELECT session_id, owner, key AS space, value::json #>> '{}' AS content
    FROM session_records WHERE kind = 'space' AND ${current};
  CREATE VIEW session_refs AS
    SELECT session_id, owner, key AS place, value::json #>> '{}' AS ref
    FROM session_records WHERE kind = 'ref' AND ${current};
  CREATE VIEW session_tasks AS
    SELECT session_id, owner, key AS id, value AS task
    FROM session_records WHERE kind = 'task' AND ${current};
  CREATE VIEW session_messages AS
    SELECT session_id, owner, key::bigint AS number, value AS message
    FROM session_records WHERE kind = 'message' AND ${current};
  `,
];

interface FoundTables {
  ours: boolean;
  sessions: boolean;
}

/** One scan of the catalog: `to_regclass` may see one table of another process's upgrade and not yet the other. */
const findTables = `SELECT coalesce(bool_or(relname = 'holdfast_schema'), false) AS ours,
    coalesce(bool_or(relname = 'agent_sessions'), false) AS sessions
  FROM pg_catalog.pg_class WHERE relname IN ('holdfast_schema', 'agent_sessions') AND pg_table_is_visible(oid)`;

const findVersion = "SELECT coalesce(max(version), 0) AS version FROM holdfast_schema";

/** Brings the schema up to date. Reads first, so that opening a current store writes nothing. */
export async function migrate(connections: Connections, versions = migrations): Promise<void> {
  const isOurs = refuseForeign((await connections.query<FoundTables>(findTables)).rows[0]);
  if (isOurs) {
    const { rows } = await connections.query<{ version: number }>(findVersion);
    if (refuseNewer(rows[0]?.version, versions.length) === versions.length) return;
  }
  await connections.longTransaction(async (query) => {
    // Processes that open the store at the same time wait here, and find it done.
    await query("SELECT pg_advisory_xact_lock(5202941937)");
    // Citus changes several tables in one transaction only one shard after the other; elsewhere this has no effect.
    await query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
    refuseForeign((await query<FoundTables>(findTables)).rows[0]);
    await query("CREATE TABLE IF NOT EXISTS holdfast_schema (version INTEGER NOT NULL PRIMARY KEY)");
    const { rows } = await query<{ version: number }>(findVersion);
    const found = refuseNewer(rows[0]?.version, versions.length);
    for (const [index, migration] of versions.entries()) {
      if (index < found) continue;
      await query(migration);
      await query("INSERT INTO holdfast_schema (version) VALUES ($1)", [index + 1]);
    }
  });
}

function refuseForeign(found: FoundTables | undefined): boolean {
  if (!found?.sessions || found.ours) return found?.ours ?? false;
  throw new HoldfastError(
    "store_foreign",
    "This Postgres database has a table agent_sessions that Holdfast did not create; it was not changed. Use another database.",
  );
}

function refuseNewer(version = 0, supported: number): number {
  if (version <= supported) return version;
  throw new HoldfastError(
    "store_newer",
    `This database was written by a newer Holdfast (schema ${version}; this version supports ${supported}). Update holdfast.`,
  );
}
