import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { JournalEntry } from "../../engine/journal.ts";
import { residentKinds } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Ledger } from "../ledger.ts";
import type { Rewritten, TextEdit } from "../rewrite.ts";
import {
  entryFromSql,
  recordFromSql,
  type SqlEntry,
  type SqlRecord,
  type SqlSession,
  sessionFromSql,
  summaryColumns,
  summaryFromSql,
} from "../sql-rows.ts";
import {
  type Commit,
  type NewSession,
  openEnd,
  type Scope,
  type Store,
  type StoreChange,
  type StoredRecord,
  type StoreOptions,
} from "../store.ts";
import type { Trimming } from "../trim.ts";
import { checkRow, summedColumns } from "./checksums.ts";
import { defaultPatience, isBusy, retryWhileBusy, storeError } from "./errors.ts";
import { SqliteFeed } from "./feed.ts";
import { countCommit, KnownRevisions } from "./known-revisions.ts";
import { sqliteLedger } from "./ledger.ts";
import { openDatabase } from "./open-database.ts";
import { eraseFreed, finishErasure, rewriteRows } from "./rewrite.ts";
import { listedAt, readVersions, SqliteRows } from "./session-rows.ts";
import { sqliteVersion, warningOfVersion } from "./sqlite-version.ts";
import { sqliteTrimming } from "./trim.ts";
import { rowAs, rowsAs } from "./typed-rows.ts";

export interface SqliteOptions extends StoreOptions {
  /** The database file; created if missing. */
  path: string;
  /** `full` (default): acknowledged writes are fsynced. `normal`: a power cut may lose the last ones. */
  synchronous?: "full" | "normal";
  /** Interval of polling for commits of other processes while there are watchers (default: 100). */
  pollMilliseconds?: number;
}

/** The write-ahead log is emptied when it is larger and no reader needs it; checked every so many commits. */
const maxLogBytes = 16_000_000;
const commitsPerCheck = 50;

const recordColumns = `${summedColumns.session_records}, sum`;

export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  const path = options.path === ":memory:" ? options.path : resolve(options.path);
  const { database, writable } = await retryWhileBusy(path, options.patience ?? defaultPatience, () =>
    openDatabase(path, options.synchronous ?? "full"),
  );
  const warning = warningOfVersion(sqliteVersion(database));
  if (warning) (options.onWarning ?? console.warn)(warning);
  if (writable) finishErasure(database, path);
  return new SqliteStore(database, path, writable, options);
}

class SqliteStore implements Store {
  readonly name = "sqlite";
  readonly ledger: Ledger;
  readonly trimming: Trimming;
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #writable: boolean;
  readonly #patience: number;
  readonly #feed: SqliteFeed;
  readonly #rows: SqliteRows;
  readonly #revisions: KnownRevisions;
  #commits = 0;
  #closed = false;

  constructor(database: DatabaseSync, path: string, writable: boolean, options: SqliteOptions) {
    this.#database = database;
    this.#rows = new SqliteRows(database);
    this.#revisions = new KnownRevisions(this.#rows);
    this.#path = path;
    this.#writable = writable;
    this.#patience = options.patience ?? defaultPatience;
    this.#feed = new SqliteFeed({
      rows: this.#rows,
      version: () => this.#dropStaleRevisions(),
      read: (work) => this.#read(work),
      pollMilliseconds: options.pollMilliseconds ?? 100,
    });
    this.ledger = sqliteLedger(this.#rows, {
      read: (work) => this.#read(work),
      write: (work) => this.#writeWithoutSync(work, options.synchronous ?? "full"),
    });
    this.trimming = sqliteTrimming(this.#rows, {
      read: (work) => this.#read(work),
      write: (work) => this.#writeWithoutSync(work, options.synchronous ?? "full"),
    });
  }

  async create(session: NewSession): Promise<boolean> {
    const { row } = session;
    const change = { owner: row.owner, sessionId: row.id, revision: row.revision };
    const created = await this.#write(change, () => this.#rows.insertSession(session));
    if (created) this.#feed.notify(change);
    return created;
  }

  async load(scope: Scope): ReturnType<Store["load"]> {
    // One transaction, so that the row and its records are consistent.
    return this.#transact("BEGIN", () => {
      const row = this.#rows
        .prepare("SELECT * FROM agent_sessions WHERE id = ? AND owner = ?")
        .get(scope.sessionId, scope.owner);
      if (!row) return undefined;
      const records = this.#rows
        .prepare(
          `SELECT ${recordColumns} FROM session_records WHERE session_id = ? AND owner = ? AND to_revision = ${openEnd}
         AND value IS NOT NULL AND kind IN (${residentKinds.map((kind) => `'${kind}'`).join(", ")}) ORDER BY kind, key`,
        )
        .all(scope.sessionId, scope.owner);
      return {
        row: sessionFromSql(checkRow("agent_sessions", rowAs<SqlSession>(row), this.#path)),
        records: this.#recordsOf(records),
      };
    });
  }

  /** Served from the cache until another process commits. */
  revision(scope: Scope): number | undefined | Promise<number | undefined> {
    const known = this.#knownRevision(scope);
    if (known !== undefined) return known;
    return this.#read(() => {
      this.#dropStaleRevisions();
      const row = this.#rows
        .prepare("SELECT revision FROM agent_sessions WHERE id = ? AND owner = ?")
        .get(scope.sessionId, scope.owner);
      const revision = row?.revision as number | undefined;
      if (revision !== undefined) this.#revisions.set(scope, revision);
      return revision;
    });
  }

  /** Undefined if it has to be read, or if the cache cannot be checked because the database is locked. */
  #knownRevision(scope: Scope): number | undefined {
    try {
      this.#assertOpen();
      if (!this.#revisions.isChecked) this.#revisions.dropStale();
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw storeError(error, this.#path);
    }
    return this.#revisions.get(scope);
  }

  async commit(commit: Commit): Promise<boolean> {
    const { scope, expected, row } = commit;
    const change = { ...scope, revision: row.revision };
    const done = await this.#write(change, () => this.#rows.applyCommit(commit));
    if (done) this.#feed.notify(change);
    if (done) this.#limitLog();
    else if (this.#revisions.get(scope) === expected) this.#revisions.delete(scope);
    return done;
  }

  async records(
    scope: Scope,
    { kinds, keys, from, to, at }: Parameters<Store["records"]>[1],
  ): ReturnType<Store["records"]> {
    const conditions = ["session_id = ?", "owner = ?", `kind IN (${kinds.map(() => "?").join(", ")})`];
    const values: (string | number)[] = [scope.sessionId, scope.owner, ...kinds];
    const add = (condition: string, ...more: (string | number)[]) => {
      conditions.push(condition);
      values.push(...more);
    };
    if (at === undefined) add(`to_revision = ${openEnd}`);
    else add("from_revision <= ? AND to_revision > ?", at, at);
    if (keys) add("key IN (SELECT value FROM json_each(?))", JSON.stringify(keys));
    if (from !== undefined) add("key >= ?", from);
    if (to !== undefined) add("key <= ?", to);
    return this.#read(() => {
      const rows = this.#rows
        .prepare(
          `SELECT ${recordColumns} FROM session_records WHERE ${conditions.join(" AND ")} ORDER BY kind, key`,
        )
        .all(...values);
      return this.#recordsOf(rows);
    });
  }

  versions(scope: Scope): ReturnType<NonNullable<Store["versions"]>> {
    return this.#read(() => readVersions(this.#rows, scope, this.#path));
  }

  async journal(
    scope: Scope,
    { from = 0, to = openEnd, limit = -1, newestFirst }: Parameters<Store["journal"]>[1],
  ): Promise<JournalEntry[]> {
    return this.#read(() => {
      const rows = this.#rows
        .prepare(
          `SELECT * FROM session_journal WHERE session_id = ? AND owner = ? AND revision BETWEEN ? AND ?
         ORDER BY revision ${newestFirst ? "DESC" : "ASC"} LIMIT ?`,
        )
        .all(scope.sessionId, scope.owner, from, to, limit);
      return rowsAs<SqlEntry>(rows).map((row) => this.#entryOf(row));
    });
  }

  async entryByKey(scope: Scope, key: string): Promise<JournalEntry | undefined> {
    return this.#read(() => {
      const row = this.#rows
        .prepare("SELECT * FROM session_journal WHERE session_id = ? AND owner = ? AND idempotency_key = ?")
        .get(scope.sessionId, scope.owner, key);
      return row && this.#entryOf(row);
    });
  }

  #recordsOf(rows: unknown): StoredRecord[] {
    return rowsAs<SqlRecord>(rows).map((row) => recordFromSql(checkRow("session_records", row, this.#path)));
  }

  #entryOf(row: unknown): JournalEntry {
    return entryFromSql(checkRow("session_journal", rowAs<SqlEntry>(row), this.#path));
  }

  async sessions(
    owner: string,
    { agent, statuses, parent, limit = -1, offset = 0, after }: Parameters<Store["sessions"]>[1],
  ): ReturnType<Store["sessions"]> {
    const conditions = ["owner = ?"];
    const values: (string | number)[] = [owner];
    if (after) {
      conditions.push("listed <= ? AND (updated_at < ? OR (updated_at = ? AND id > ?))");
      values.push(listedAt(after.updatedAt), after.updatedAt, after.updatedAt, after.id);
    }
    if (agent !== undefined) conditions.push("agent = ?") && values.push(agent);
    if (parent !== undefined) conditions.push("parent = ?") && values.push(parent);
    if (statuses)
      conditions.push("status IN (SELECT value FROM json_each(?))") && values.push(JSON.stringify(statuses));
    return this.#read(() => {
      const rows = this.#rows
        .prepare(
          `SELECT ${summaryColumns} FROM agent_sessions WHERE ${conditions.join(" AND ")} ORDER BY listed DESC, updated_at DESC, id LIMIT ? OFFSET ?`,
        )
        .all(...values, limit, offset);
      return rowsAs<SqlSession>(rows).map(summaryFromSql);
    });
  }

  async purge(scope: Scope): Promise<boolean> {
    this.#assertOpen();
    const purged = await this.#write(undefined, () => {
      this.#revisions.delete(scope);
      return this.#rows.deleteSession(scope);
    });
    // Erase the content from the write-ahead log too.
    if (purged) this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return purged;
  }

  async rewrite(owners: readonly string[], edit: TextEdit, now: number): Promise<Rewritten> {
    this.#assertWritable();
    const rewritten = await this.#transact("BEGIN IMMEDIATE", () =>
      rewriteRows(this.#database, owners, edit, now),
    );
    this.#revisions.clear();
    return { ...rewritten, remaining: await this.erase() };
  }

  async erase(): Promise<string[]> {
    this.#assertOpen();
    this.#assertWritable();
    return eraseFreed(this.#database, this.#path);
  }

  watch(listener: (change: StoreChange) => void): ReturnType<Store["watch"]> {
    return this.#feed.watch(listener);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#writable) finishErasure(this.#database, this.#path);
    this.#feed.close();
    this.#database.close();
  }

  /** `change` is the session's new revision if the work returns true. */
  async #write(change: StoreChange | undefined, work: () => boolean): Promise<boolean> {
    this.#assertWritable();
    return this.#transact(
      "BEGIN IMMEDIATE",
      () => {
        // Read data_version under the write lock, so that the revision cached after this commit is valid.
        this.#dropStaleRevisions();
        return work();
      },
      (done) => {
        if (done && change) this.#revisions.set(change, change.revision);
      },
    );
  }

  /** For data that a power cut may lose: skips the fsync; the next commit syncs it too. */
  async #writeWithoutSync<T>(work: () => T, synchronous: "full" | "normal"): Promise<T> {
    this.#assertWritable();
    const isFull = synchronous === "full";
    return retryWhileBusy(this.#path, this.#patience, () => {
      this.#assertOpen();
      if (isFull) this.#database.exec("PRAGMA synchronous = NORMAL");
      try {
        return this.#inTransaction("BEGIN IMMEDIATE", work);
      } finally {
        if (isFull) this.#database.exec("PRAGMA synchronous = FULL");
      }
    });
  }

  /** Readers may have kept the log from being reused while it grew: empty it as soon as they are gone. */
  #limitLog(): void {
    if (++this.#commits % commitsPerCheck !== 0 || this.#path === ":memory:") return;
    const size = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= maxLogBytes) return;
    try {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The next check tries again.
    }
  }

  #assertWritable(): void {
    if (this.#writable) return;
    throw new HoldfastError(
      "store_read_only",
      `${this.#path} is open read-only, because it is not writable. Make the file and its directory writable, then open it again.`,
      { data: { path: this.#path } },
    );
  }

  async #transact<T>(
    begin: "BEGIN" | "BEGIN IMMEDIATE",
    work: () => T,
    committed?: (result: T) => void,
  ): Promise<T> {
    return retryWhileBusy(this.#path, this.#patience, () => {
      this.#assertOpen();
      const result = this.#inTransaction(begin, work);
      committed?.(result);
      return result;
    });
  }

  #inTransaction<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
    this.#rows.prepare(begin).run();
    try {
      const result = work();
      this.#rows.prepare("COMMIT").run();
      if (begin === "BEGIN IMMEDIATE") countCommit();
      return result;
    } catch (error) {
      rollBack(this.#database);
      throw error;
    }
  }

  async #read<T>(work: () => T): Promise<T> {
    return retryWhileBusy(this.#path, this.#patience, () => {
      this.#assertOpen();
      return work();
    });
  }

  #assertOpen(): void {
    if (this.#closed)
      throw new HoldfastError("store_closed", `${this.#path} was closed. Open the memory again.`);
  }

  #dropStaleRevisions(): number {
    this.#assertOpen();
    return this.#revisions.dropStale();
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
