import { HoldfastError } from "../../errors.ts";
import { editRow, editValue, type Rewritten, rewriteEntry, type TextEdit, textTables } from "../rewrite.ts";
import type { Value } from "../sql-rows.ts";
import { batchesOf, type SqlDatabase, type Statement, sessionTables, valuesOf } from "../sql-store.ts";
import type { Scope, Store } from "../store.ts";
import { type Connections, endClient, openClient, postgresError, type Query } from "./connections.ts";

/** Passes over a session that others write to meanwhile. */
const maxPasses = 20;

type Row = Record<string, Value>;

interface RewriteParts {
  query: Query;
  write: SqlDatabase["write"];
  store: Pick<Store, "sessions" | "load" | "commit">;
}

/** Edits all text of these owners' sessions. */
export async function rewriteSessions(
  parts: RewriteParts,
  owners: readonly string[],
  edit: TextEdit,
  now: number,
): Promise<Omit<Rewritten, "remaining">> {
  const changed: Rewritten["sessions"] = [];
  let values = 0;
  for (const owner of owners) {
    for (const { id } of await parts.store.sessions(owner, {})) {
      const scope = { owner, sessionId: id };
      const edited = await rewriteSession(parts, scope, edit, now);
      if (edited === 0) continue;
      values += edited;
      changed.push(scope);
    }
  }
  return { sessions: changed, values };
}

/**
 * Every pass ends with a commit, so that other processes load the session again. One that loaded the old text before
 * may have stored it once more before that commit; so passes go on until one finds nothing.
 */
async function rewriteSession(
  parts: RewriteParts,
  scope: Scope,
  edit: TextEdit,
  now: number,
): Promise<number> {
  const { store } = parts;
  let values = 0;
  for (let pass = 0; pass < maxPasses; pass++) {
    let found = 0;
    // The session's own row changes with the commit.
    for (const each of textTables.filter(({ table }) => table !== "agent_sessions"))
      found += await rewriteTable(parts, scope, each, edit);
    const loaded = await store.load(scope);
    if (!loaded) return values;
    const [title, notepad] = [editValue(loaded.row.title, edit), editValue(loaded.row.notepad, edit)];
    const notepadChanged = notepad !== loaded.row.notepad;
    if (notepadChanged || title !== loaded.row.title) found++;
    if (found === 0) return values;
    values += found;
    const entry = rewriteEntry(loaded.row.revision + 1, now);
    await store.commit({
      scope,
      expected: loaded.row.revision,
      row: { ...loaded.row, title, notepad, revision: entry.revision },
      notepadChanged,
      records: [],
      entry,
    });
  }
  throw new HoldfastError(
    "conflict",
    `Session ${scope.sessionId} is written to all the time, so the text could not be removed from it. Stop the programs that use it and try again.`,
  );
}

async function rewriteTable(
  { query, write }: RewriteParts,
  scope: Scope,
  each: (typeof textTables)[number],
  edit: TextEdit,
): Promise<number> {
  const columns = [...new Set([...each.key, ...each.text, ...each.json])];
  const { rows } = await query<Row>(
    `SELECT ${columns.join(", ")} FROM ${each.table} WHERE session_id = $1 AND owner = $2`,
    valuesOf(scope),
  );
  const changed = rows
    .map((row) => ({ row, set: editRow(each, row, edit) }))
    .filter(({ set }) => set.length > 0);
  for (const batch of batchesOf(changed)) {
    const done = await write(batch.map(({ row, set }) => updateRow(scope, { ...each, row, set })));
    if (!done)
      throw new HoldfastError(
        "store_failed",
        `Two entries of session ${scope.sessionId} in ${each.table} would have the same key without their secret. This table was not changed. Delete one of them, then run it again.`,
        { data: { sessionId: scope.sessionId } },
      );
  }
  return changed.reduce((sum, { set }) => sum + set.length, 0);
}

/** Changes the row only if it is still as it was read; the next pass sees what another process made of it. */
function updateRow(
  scope: Scope,
  update: {
    table: string;
    key: readonly string[];
    row: Row;
    set: readonly [column: string, value: string][];
  },
): Statement {
  const { table, key, row, set } = update;
  const values = valuesOf(scope);
  const parameter = (value: Value | undefined) => `$${values.push(value ?? null)}`;
  const assignments = set.map(([column, value]) => `${column} = ${parameter(value)}`);
  const named = [...new Set([...key, ...set.map(([column]) => column)])];
  const conditions = named.map((column) => `${column} = ${parameter(row[column])}`);
  const text = `UPDATE ${table} SET ${assignments.join(", ")} WHERE session_id = $1 AND owner = $2 AND ${conditions.join(" AND ")}`;
  return { text, values };
}

/**
 * Rewrites the tables without the rows' old versions. On a connection of its own, because it waits for every
 * reader and cannot run in a transaction. Returns what a client cannot clear.
 */
export async function eraseFreed({ pg, address }: Connections): Promise<string[]> {
  try {
    const client = await openClient(pg, address);
    try {
      for (const table of Object.keys(sessionTables)) await client.query(`VACUUM (FULL, ANALYZE) ${table}`);
    } finally {
      await endClient(client);
    }
  } catch (error) {
    throw postgresError(error);
  }
  return [
    "Postgres keeps the old text in its own write-ahead log until checkpoints recycle those files, and in archived logs, replicas and base backups until you remove them. A superuser can shorten the first with CHECKPOINT and SELECT pg_switch_wal().",
  ];
}
