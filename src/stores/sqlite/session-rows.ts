import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { JournalEntry } from "../../engine/journal.ts";
import {
  entryToSql,
  rowsAs,
  type SqlVersion,
  sessionColumns,
  sessionToSql,
  versionFromSql,
} from "../sql-rows.ts";
import {
  type Commit,
  type NewSession,
  openEnd,
  type RecordVersion,
  type RecordWrite,
  type Scope,
} from "../store.ts";
import { checkRow, checksumOf, summedColumns } from "./checksums.ts";
import { addChange, forgetChanges } from "./feed.ts";

/** Caches prepared statements and writes session rows. Callers open the transaction. */
export class SqliteRows {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** False if the owner has a session with this id. */
  insertSession({ row, records, versions = [], entries }: NewSession): boolean {
    if (this.prepare("SELECT 1 FROM agent_sessions WHERE id = ? AND owner = ?").get(row.id, row.owner))
      return false;
    this.prepare(
      `INSERT INTO agent_sessions (${sessionColumns}, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(...sessionToSql(row), checksumOf(sessionToSql(row)));
    addChange(this, { owner: row.owner, sessionId: row.id }, row.revision);
    for (const record of records) this.#putRecord(row.id, row.owner, row.revision, record);
    for (const { from, to, ...record } of versions) this.#putRecord(row.id, row.owner, from, record, to);
    for (const entry of entries) this.#putEntry({ owner: row.owner, sessionId: row.id }, entry);
    return true;
  }

  /** False if the session is not at the expected revision. */
  applyCommit(commit: Commit): boolean {
    const { scope, row, records, entry } = commit;
    const changed = this.#updateRow(commit);
    if (changed === 0) return false;
    if (row.lastFork > 0)
      for (const record of records) this.#closeShared(scope, row.revision, row.lastFork, record);
    // A fork keeps a null row, which hides the ancestor's record.
    const isFork = row.lineage.length > 0;
    for (const record of records) {
      if (record.value === null && !isFork) this.#deleteRecord(scope, record);
      else this.#putRecord(scope.sessionId, scope.owner, row.revision, record);
    }
    this.#putEntry(scope, entry);
    addChange(this, scope, row.revision);
    return true;
  }

  deleteSession(scope: Scope): boolean {
    for (const table of ["session_records", "session_journal", "ledger_calls", "ledger_pieces"]) {
      this.prepare(`DELETE FROM ${table} WHERE session_id = ? AND owner = ?`).run(
        scope.sessionId,
        scope.owner,
      );
    }
    forgetChanges(this, scope);
    const removal = this.prepare("DELETE FROM agent_sessions WHERE id = ? AND owner = ?");
    return Number(removal.run(scope.sessionId, scope.owner).changes) > 0;
  }

  #updateRow({ scope, expected, row, notepadChanged }: Commit): number {
    const values: Record<string, string | number | null> = {
      title: row.title,
      status: row.status,
      updated_at: row.updatedAt,
      revision: row.revision,
      last_fork: row.lastFork,
      counters: JSON.stringify(row.counters),
      sum: checksumOf(sessionToSql(row)),
    };
    if (notepadChanged) values.notepad = row.notepad;
    const columns = Object.keys(values).map((name) => `${name} = ?`);
    const { changes } = this.prepare(
      `UPDATE agent_sessions SET ${columns.join(", ")} WHERE id = ? AND owner = ? AND revision = ? AND created_at = ?`,
    ).run(...Object.values(values), scope.sessionId, scope.owner, expected, row.createdAt);
    return Number(changes);
  }

  /** Closes a version that a fork can read, instead of overwriting it. */
  #closeShared(scope: Scope, revision: number, lastFork: number, { kind, key }: RecordWrite): void {
    this.prepare(
      `UPDATE session_records SET to_revision = ? WHERE session_id = ? AND owner = ? AND kind = ? AND key = ?
       AND to_revision = ${openEnd} AND from_revision <= ?`,
    ).run(revision, scope.sessionId, scope.owner, kind, key, lastFork);
  }

  #putRecord(
    sessionId: string,
    owner: string,
    revision: number,
    { kind, key, value }: RecordWrite,
    to = openEnd,
  ): void {
    const values = [sessionId, owner, kind, key, revision, value === null ? null : JSON.stringify(value)];
    this.prepare(
      `INSERT INTO session_records (session_id, owner, kind, key, from_revision, to_revision, value, sum)
       VALUES (?1, ?2, ?3, ?4, ?5, ?8, ?6, ?7)
       ON CONFLICT DO UPDATE SET value = excluded.value, from_revision = excluded.from_revision, sum = excluded.sum`,
    ).run(...values, checksumOf(values), to);
  }

  #deleteRecord(scope: Scope, { kind, key }: RecordWrite): void {
    this.prepare(
      `DELETE FROM session_records WHERE session_id = ? AND owner = ? AND kind = ? AND key = ? AND to_revision = ${openEnd}`,
    ).run(scope.sessionId, scope.owner, kind, key);
  }

  #putEntry(scope: Scope, entry: JournalEntry): void {
    const row = entryToSql(entry);
    const values = [
      scope.sessionId,
      row.revision,
      scope.owner,
      row.at,
      row.actor,
      row.surface,
      row.operation,
      row.changes,
      row.idempotency_key,
      row.result,
    ];
    this.prepare(
      `INSERT INTO session_journal (${summedColumns.session_journal}, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(...values, checksumOf(values));
  }
}

/** Every version of a session's records, by kind, key and time. */
export function readVersions(rows: SqliteRows, { sessionId, owner }: Scope, path: string): RecordVersion[] {
  const found = rows
    .prepare(
      `SELECT ${summedColumns.session_records}, to_revision, sum FROM session_records
       WHERE session_id = ? AND owner = ? ORDER BY kind, key, to_revision`,
    )
    .all(sessionId, owner);
  return rowsAs<SqlVersion>(found).map((row) => versionFromSql(checkRow("session_records", row, path)));
}
