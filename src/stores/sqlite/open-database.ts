import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { blockingMilliseconds, isReadOnly } from "./errors.ts";
import { isCurrentAtomically, prepareSchema } from "./schema.ts";

export interface OpenedDatabase {
  database: DatabaseSync;
  writable: boolean;
}

/** Opens, creates or upgrades a database. Throws, without changing it, if it is foreign or has a newer schema. */
export function openDatabase(
  path: string,
  synchronous: "full" | "normal",
  busyTimeout = blockingMilliseconds,
): OpenedDatabase {
  rejectSpecial(path);
  rejectForeign(path, busyTimeout);
  const opened = openEither(path, busyTimeout);
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
function openEither(path: string, busyTimeout: number): OpenedDatabase {
  try {
    createFile(path);
    return {
      database: openWith(path, {}, busyTimeout, "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON"),
      writable: true,
    };
  } catch (error) {
    if (!mayBeReadOnly(error) || !existsSync(path)) throw cannotOpen(error, path);
    return { database: openReadOnly(path, busyTimeout), writable: false };
  }
}

function openWith(
  location: string,
  options: { readOnly?: boolean },
  busyTimeout: number,
  setup = "",
): DatabaseSync {
  const database = new DatabaseSync(location, options);
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}; ${setup}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opening a pipe or a device may block for ever. */
function rejectSpecial(path: string): void {
  const stat = path === ":memory:" ? undefined : statSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isFile() || stat.isDirectory()) return;
  throw new HoldfastError("store_foreign", `${path} is not a regular file. Use another file.`, {
    data: { path },
  });
}

/**
 * Checks before switching to WAL, which would already change a foreign database. Reads through SQLite, because
 * closing a plain file handle would drop the POSIX locks this process has on the file.
 */
function rejectForeign(path: string, busyTimeout: number): void {
  if (path === ":memory:" || !statSync(path, { throwIfNoEntry: false })?.size) return;
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(path, busyTimeout);
    isCurrentAtomically(database, path);
  } catch (error) {
    // If it cannot be read this way, the real open reports the problem.
    if (error instanceof HoldfastError) throw error;
  } finally {
    database?.close();
  }
}

/** Without a write-ahead log, `immutable` reads the file in a read-only directory and leaves no trace. */
function openReadOnly(path: string, busyTimeout: number): DatabaseSync {
  const location = existsSync(`${path}-wal`) ? path : `${pathToFileURL(path).href}?immutable=1`;
  return openWith(location, { readOnly: true }, busyTimeout);
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
