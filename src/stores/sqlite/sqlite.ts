import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { HoldfastError } from "../../errors.ts";
import { recordFromSql, rowsAs, type SqlRecord, type SqlSession, sessionFromSql } from "../sql-rows.ts";
import {
  deleteSession,
  type SessionTable,
  type SqlDatabase,
  type Statement,
  selectResident,
  sqlStore,
  thisSession,
  valuesOf,
} from "../sql-store.ts";
import type { Scope, Store, StoreOptions } from "../store.ts";
import { DailyBackup } from "./backup.ts";
import { checkRow, checksumOfRow, hasChecksum } from "./checksums.ts";
import { isTaken, retryWhileBusy } from "./errors.ts";
import { addChange, forgetChanges, SqliteFeed } from "./feed.ts";
import { openDatabase, sqliteVersion, warningOfVersion } from "./open-database.ts";
import { eraseFreed, finishErasure, rewriteRows } from "./rewrite.ts";

export interface SqliteOptions extends StoreOptions {
  /** The database file; created if missing. */
  path: string;
  /** `full` (default): acknowledged writes are fsynced. `normal`: a power cut may lose the last ones. */
  synchronous?: "full" | "normal";
}

/** How long a store waits for another process's lock, unless the caller sets another time. */
const defaultLockTimeout = 60_000;

/** The write-ahead log is emptied when it is larger and no reader needs it; checked every so many commits. */
const maxLogBytes = 16_000_000;
const commitsPerCheck = 50;

export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  const path = options.path === ":memory:" ? options.path : resolve(options.path);
  const lockTimeout = options.lockTimeout ?? defaultLockTimeout;
  const opened = await retryWhileBusy(path, lockTimeout, () =>
    openDatabase(path, options.synchronous ?? "full"),
  );
  const warning = warningOfVersion(sqliteVersion(opened.database));
  if (warning) (options.onWarning ?? console.warn)(warning);
  if (opened.writable) finishErasure(opened.database, path);
  const backup = opened.writable && path !== ":memory:" ? new DailyBackup(path) : undefined;
  const file = new SqliteFile({ ...opened, path, lockTimeout });
  const feed = new SqliteFeed(file);
  const database = makeSqlDatabase(file, feed);
  const shared = sqlStore(database);

  const store: Store = {
    ...shared,
    trimming: { ...shared.trimming, size: () => file.read(() => file.usedBytes()) },
    load: (scope) => loadSession(file, scope),
    async purge(scope) {
      const counts = await database.write([...deleteSession(scope), forgetChanges(scope)]);
      if (!counts?.[0]) return false;
      // Erase the content from the write-ahead log and the backup too.
      opened.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      await backup?.remove();
      return true;
    },
    async rewrite(owners, edit, now) {
      const rewritten = await file.write(() => rewriteRows(opened.database, owners, edit, now));
      return { ...rewritten, remaining: (await store.erase?.()) ?? [] };
    },
    async erase() {
      file.assertOpen();
      file.assertWritable();
      await backup?.remove();
      return eraseFreed(opened.database, path);
    },
    watch: (listener) => feed.watch(listener),
    async close() {
      if (!file.close()) return;
      const copying = backup?.stop();
      if (copying) await copying;
      if (opened.writable) finishErasure(opened.database, path);
      feed.close();
      opened.database.close();
    },
  };
  return store;
}

function makeSqlDatabase(file: SqliteFile, feed: SqliteFeed): SqlDatabase {
  return {
    query: <Row extends object>({ text, values }: Statement) =>
      file.read(() => rowsAs<Row>(file.prepare(text).all(...values.map(listAsJson)))),
    async write(statements, about) {
      const row = about?.row;
      const scope = row && { owner: row.owner, sessionId: row.id };
      const work = () => {
        const counts = file.apply(statements);
        if (scope) addChange(file, scope, row.revision);
        return counts;
      };
      const counts = await file.write(work).catch(undefinedIfRefused);
      if (counts && scope) {
        feed.notify({ ...scope, revision: row.revision });
        file.limitLog();
      }
      return counts;
    },
    stamp: (table, row) => (hasChecksum(table) ? { ...row, sum: checksumOfRow(table, row) } : row),
    verify: (table, row) => file.verify(table, row),
    among: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
    words: { lockRow: "", touch: "", byCodePoint: "" },
  };
}

/** In one transaction, so that the row and its records are consistent. */
function loadSession(file: SqliteFile, scope: Scope): ReturnType<Store["load"]> {
  return file.transact("BEGIN", () => {
    const row = file
      .prepare(`SELECT * FROM agent_sessions WHERE ${thisSession}`)
      .get(...(valuesOf(scope) as string[]));
    if (!row) return undefined;
    const records = file
      .prepare(`${selectResident("*")} ORDER BY kind, key`)
      .all(...(valuesOf(scope) as string[]));
    return {
      row: sessionFromSql(file.verify("agent_sessions", row as unknown as SqlSession)),
      records: rowsAs<SqlRecord>(records).map((record) =>
        recordFromSql(file.verify("session_records", record)),
      ),
    };
  });
}

function listAsJson(value: Statement["values"][number]): string | number | null {
  return Array.isArray(value) ? JSON.stringify(value) : (value as string | number | null);
}

/** A required statement found nothing. */
class Refusal extends Error {}

function undefinedIfRefused(error: unknown): undefined {
  const reason = error instanceof HoldfastError ? error.cause : error;
  if (reason instanceof Refusal || isTaken(reason)) return undefined;
  throw error;
}

/** An open database file: its prepared statements and its transactions. */
class SqliteFile {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #writable: boolean;
  readonly #lockTimeout: number;
  readonly #statements = new Map<string, StatementSync>();
  #commits = 0;
  #closed = false;

  constructor(given: { database: DatabaseSync; path: string; writable: boolean; lockTimeout: number }) {
    this.#database = given.database;
    this.#path = given.path;
    this.#writable = given.writable;
    this.#lockTimeout = given.lockTimeout;
  }

  prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      // SQLite takes "$1" for the name of a parameter.
      statement = this.#database.prepare(text.replaceAll("$", "?"));
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Waits for locks. */
  read<T>(work: () => T): Promise<T> {
    return retryWhileBusy(this.#path, this.#lockTimeout, () => {
      this.assertOpen();
      return work();
    });
  }

  async write<T>(work: () => T): Promise<T> {
    this.assertWritable();
    return this.transact("BEGIN IMMEDIATE", work);
  }

  transact<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): Promise<T> {
    return this.read(() => {
      this.prepare(begin).run();
      try {
        const result = work();
        this.prepare("COMMIT").run();
        return result;
      } catch (error) {
        rollBack(this.#database);
        throw error;
      }
    });
  }

  /** Runs statements in the transaction; how many rows each found or changed. */
  apply(statements: readonly Statement[]): number[] {
    return statements.map(({ text, values, required }) => {
      const [statement, given] = [this.prepare(text), values.map(listAsJson)];
      const count = text.startsWith("SELECT")
        ? statement.all(...given).length
        : Number(statement.run(...given).changes);
      if (required && count === 0) throw new Refusal();
      return count;
    });
  }

  verify<Row extends object>(table: SessionTable, row: Row): Row {
    return hasChecksum(table) ? checkRow(table, row, this.#path) : row;
  }

  /** Bytes of the pages in use. */
  usedBytes(): number {
    const read = (name: string) => Object.values(this.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
    return (read("page_count") - read("freelist_count")) * read("page_size");
  }

  /** Readers may have kept the log from being reused while it grew: empty it as soon as they are gone. */
  limitLog(): void {
    if (++this.#commits % commitsPerCheck !== 0 || this.#path === ":memory:") return;
    const size = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= maxLogBytes) return;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The next check tries again.
    }
  }

  /** False if it was closed before. */
  close(): boolean {
    const wasOpen = !this.#closed;
    this.#closed = true;
    return wasOpen;
  }

  assertOpen(): void {
    if (this.#closed)
      throw new HoldfastError("store_closed", `${this.#path} was closed. Open the memory again.`);
  }

  assertWritable(): void {
    if (this.#writable) return;
    throw new HoldfastError(
      "store_read_only",
      `${this.#path} is open read-only, because it is not writable. Make the file and its directory writable, then open it again.`,
      { data: { path: this.#path } },
    );
  }
}

/** After some errors SQLite has already ended the transaction, so ROLLBACK may fail. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // Report the original error.
  }
}
