import type { DatabaseSync } from "node:sqlite";
import { HoldfastError } from "../../errors.ts";
import { sealRows } from "./checksums.ts";

/** "Hold" in ASCII; identifies a SQLite file as ours. */
const applicationId = 0x486f6c64;

/** A session moves in the index of its owner's list at most this often, so most commits do not change it. */
export const listedMilliseconds = 10_000;

/** One migration per schema version: SQL, and work that SQL cannot do. */
const migrations: (string | ((database: DatabaseSync) => void))[] = [
  `
  CREATE TABLE agent_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT,
    status TEXT NOT NULL,
    origin TEXT NOT NULL,
    parent TEXT,
    lineage TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    last_fork INTEGER NOT NULL,
    counters TEXT NOT NULL,
    notepad TEXT
  ) STRICT;
  CREATE INDEX agent_sessions_of_owner ON agent_sessions (owner, id);

  CREATE TABLE session_records (
    session_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    from_revision INTEGER NOT NULL,
    to_revision INTEGER NOT NULL,
    value TEXT,
    PRIMARY KEY (session_id, kind, key, to_revision)
  ) STRICT;

  CREATE TABLE session_journal (
    session_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    owner TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    surface TEXT NOT NULL,
    operation TEXT NOT NULL,
    changes TEXT NOT NULL,
    idempotency_key TEXT,
    result TEXT,
    PRIMARY KEY (session_id, revision)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX session_journal_keys ON session_journal (session_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  CREATE VIEW session_notes AS
    SELECT session_id, owner, key AS id, value ->> '$.content' AS content, value -> '$.tags' AS tags,
           value ->> '$.createdAt' AS created_at, value ->> '$.updatedAt' AS updated_at
    FROM session_records WHERE kind = 'note' AND to_revision = 9007199254740991 AND value IS NOT NULL;
  CREATE VIEW session_spaces AS
    SELECT session_id, owner, key AS space, value ->> '$' AS content
    FROM session_records WHERE kind = 'space' AND to_revision = 9007199254740991 AND value IS NOT NULL;
  CREATE VIEW session_refs AS
    SELECT session_id, owner, key AS place, value ->> '$' AS ref
    FROM session_records WHERE kind = 'ref' AND to_revision = 9007199254740991 AND value IS NOT NULL;
  CREATE VIEW session_tasks AS
    SELECT session_id, owner, key AS id, value AS task
    FROM session_records WHERE kind = 'task' AND to_revision = 9007199254740991 AND value IS NOT NULL;
  CREATE VIEW session_messages AS
    SELECT session_id, owner, CAST(key AS INTEGER) AS number, value AS message
    FROM session_records WHERE kind = 'message' AND to_revision = 9007199254740991 AND value IS NOT NULL;
  `,
  `
  CREATE TABLE ledger_calls (
    session_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    at INTEGER NOT NULL,
    base INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    pieces TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger_pieces (
    session_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL,
    part TEXT NOT NULL,
    role TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session_id, hash)
  ) STRICT;
  `,
  // Checksums, and the order of the last commits, so that a watcher reads only what changed.
  (database) => {
    database.exec(`
      ALTER TABLE agent_sessions ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE agent_sessions ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE session_records ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE session_journal ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX agent_sessions_by_change ON agent_sessions (change);
      CREATE TABLE store_changes (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
      INSERT INTO store_changes VALUES (1, 0);
    `);
    sealRows(database);
  },
  // The newest sessions are listed without reading all.
  "CREATE INDEX agent_sessions_listed ON agent_sessions (owner, updated_at DESC, id);",
  // A commit changes fewer pages: a long notepad is the last column, the index of the list
  // of sessions rarely changes, and the last changes are rows of a small table.
  `
  DROP INDEX agent_sessions_of_owner;
  DROP INDEX agent_sessions_by_change;
  DROP INDEX agent_sessions_listed;
  ALTER TABLE agent_sessions RENAME TO former_sessions;
  CREATE TABLE agent_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT,
    status TEXT NOT NULL,
    origin TEXT NOT NULL,
    parent TEXT,
    lineage TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    last_fork INTEGER NOT NULL,
    counters TEXT NOT NULL,
    sum INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    notepad TEXT
  ) STRICT;
  INSERT INTO agent_sessions
    SELECT id, owner, agent, title, status, origin, parent, lineage, created_at, updated_at, revision, last_fork, counters,
           sum, updated_at / ${listedMilliseconds}, notepad
    FROM former_sessions;
  DROP TABLE former_sessions;
  CREATE INDEX agent_sessions_of_owner ON agent_sessions (owner, id);
  CREATE INDEX agent_sessions_listed ON agent_sessions (owner, listed DESC);
  DROP TABLE store_changes;
  CREATE TABLE store_changes (
    number INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT;
  `,
];

const schemaVersion = migrations.length;

/** Creates or upgrades the schema. Throws if the database is foreign or has a newer schema. */
export function prepareSchema(database: DatabaseSync, path: string, writable: boolean): void {
  if (isCurrentAtomically(database, path)) return;
  if (!writable) {
    throw new HoldfastError(
      "store_read_only",
      `${path} has no up-to-date Holdfast schema and is not writable. Open it once with write permission.`,
      { data: { path } },
    );
  }
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated while this one waited for the lock.
    if (!isCurrent(database, path)) {
      for (const migration of migrations.slice(readPragma(database, "user_version"))) {
        if (typeof migration === "string") database.exec(migration);
        else migration(database);
      }
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
    }
    database.exec("COMMIT");
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // Report the original error.
    }
    throw error;
  }
}

/** Runs `isCurrent` in a transaction, because another process may create the schema between two queries. */
export function isCurrentAtomically(database: DatabaseSync, path: string): boolean {
  database.exec("BEGIN");
  try {
    return isCurrent(database, path);
  } finally {
    database.exec("COMMIT");
  }
}

/** Whether the schema is up to date. Throws if the database is foreign or has a newer schema. */
function isCurrent(database: DatabaseSync, path: string): boolean {
  const version = readPragma(database, "user_version");
  const application = readPragma(database, "application_id");
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (application !== applicationId && (tables.n > 0 || application !== 0 || version !== 0)) {
    throw new HoldfastError(
      "store_foreign",
      `${path} is a SQLite database that Holdfast did not create; it was not changed. Use another file.`,
      { data: { path, applicationId: application } },
    );
  }
  if (version > schemaVersion) {
    throw new HoldfastError(
      "store_newer",
      `${path} was written by a newer Holdfast (schema ${version}; this version supports ${schemaVersion}). Update holdfast, or use another file.`,
      { data: { path, schema: version, known: schemaVersion } },
    );
  }
  return version === schemaVersion;
}

function readPragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return row[name] ?? 0;
}
