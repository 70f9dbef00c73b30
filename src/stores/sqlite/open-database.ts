import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { makeDirectory } from "../durable-directory.ts";
import { isReadOnly } from "../sqlite-errors.ts";
import { isCurrentNow, prepareSchema } from "./schema.ts";

/** How long SQLite itself waits for another process before it says so. */
const busyMilliseconds = 5_000;

export interface OpenedDatabase {
  database: DatabaseSync;
  writable: boolean;
}

/** Opens, creates or upgrades a database; one that is not ours, or of a newer version, is left as it is. */
export function openDatabase(
  path: string,
  synchronous: "full" | "normal",
  patience = busyMilliseconds,
): OpenedDatabase {
  refuseStranger(path, patience);
  const opened = openEither(path, patience);
  try {
    opened.database.exec(`PRAGMA synchronous = ${synchronous === "normal" ? "NORMAL" : "FULL"}`);
    prepareSchema(opened.database, path, opened.writable);
    return opened;
  } catch (error) {
    opened.database.close();
    throw error;
  }
}

/** For reading and writing; for reading only where nothing can be written. */
function openEither(path: string, patience: number): OpenedDatabase {
  try {
    createFile(path);
    return { database: openWith(path, {}, patience, "PRAGMA journal_mode = WAL"), writable: true };
  } catch (error) {
    if (!mayBeReadOnly(error) || !existsSync(path)) throw cannotOpen(error, path);
    return { database: openToRead(path, patience), writable: false };
  }
}

function openWith(
  location: string,
  options: { readOnly?: boolean },
  patience: number,
  setup = "",
): DatabaseSync {
  const database = new DatabaseSync(location, options);
  try {
    database.exec(`PRAGMA busy_timeout = ${patience}; ${setup}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Checks before anything is changed: switching to WAL would already change a foreign database.
 * Looks through SQLite, because closing the file by other means would drop the locks this process has on it.
 */
function refuseStranger(path: string, patience: number): void {
  if (path === ":memory:" || !statSync(path, { throwIfNoEntry: false })?.size) return;
  let database: DatabaseSync | undefined;
  try {
    database = openToRead(path, patience);
    isCurrentNow(database, path);
  } catch (error) {
    // What cannot be looked at like this is looked at again when it is opened.
    if (error instanceof HoldfastError) throw error;
  } finally {
    database?.close();
  }
}

/** Without a write-ahead log beside it, the file can be read where nothing can be written, and no trace is left. */
function openToRead(path: string, patience: number): DatabaseSync {
  const location = existsSync(`${path}-wal`) ? path : `${pathToFileURL(path).href}?immutable=1`;
  return openWith(location, { readOnly: true }, patience);
}

/** Notes are private: the directory is made for its owner only, and so is the file. */
function createFile(path: string): void {
  if (path === ":memory:" || existsSync(path)) return;
  makeDirectory(dirname(path));
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
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
      `${path} cannot be created: its directory cannot be written to (${code}). Make it writable, or name another file.`,
      { data: { path }, cause: error },
    );
  }
  return error;
}
