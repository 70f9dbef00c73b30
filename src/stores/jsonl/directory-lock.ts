import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { HoldfastError } from "../../errors.ts";
import { applicationId } from "../application-id.ts";
import { makeDirectory } from "../durable-directory.ts";
import { isFull, isReadOnly } from "../sqlite-errors.ts";

/** Writers of a directory take turns. The lock is SQLite's own on a file of one page: the system frees it when its holder dies. */
export class DirectoryLock {
  readonly #directory: string;
  readonly #database: DatabaseSync | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    makeDirectory(directory);
    try {
      this.#database = new DatabaseSync(join(directory, "lock"));
      this.#database.exec("PRAGMA busy_timeout = 60000; PRAGMA journal_mode = DELETE");
      makeLockable(this.#database);
    } catch (error) {
      // Where nothing can be written there is nothing to take turns at; what is there can still be read.
      if (!isReadOnly(error)) throw error;
      this.#database?.close();
      this.#database = undefined;
    }
  }

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
      `${this.#directory} cannot be written to. Make the directory writable, or name another one.`,
      { data: { path: this.#directory }, ...(cause === undefined ? {} : { cause }) },
    );
  }
}

/** Locking a database without a single page would write that page each time, and then take it back. */
function makeLockable(database: DatabaseSync): void {
  const { page_count } = database.prepare("PRAGMA page_count").get() as { page_count: number };
  try {
    if (page_count === 0) database.exec(`PRAGMA application_id = ${applicationId}`);
  } catch (error) {
    // On a full disk it is slower, and no worse.
    if (!isFull(error)) throw error;
  }
}
