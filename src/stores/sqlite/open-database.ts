import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { adviceIfBackedUp, blockingMilliseconds, isReadOnly } from "./errors.ts";

export interface OpenedDatabase {
  database: DatabaseSync;
  writable: boolean;
}

/** Opens, creates or upgrades a database. Throws, without changing it, if it is foreign or has a newer schema. */
export function openDatabase(path: string, synchronous: "full" | "normal"): OpenedDatabase {
  rejectSpecial(path);
  rejectForeign(path);
  const opened = openEither(path);
  try {
    const mode = synchronous === "normal" ? "NORMAL" : "FULL";
    // After a checkpoint, the log's file shrinks to this size. Freed space is overwritten with zeros.
    opened.database.exec(
      `PRAGMA synchronous = ${mode}; PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = ON`,
    );
    prepareSchema(opened.database, path, opened.writable);
    return opened;
  } catch (error) {
    opened.database.close();
    throw error;
  }
}

/** Read-write if possible, else read-only. */
function openEither(path: string): OpenedDatabase {
  try {
    createFile(path);
    return {
      database: openWith(path, {}, "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON"),
      writable: true,
    };
  } catch (error) {
    if (!mayBeReadOnly(error) || !existsSync(path)) throw cannotOpen(error, path);
    return { database: openReadOnly(path), writable: false };
  }
}

function openWith(location: string, options: { readOnly?: boolean }, setup = ""): DatabaseSync {
  const database = new DatabaseSync(location, options);
  try {
    database.exec(`PRAGMA busy_timeout = ${blockingMilliseconds}; ${setup}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opening a pipe or a device may block forever, and a directory looks like a failing disk. */
function rejectSpecial(path: string): void {
  const stat = path === ":memory:" ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isFile()) return;
  throw new HoldfastError("store_foreign", `${path} is not a regular file. Use another file.`, {
    data: { path },
  });
}

/**
 * Checks before switching to WAL, which would already change a foreign database. Reads through SQLite, because
 * closing a plain file handle would drop the POSIX locks this process has on the file.
 */
function rejectForeign(path: string): void {
  if (path === ":memory:" || !statSync(path, { throwIfNoEntry: false })?.size) return;
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(path);
    isCurrentAtomically(database, path);
  } catch (error) {
    // If it cannot be read this way, the real open reports the problem.
    if (error instanceof HoldfastError) throw error;
  } finally {
    database?.close();
  }
}

/** Without a write-ahead log, `immutable` reads the file in a read-only directory and leaves no trace. */
function openReadOnly(path: string): DatabaseSync {
  const location = existsSync(`${path}-wal`) ? path : `${pathToFileURL(path).href}?immutable=1`;
  return openWith(location, { readOnly: true });
}

/** Notes are private, so only the user can access the file and its directory. */
function createFile(path: string): void {
  if (path === ":memory:" || existsSync(path)) return;
  makeDirectory(dirname(path));
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}

/** Creates a directory and its parents, private to the user and durable across a power cut. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  // One by one, because a recursive mkdir reports a read-only file system as ENOENT.
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncDirectory(dirname(path));
}

/** Makes created and removed entries of the directory durable. */
function syncDirectory(path: string): void {
  // Windows cannot fsync a directory and does not need to.
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function mayBeReadOnly(error: unknown): boolean {
  return (
    isReadOnly(error) || ["EROFS", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")
  );
}

function cannotOpen(error: unknown, path: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (["EROFS", "EACCES", "EPERM"].includes(code)) {
    return new HoldfastError(
      "store_read_only",
      `${path} cannot be created: its directory is not writable (${code}). Make it writable, or use another file.`,
      { data: { path }, cause: error },
    );
  }
  return error;
}

/** The first version that cannot reset the write-ahead log under a reader. */
const fixedIn = [3, 51, 3];

export function sqliteVersion(database: DatabaseSync): string {
  return (database.prepare("SELECT sqlite_version() AS version").get() as { version: string }).version;
}

/** The warning for a SQLite version with a known bug; undefined if it has none. */
export function warningOfVersion(version: string): string | undefined {
  const parts = version.split(".").map(Number);
  const first = fixedIn.findIndex((part, index) => part !== (parts[index] ?? 0));
  if (first === -1 || (parts[first] ?? 0) > (fixedIn[first] ?? 0)) return undefined;
  return `SQLite ${version} has a bug that can, in rare cases, lose a commit when several processes write (fixed in ${fixedIn.join(".")}). Use a newer Node.`;
}

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
