import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HoldfastError } from "../../errors.ts";
import { applicationId } from "../application-id.ts";
import { makeDirectory } from "../durable-directory.ts";
import { blockingMilliseconds } from "../patience.ts";
import { isFull, isReadOnly } from "../sqlite-errors.ts";

/** Serialises the writers of a directory with SQLite's lock on a one-page file; the OS releases it if the holder dies. */
export class DirectoryLock {
  readonly #directory: string;
  readonly #database: DatabaseSync | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    makeDirectory(directory);
    try {
      this.#database = new DatabaseSync(join(directory, "lock"));
      this.#database.exec(`PRAGMA busy_timeout = ${blockingMilliseconds}; PRAGMA journal_mode = DELETE`);
      makeLockable(this.#database);
    } catch (error) {
      // A read-only directory has no writers to serialise, and its sessions can still be read.
      if (!isReadOnly(error)) throw error;
      this.#database?.close();
      this.#database = undefined;
    }
  }

  /** Throws SQLITE_BUSY if another process has the lock: the caller waits without blocking and tries again. */
  hold<T>(work: () => T): T {
    const database = this.#database;
    try {
      if (!database) throw this.#readOnly();
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      throw isReadOnly(error) ? this.#readOnly(error) : error;
    }
    try {
      return work();
    } finally {
      database.exec("ROLLBACK");
    }
  }

  close(): void {
    this.#database?.close();
  }

  #readOnly(cause?: unknown): HoldfastError {
    return new HoldfastError(
      "store_read_only",
      `${this.#directory} is not writable. Make the directory writable, or use another one.`,
      { data: { path: this.#directory }, ...(cause === undefined ? {} : { cause }) },
    );
  }
}

/** Locking an empty database would write its first page each time and roll it back. */
function makeLockable(database: DatabaseSync): void {
  const { page_count } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  try {
    if (page_count === 0) database.exec(`PRAGMA application_id = ${applicationId}`);
  } catch (error) {
    // On a full disk locking is only slower.
    if (!isFull(error)) throw error;
  }
}
