import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { editRow, type Rewritten, rewriteEntry, type TextEdit, textTables } from "../rewrite.ts";
import { entryToSql, type Value } from "../sql-rows.ts";
import { sessionTables } from "../sql-store.ts";
import type { Scope } from "../store.ts";
import { checksumOfRow, findDamagedRows, sealRows } from "./checksums.ts";
import { addChange } from "./feed.ts";

/** Edits all text of these owners' sessions. Call it in a transaction. */
export function rewriteRows(
  database: DatabaseSync,
  owners: readonly string[],
  edit: TextEdit,
  now: number,
): Omit<Rewritten, "remaining"> {
  const changed = new Map<string, Scope>();
  const damaged = findDamagedRows(database);
  let values = 0;
  for (const each of textTables) {
    const { table } = each;
    const key = [sessionTables[table], "owner", ...each.key];
    const columns = [...new Set([...key, ...each.text, ...each.json])].join(", ");
    const rows = database.prepare(
      `SELECT ${columns} FROM ${table} WHERE owner IN (SELECT value FROM json_each(?))`,
    );
    // Collected first: updating a table while reading it may visit a row twice.
    const updates: { row: Record<string, Value>; set: [column: string, value: string][] }[] = [];
    for (const row of rows.iterate(JSON.stringify(owners)) as Iterable<Record<string, Value>>) {
      const set = editRow(each, row, edit);
      if (set.length > 0) updates.push({ row: { ...row }, set });
    }
    for (const { row, set } of updates) {
      database
        .prepare(
          `UPDATE ${table} SET ${set.map(([column]) => `${column} = ?`).join(", ")} WHERE ${key.map((column) => `${column} = ?`).join(" AND ")}`,
        )
        .run(...set.map(([, value]) => value), ...key.map((column) => row[column] ?? null));
      const scope = { owner: String(row.owner), sessionId: String(row[sessionTables[table]]) };
      changed.set(JSON.stringify(scope), scope);
      values += set.length;
    }
  }
  const sessions = [...changed.values()];
  for (const scope of sessions) {
    addEntry(database, scope, now);
    sealRows(database, scope, damaged);
  }
  return { sessions, values };
}

function addEntry(database: DatabaseSync, { owner, sessionId: id }: Scope, now: number): void {
  const row = database
    .prepare(
      "UPDATE agent_sessions SET revision = revision + 1 WHERE id = ? AND owner = ? RETURNING revision",
    )
    .get(id, owner) as { revision: number } | undefined;
  if (!row) return;
  const entry = entryToSql({ owner, sessionId: id }, rewriteEntry(row.revision, now));
  const stamped = { ...entry, sum: checksumOfRow("session_journal", entry) };
  const columns = Object.keys(stamped);
  const insert = `INSERT INTO session_journal (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
  database.prepare(insert).run(...Object.values(stamped));
  addChange(database, { owner, sessionId: id }, row.revision);
}

/** Reports that erased text may still be in the write-ahead log or in free pages. */
function markerOf(path: string): string {
  return `${path}-erase`;
}

/**
 * Rewrites the file without its free pages and empties the write-ahead log. While another process reads, that waits:
 * a marker makes every later open and close try again. Returns what remains.
 */
export function eraseFreed(database: DatabaseSync, path: string): string[] {
  if (path === ":memory:") return [];
  const isCleared = tryErase(database);
  if (isCleared) rmSync(markerOf(path), { force: true });
  else writeFileSync(markerOf(path), "", { mode: 0o600 });
  return isCleared
    ? []
    : [
        `${path}-wal could not be cleared, because another process reads the database. It is cleared as soon as a program opens or closes the store while no other reads it.`,
      ];
}

/** Finishes an erasure that another process blocked. */
export function finishErasure(database: DatabaseSync, path: string): void {
  if (path !== ":memory:" && existsSync(markerOf(path)) && tryErase(database))
    rmSync(markerOf(path), { force: true });
}

function tryErase(database: DatabaseSync): boolean {
  try {
    database.exec("VACUUM");
    const result = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() as { busy: number } | undefined;
    return result?.busy === 0;
  } catch {
    // Busy, or no space for the copy: the marker shows that it is still to be done.
    return false;
  }
}
