import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { JournalEntry } from "../../engine/journal.ts";
import { residentKinds } from "../../engine/records.ts";
import type { EntryAge } from "../../engine/retention.ts";
import { HoldfastError } from "../../errors.ts";
import type { Ledger } from "../ledger.ts";
import type { Rewritten, TextEdit } from "../rewrite.ts";
import {
  entryFromSql,
  recordFromSql,
  rowsAs,
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
import { DailyBackup } from "./backup.ts";
import { checkRow, summedColumns } from "./checksums.ts";
import { SqliteFeed } from "./feed.ts";
import { type Access, sqliteLedger } from "./ledger.ts";
import { defaultLockTimeout, retryWhileBusy } from "./locks.ts";
import { openDatabase, sqliteVersion, warningOfVersion } from "./open-database.ts";
import { eraseFreed, finishErasure, rewriteRows } from "./rewrite.ts";
import { readVersions, SqliteRows } from "./session-rows.ts";

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
  const { database, writable } = await retryWhileBusy(path, options.lockTimeout ?? defaultLockTimeout, () =>
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
  readonly #lockTimeout: number;
  readonly #feed: SqliteFeed;
  readonly #rows: SqliteRows;
  readonly #backup: DailyBackup | undefined;
  #commits = 0;
  #closed = false;

  constructor(database: DatabaseSync, path: string, writable: boolean, options: SqliteOptions) {
    this.#database = database;
    this.#rows = new SqliteRows(database);
    this.#path = path;
    this.#writable = writable;
    this.#backup = writable && path !== ":memory:" ? new DailyBackup(path) : undefined;
    this.#lockTimeout = options.lockTimeout ?? defaultLockTimeout;
    this.#feed = new SqliteFeed({
      rows: this.#rows,
      version: () => this.#dataVersion(),
      read: (work) => this.#read(work),
      pollMilliseconds: options.pollMilliseconds ?? 100,
    });
    const access: Access = {
      read: (work) => this.#read(work),
      write: (work) => this.#write(work),
    };
    this.ledger = sqliteLedger(this.#rows, access);
    this.trimming = sqliteTrimming(this.#rows, access);
  }

  async create(session: NewSession): Promise<boolean> {
    const { row } = session;
    const change = { owner: row.owner, sessionId: row.id, revision: row.revision };
    const created = await this.#write(() => this.#rows.insertSession(session));
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
        row: sessionFromSql(checkRow("agent_sessions", row as unknown as SqlSession, this.#path)),
        records: this.#recordsOf(records),
      };
    });
  }

  revision({ sessionId, owner }: Scope): Promise<number | undefined> {
    return this.#read(() => {
      const row = this.#rows
        .prepare("SELECT revision FROM agent_sessions WHERE id = ? AND owner = ?")
        .get(sessionId, owner);
      return row?.revision as number | undefined;
    });
  }

  async commit(commit: Commit): Promise<boolean> {
    const change = { ...commit.scope, revision: commit.row.revision };
    const done = await this.#write(() => this.#rows.applyCommit(commit));
    if (!done) return false;
    this.#feed.notify(change);
    this.#limitLog();
    return true;
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
    return entryFromSql(checkRow("session_journal", row as SqlEntry, this.#path));
  }

  async sessions(
    owner: string,
    { agent, statuses, parent, limit = -1, offset = 0, after }: Parameters<Store["sessions"]>[1],
  ): ReturnType<Store["sessions"]> {
    const conditions = ["owner = ?"];
    const values: (string | number)[] = [owner];
    if (after) {
      conditions.push("updated_at <= ? AND (updated_at < ? OR id > ?)");
      values.push(after.updatedAt, after.updatedAt, after.id);
    }
    if (agent !== undefined) conditions.push("agent = ?") && values.push(agent);
    if (parent !== undefined) conditions.push("parent = ?") && values.push(parent);
    if (statuses)
      conditions.push("status IN (SELECT value FROM json_each(?))") && values.push(JSON.stringify(statuses));
    return this.#read(() => {
      const rows = this.#rows
        .prepare(
          `SELECT ${summaryColumns} FROM agent_sessions WHERE ${conditions.join(" AND ")} ORDER BY updated_at DESC, id LIMIT ? OFFSET ?`,
        )
        .all(...values, limit, offset);
      return rowsAs<SqlSession>(rows).map(summaryFromSql);
    });
  }

  async purge(scope: Scope): Promise<boolean> {
    this.#assertOpen();
    const purged = await this.#write(() => this.#rows.deleteSession(scope));
    if (!purged) return false;
    // Erase the content from the write-ahead log and the backup too.
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await this.#backup?.remove();
    return true;
  }

  async rewrite(owners: readonly string[], edit: TextEdit, now: number): Promise<Rewritten> {
    const rewritten = await this.#write(() => rewriteRows(this.#database, owners, edit, now));
    return { ...rewritten, remaining: await this.erase() };
  }

  async erase(): Promise<string[]> {
    this.#assertOpen();
    this.#assertWritable();
    await this.#backup?.remove();
    return eraseFreed(this.#database, this.#path);
  }

  watch(listener: (change: StoreChange) => void): ReturnType<Store["watch"]> {
    return this.#feed.watch(listener);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const copying = this.#backup?.stop();
    if (copying) await copying;
    if (this.#writable) finishErasure(this.#database, this.#path);
    this.#feed.close();
    this.#database.close();
  }

  async #write<T>(work: () => T): Promise<T> {
    this.#assertWritable();
    return this.#transact("BEGIN IMMEDIATE", work);
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

  async #transact<T>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): Promise<T> {
    return this.#read(() => {
      this.#rows.prepare(begin).run();
      try {
        const result = work();
        this.#rows.prepare("COMMIT").run();
        return result;
      } catch (error) {
        rollBack(this.#database);
        throw error;
      }
    });
  }

  /** Waits for locks. */
  async #read<T>(work: () => T): Promise<T> {
    return retryWhileBusy(this.#path, this.#lockTimeout, () => {
      this.#assertOpen();
      return work();
    });
  }

  #assertOpen(): void {
    if (this.#closed)
      throw new HoldfastError("store_closed", `${this.#path} was closed. Open the memory again.`);
  }

  #dataVersion(): number {
    this.#assertOpen();
    const { data_version } = this.#rows.prepare("PRAGMA data_version").get() as { data_version: number };
    return data_version;
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

function sqliteTrimming(rows: SqliteRows, { write, read }: Access): Trimming {
  return {
    oldest: ({ sessionId, owner }, limit) =>
      read(() =>
        rowsAs<EntryAge>(
          rows
            .prepare(
              "SELECT revision, at FROM session_journal WHERE session_id = ? AND owner = ? ORDER BY revision LIMIT ?",
            )
            .all(sessionId, owner, limit),
        ),
      ),
    dropEntries: ({ sessionId, owner }, before) =>
      write(() => {
        const removal = rows.prepare(
          "DELETE FROM session_journal WHERE session_id = ? AND owner = ? AND revision < ?",
        );
        return Number(removal.run(sessionId, owner, before).changes);
      }),
    dropCalls: ({ sessionId, owner }, { last, remove, rewrite, unused }) =>
      write(() => {
        const newest = rows
          .prepare("SELECT max(number) AS number FROM ledger_calls WHERE session_id = ? AND owner = ?")
          .get(sessionId, owner);
        if (newest?.number !== last) return false;
        const update = rows.prepare(
          "UPDATE ledger_calls SET base = 0, kept = 0, pieces = ? WHERE session_id = ? AND owner = ? AND number = ?",
        );
        for (const { number, pieces } of rewrite)
          update.run(JSON.stringify(pieces), sessionId, owner, number);
        rows
          .prepare(
            "DELETE FROM ledger_calls WHERE session_id = ? AND owner = ? AND number IN (SELECT value FROM json_each(?))",
          )
          .run(sessionId, owner, JSON.stringify(remove));
        rows
          .prepare(
            "DELETE FROM ledger_pieces WHERE session_id = ? AND owner = ? AND hash IN (SELECT value FROM json_each(?))",
          )
          .run(sessionId, owner, JSON.stringify(unused));
        return true;
      }),
    size: () => read(() => usedBytes(rows)),
  };
}

/** Bytes of the pages in use. */
function usedBytes(database: Pick<DatabaseSync, "prepare">): number {
  const read = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
  return (read("page_count") - read("freelist_count")) * read("page_size");
}
