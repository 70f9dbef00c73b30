import { entryToSql, sessionColumns, sessionToSql } from "../sql-rows.ts";
import type { Commit, NewSession, RecordVersion, RecordWrite, Scope } from "../store.ts";
import { openEnd } from "../store.ts";
import type { Query } from "./connections.ts";
import { sessionTables } from "./schema.ts";

/** Rows per statement: so few that none reaches the limits of time and of parameters. */
const batchSize = 200;

/**
 * The statements of a transaction on the rows of one session. Every statement names it by a parameter and takes no rows from
 * elsewhere, so that a distributed engine runs it on one shard.
 */

/** Names a commit, so that an attempt whose answer was lost is recognized. */
export interface CommitMark {
  id: string;
  mayBeDone: boolean;
}

/** False if the owner has a session with this id, unless an earlier attempt created it. */
export async function insertSession(query: Query, session: NewSession, mark: CommitMark): Promise<boolean> {
  const { row, records, versions = [], entries } = session;
  const scope = { sessionId: row.id, owner: row.owner };
  const values = sessionToSql(row);
  const parameters = values.map((_, index) => `$${index + 1}`);
  const inserted = await query(
    `INSERT INTO agent_sessions (${sessionColumns}) VALUES (${parameters.join(", ")}) ON CONFLICT DO NOTHING`,
    values,
  );
  if (inserted.rowCount === 0) return isApplied(query, scope, row.revision, mark);
  await putVersions(query, scope, [...records.map((record) => versionAt(record, row.revision)), ...versions]);
  await insertEntries(query, scope, entries, mark.id);
  return true;
}

/** False if the session is not at the expected revision, unless an earlier attempt moved it. */
export async function applyCommit(query: Query, commit: Commit, mark: CommitMark): Promise<boolean> {
  const { scope, expected, row, notepadChanged, records, entry } = commit;
  const updated = await query(
    `UPDATE agent_sessions SET title = $5, status = $6, updated_at = $7, revision = $8, last_fork = $9, counters = $10,
       touched = now()${notepadChanged ? ", notepad = $11" : ""}
     WHERE id = $1 AND owner = $2 AND revision = $3 AND created_at = $4`,
    [
      ...[scope.sessionId, scope.owner, expected, row.createdAt],
      ...[row.title, row.status, row.updatedAt, row.revision, row.lastFork, JSON.stringify(row.counters)],
      ...(notepadChanged ? [row.notepad] : []),
    ],
  );
  if (updated.rowCount === 0) return isApplied(query, scope, row.revision, mark);
  // A version that a fork can read is closed instead of overwritten.
  if (row.lastFork > 0) await closeVersions(query, scope, records, row);
  // Only a fork has to remember that an inherited record is gone.
  const isGone = ({ value }: RecordWrite) => value === null && row.lineage.length === 0;
  await deleteRecords(query, scope, records.filter(isGone));
  const kept = records.filter((record) => !isGone(record));
  await putVersions(
    query,
    scope,
    kept.map((record) => versionAt(record, row.revision)),
  );
  await insertEntries(query, scope, [entry], mark.id);
  return true;
}

export async function deleteSession(query: Query, { sessionId, owner }: Scope): Promise<boolean> {
  // The session's row first: if it is another owner's, nothing goes.
  for (const [table, column] of Object.entries(sessionTables)) {
    const text = `DELETE FROM ${table} WHERE ${column} = $1 AND owner = $2`;
    const { rowCount } = await query(text, [sessionId, owner]);
    if (table === "agent_sessions" && rowCount === 0) return false;
  }
  return true;
}

/** Inserts rows of one session, all with the same columns. */
export async function insertRows(
  query: Query,
  { sessionId, owner }: Scope,
  { table, rows, onConflict }: { table: string; rows: readonly object[]; onConflict?: string },
): Promise<void> {
  for (const batch of batchesOf(rows)) {
    const values: unknown[] = [sessionId, owner];
    const lists = batch.map((row) => {
      const parameters = Object.values(row).map((value) => `$${values.push(value)}`);
      return `($1, $2, ${parameters.join(", ")})`;
    });
    const columns = ["session_id", "owner", ...Object.keys(batch[0] ?? {})];
    const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${lists.join(", ")}`;
    await query(onConflict ? `${insert} ON CONFLICT ${onConflict}` : insert, values);
  }
}

async function isApplied(
  query: Query,
  { sessionId, owner }: Scope,
  revision: number,
  { id, mayBeDone }: CommitMark,
): Promise<boolean> {
  if (!mayBeDone) return false;
  const { rows } = await query(
    "SELECT 1 FROM session_journal WHERE session_id = $1 AND owner = $2 AND revision = $3 AND commit_id = $4",
    [sessionId, owner, revision, id],
  );
  return rows.length > 0;
}

async function closeVersions(
  query: Query,
  { sessionId, owner }: Scope,
  records: readonly RecordWrite[],
  { revision, lastFork }: Commit["row"],
): Promise<void> {
  for (const batch of batchesOf(records)) {
    const values = [sessionId, owner, revision, lastFork];
    await query(
      `UPDATE session_records SET to_revision = $3
       WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND from_revision <= $4
         AND ${namesRecords(batch, values)}`,
      values,
    );
  }
}

async function deleteRecords(
  query: Query,
  { sessionId, owner }: Scope,
  records: readonly RecordWrite[],
): Promise<void> {
  for (const batch of batchesOf(records)) {
    const values = [sessionId, owner];
    await query(
      `DELETE FROM session_records
       WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND ${namesRecords(batch, values)}`,
      values,
    );
  }
}

/** Adds the keys to the values of the statement. */
function namesRecords(records: readonly RecordWrite[], values: unknown[]): string {
  const keys = records.map(({ kind, key }) => `($${values.push(kind)}, $${values.push(key)})`);
  return `(kind, key) IN (${keys.join(", ")})`;
}

function versionAt(record: RecordWrite, revision: number): RecordVersion {
  return { ...record, from: revision, to: openEnd };
}

function putVersions(query: Query, scope: Scope, versions: readonly RecordVersion[]): Promise<void> {
  const rows = versions.map(({ kind, key, from, to, value }) => ({
    kind,
    key,
    from_revision: from,
    to_revision: to,
    value: value === null ? null : JSON.stringify(value),
  }));
  const onConflict =
    "(session_id, owner, kind, key, to_revision) DO UPDATE SET value = excluded.value, from_revision = excluded.from_revision";
  return insertRows(query, scope, { table: "session_records", rows, onConflict });
}

function insertEntries(
  query: Query,
  scope: Scope,
  entries: NewSession["entries"],
  commitId: string,
): Promise<void> {
  const rows = entries.map((entry) => ({ ...entryToSql(entry), commit_id: commitId }));
  return insertRows(query, scope, { table: "session_journal", rows });
}

function batchesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );
}
