import type { DatabaseSync } from "node:sqlite";
import { HoldfastError } from "../../errors.ts";
import { adviceIfBackedUp } from "./errors.ts";

/** "Hold" in ASCII; identifies a SQLite file as ours. */
const applicationId = 0x486f6c64;

/** The changes that lead to each schema version, in SQL. The first creates version 1. */
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
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    last_fork INTEGER NOT NULL,
    counters TEXT NOT NULL,
    sum INTEGER NOT NULL,
    notepad TEXT,
    PRIMARY KEY (id, owner)
  ) STRICT;
  CREATE INDEX agent_sessions_listed ON agent_sessions (owner, updated_at DESC, id);

  CREATE TABLE session_records (
    session_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    from_revision INTEGER NOT NULL,
    to_revision INTEGER NOT NULL,
    value TEXT,
    sum INTEGER NOT NULL,
    PRIMARY KEY (session_id, owner, kind, key, to_revision)
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
    sum INTEGER NOT NULL,
    PRIMARY KEY (session_id, owner, revision)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX session_journal_keys ON session_journal (session_id, owner, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  -- The last commits, so that a watcher reads only what changed.
  CREATE TABLE store_changes (
    number INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    session_id TEXT NOT NULL,
    revision INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE ledger_calls (
    session_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    at INTEGER NOT NULL,
    base INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    pieces TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (session_id, owner, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger_pieces (
    session_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL,
    part TEXT NOT NULL,
    role TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session_id, owner, hash)
  ) STRICT;

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
];

/**
 * Creates or upgrades the schema, all steps in one transaction. Throws if the database is foreign or has a newer schema.
 * A test names other steps.
 */
export function prepareSchema(
  database: DatabaseSync,
  path: string,
  writable: boolean,
  steps: readonly string[] = migrations,
): void {
  if (isCurrentAtomically(database, path, steps)) return;
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
    if (!isCurrent(database, path, steps)) {
      for (const step of steps.slice(readPragma(database, "user_version"))) database.exec(step);
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${steps.length}`);
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
export function isCurrentAtomically(
  database: DatabaseSync,
  path: string,
  steps: readonly string[] = migrations,
): boolean {
  database.exec("BEGIN");
  try {
    return isCurrent(database, path, steps);
  } finally {
    database.exec("COMMIT");
  }
}

/** Whether the schema is up to date. Throws if the database is foreign or has a newer schema. */
function isCurrent(database: DatabaseSync, path: string, { length: known }: readonly string[]): boolean {
  const version = readPragma(database, "user_version");
  const application = readPragma(database, "application_id");
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as { n: number };
  if (application !== applicationId && (tables.n > 0 || application !== 0 || version !== 0)) {
    throw new HoldfastError(
      "store_foreign",
      `${path} is a SQLite database that Holdfast did not create; it was not changed. Use another file.${adviceIfBackedUp(path)}`,
      { data: { path, applicationId: application } },
    );
  }
  if (version > known) {
    throw new HoldfastError(
      "store_newer",
      `${path} was written by a newer Holdfast (schema ${version}; this version supports ${known}). Update holdfast, or use another file.`,
      { data: { path, schema: version, known } },
    );
  }
  return version === known;
}

function readPragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return row[name] ?? 0;
}
