import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { editJson, type Rewritten, rewriteEntry, type TextEdit } from "../rewrite.ts";
import { entryToSql, type Value } from "../sql-rows.ts";
import type { Scope } from "../store.ts";
import { checksumOfRow, findDamagedRows, sealRows } from "./checksums.ts";
import { changeEntry } from "./feed.ts";

/** Every column with text of a session: how it is found, and whether it is JSON. */
const tables = [
  { table: "agent_sessions", session: "id", key: ["id", "owner"], text: ["title", "notepad"], json: [] },
  {
    table: "session_records",
    session: "session_id",
    key: ["session_id", "owner", "kind", "key", "to_revision"],
    text: ["key"],
    json: ["value"],
  },
  {
    table: "session_journal",
    session: "session_id",
    key: ["session_id", "owner", "revision"],
    text: ["idempotency_key"],
    json: ["actor", "operation", "changes", "result"],
  },
  {
    table: "ledger_calls",
    session: "session_id",
    key: ["session_id", "owner", "number"],
    text: [],
    json: ["facts"],
  },
  {
    table: "ledger_pieces",
    session: "session_id",
    key: ["session_id", "owner", "hash"],
    text: ["text"],
    json: [],
  },
] as const;

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
  for (const { table, session, key, text, json } of tables) {
    const columns = [...new Set([...key, ...text, ...json, session, "owner"])].join(", ");
    const rows = database.prepare(
      `SELECT ${columns} FROM ${table} WHERE owner IN (SELECT value FROM json_each(?))`,
    );
    // Collected first: updating a table while reading it may visit a row twice.
    const updates: { row: Record<string, Value>; set: [column: string, value: string][] }[] = [];
    for (const row of rows.iterate(JSON.stringify(owners)) as Iterable<Record<string, Value>>) {
      const set = [
        ...text.map((column) => [column, row[column], edit] as const),
        ...json.map((column) => [column, row[column], (value: string) => editJson(value, edit)] as const),
      ].flatMap(([column, before, change]): [string, string][] => {
        if (typeof before !== "string") return [];
        const after = change(before);
        return after === before ? [] : [[column, after]];
      });
      if (set.length > 0) updates.push({ row: { ...row }, set });
    }
    for (const { row, set } of updates) {
      database
        .prepare(
          `UPDATE ${table} SET ${set.map(([column]) => `${column} = ?`).join(", ")} WHERE ${key.map((column) => `${column} = ?`).join(" AND ")}`,
        )
        .run(...set.map(([, value]) => value), ...key.map((column) => row[column] ?? null));
      const scope = { owner: String(row.owner), sessionId: String(row[session]) };
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
  for (const { text, values } of changeEntry({ owner, sessionId: id }, row.revision))
    database.prepare(text.replaceAll("$", "?")).run(...(values as Value[]));
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
