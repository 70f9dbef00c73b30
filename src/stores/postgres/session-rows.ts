import { entryToSql, sessionColumns, sessionToSql } from "../sql-rows.ts";
import type { Commit, NewSession, RecordVersion, RecordWrite, Scope } from "../store.ts";
import { openEnd } from "../store.ts";
import type { Attempt, Query, Statement, Value } from "./connections.ts";
import { sessionTables } from "./schema.ts";

/** Rows per statement: so few that none reaches the limit of time. */
const batchSize = 200;

/**
 * The statements of a write to the rows of one session. Every statement names the session and takes no rows from elsewhere,
 * so that a distributed engine runs it on one shard.
 */

/** False if the owner has a session with this id, unless an earlier attempt created it. `id` names the commit. */
export async function insertSession(
  { query, send, mayBeDone }: Attempt,
  { row, records, versions = [], entries }: NewSession,
  id: string,
): Promise<boolean> {
  const scope = { sessionId: row.id, owner: row.owner };
  const values = sessionToSql(row);
  const parameters = values.map((_, index) => `$${index + 1}`);
  const inserted = await send([
    { text: `INSERT INTO agent_sessions (${sessionColumns}) VALUES (${parameters.join(", ")})`, values },
    ...putVersions(scope, [...records.map((record) => versionAt(record, row.revision)), ...versions]),
    ...insertEntries(scope, entries, id),
  ]);
  return inserted !== undefined || (mayBeDone && isApplied(query, scope, row.revision, id));
}

/** False if the session is not at the expected revision, unless an earlier attempt moved it. `id` names the commit. */
export async function applyCommit(
  { query, send, mayBeDone }: Attempt,
  commit: Commit,
  id: string,
): Promise<boolean> {
  const { scope, row, records, entry } = commit;
  // Only a fork has to remember that an inherited record is gone.
  const isGone = ({ value }: RecordWrite) => value === null && row.lineage.length === 0;
  const kept = records.filter((record) => !isGone(record)).map((record) => versionAt(record, row.revision));
  const applied = await send([
    ...moveSession(commit),
    // A version that a fork can read is closed instead of overwritten.
    ...(row.lastFork > 0 ? closeVersions(scope, records, row) : []),
    ...deleteRecords(scope, records.filter(isGone)),
    ...putVersions(scope, kept),
    // Refused if another commit has this revision.
    ...insertEntries(scope, [entry], id),
  ]);
  return applied !== undefined || (mayBeDone && isApplied(query, scope, row.revision, id));
}

export function deleteSession({ sessionId, owner }: Scope): Statement[] {
  return Object.entries(sessionTables).map(([table, column]) => ({
    text: `DELETE FROM ${table} WHERE ${column} = $1 AND owner = $2`,
    values: [sessionId, owner],
  }));
}

/** Inserts rows of one session, all with the same columns. */
export function insertRows(
  { sessionId, owner }: Scope,
  { table, rows, onConflict }: { table: string; rows: readonly object[]; onConflict?: string },
): Statement[] {
  return batchesOf(rows).map((batch) => {
    const values: Value[] = [sessionId, owner];
    const lists = batch.map((row) => {
      const parameters = Object.values(row).map((value) => `$${values.push(value)}`);
      return `($1, $2, ${parameters.join(", ")})`;
    });
    const columns = ["session_id", "owner", ...Object.keys(batch[0] ?? {})];
    const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${lists.join(", ")}`;
    return { text: onConflict ? `${insert} ON CONFLICT ${onConflict}` : insert, values };
  });
}

async function isApplied(
  query: Query,
  { sessionId, owner }: Scope,
  revision: number,
  id: string,
): Promise<boolean> {
  const { rows } = await query(
    "SELECT 1 FROM session_journal WHERE session_id = $1 AND owner = $2 AND revision = $3 AND commit_id = $4",
    [sessionId, owner, revision, id],
  );
  return rows.length > 0;
}

/** Moves the session's row from the expected revision to the next one, and makes sure that it did. */
function moveSession({ scope, expected, row, notepadChanged }: Commit): Statement[] {
  const { title, status, updatedAt, revision, lastFork, counters, notepad, createdAt } = row;
  const session = [scope.sessionId, scope.owner];
  const changed = [title, status, updatedAt, revision, lastFork, JSON.stringify(counters), notepad];
  return [
    {
      text: `UPDATE agent_sessions SET title = $5, status = $6, updated_at = $7, revision = $8, last_fork = $9, counters = $10,
         touched = now()${notepadChanged ? ", notepad = $11" : ""}
       WHERE id = $1 AND owner = $2 AND revision = $3 AND created_at = $4`,
      values: [...session, expected, createdAt, ...changed],
    },
    {
      text: "SELECT 1 / count(*) FROM agent_sessions WHERE id = $1 AND owner = $2 AND revision = $3 AND created_at = $4",
      values: [...session, revision, createdAt],
    },
  ];
}

function closeVersions(
  { sessionId, owner }: Scope,
  records: readonly RecordWrite[],
  { revision, lastFork }: Commit["row"],
): Statement[] {
  return batchesOf(records).map((batch) => {
    const values = [sessionId, owner, revision, lastFork];
    const text = `UPDATE session_records SET to_revision = $3
      WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND from_revision <= $4
        AND ${namesRecords(batch, values)}`;
    return { text, values };
  });
}

function deleteRecords({ sessionId, owner }: Scope, records: readonly RecordWrite[]): Statement[] {
  return batchesOf(records).map((batch) => {
    const values = [sessionId, owner];
    const text = `DELETE FROM session_records
      WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND ${namesRecords(batch, values)}`;
    return { text, values };
  });
}

/** Adds the keys to the values of the statement. */
function namesRecords(records: readonly RecordWrite[], values: Value[]): string {
  const keys = records.map(({ kind, key }) => `($${values.push(kind)}, $${values.push(key)})`);
  return `(kind, key) IN (${keys.join(", ")})`;
}

function versionAt(record: RecordWrite, revision: number): RecordVersion {
  return { ...record, from: revision, to: openEnd };
}

function putVersions(scope: Scope, versions: readonly RecordVersion[]): Statement[] {
  const rows = versions.map(({ kind, key, from, to, value }) => ({
    kind,
    key,
    from_revision: from,
    to_revision: to,
    value: value === null ? null : JSON.stringify(value),
  }));
  const onConflict =
    "(session_id, owner, kind, key, to_revision) DO UPDATE SET value = excluded.value, from_revision = excluded.from_revision";
  return insertRows(scope, { table: "session_records", rows, onConflict });
}

function insertEntries(scope: Scope, entries: NewSession["entries"], commitId: string): Statement[] {
  const rows = entries.map((entry) => ({ ...entryToSql(entry), commit_id: commitId }));
  return insertRows(scope, { table: "session_journal", rows });
}

export function batchesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );
}
