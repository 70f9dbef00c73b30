import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { HoldfastError } from "../../errors.ts";
import { sessionColumns, type Value } from "../sql-rows.ts";
import type { SessionTable } from "../sql-store.ts";
import type { Scope } from "../store.ts";
import { isDamage, restoreAdvice } from "./errors.ts";

/** The columns that a row's checksum covers. `to_revision` is not among them: it changes after a row is written. */
const summedColumns = {
  agent_sessions: sessionColumns,
  session_records: "session_id, owner, kind, key, from_revision, value",
  session_journal:
    "session_id, revision, owner, at, actor, surface, operation, changes, idempotency_key, result",
} as const;

type SummedTable = keyof typeof summedColumns;

const summedTables = Object.keys(summedColumns) as SummedTable[];

const names = Object.fromEntries(
  Object.entries(summedColumns).map(([table, columns]) => [table, columns.split(", ")]),
) as Record<SummedTable, string[]>;

/**
 * The CRC-32 of a row's values, in the order of `summedColumns`. Signed, because SQLite stores that in four bytes: a row
 * that keeps its length is overwritten in place, page by page, and only the pages that differ are logged.
 */
export function checksumOf(values: readonly Value[]): number {
  // A separator and a marker that no text contains: stores refuse NUL.
  const text = values.map((value) => (value === null ? "\u0000" : `${value}`)).join("\u0000\u0000");
  return crc32(text) | 0;
}

export function hasChecksum(table: SessionTable): table is SummedTable {
  return table in summedColumns;
}

export function checksumOfRow(table: SummedTable, row: Record<string, Value>): number {
  return checksumOf(names[table].map((name) => row[name] ?? null));
}

/** The part of a row that an edit of its text does not change. */
const rowNames: Record<SummedTable, string> = {
  agent_sessions: "json_array(id, owner)",
  session_records: "rowid",
  session_journal: "json_array(session_id, owner, revision)",
};

/** Rows that are not as they were written, by table. */
export type DamagedRows = Partial<Record<SummedTable, unknown[]>>;

/** Finds damaged rows before a change by SQL, which must not give them valid checksums. */
export function findDamagedRows(database: DatabaseSync): DamagedRows {
  defineSum(database);
  const damaged: DamagedRows = {};
  for (const table of summedTables) {
    const rows = database.prepare(
      `SELECT ${rowNames[table]} AS name FROM ${table} WHERE sum IS NOT holdfast_sum(${summedColumns[table]})`,
    );
    damaged[table] = rows.all().map(({ name }) => name);
  }
  return damaged;
}

/** The damage of a database, in a sentence. Undefined if every page and row is as it was written. */
export function findDamage(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const structure = String(database.prepare("PRAGMA quick_check(1)").get()?.quick_check);
    if (structure !== "ok") return `SQLite reports: ${structure.replaceAll("\n", " ")}.`;
    const rows = Object.values(findDamagedRows(database)).reduce((sum, names) => sum + names.length, 0);
    return rows === 0 ? undefined : `Rows whose checksum does not match: ${rows}.`;
  } catch (error) {
    if (isDamage(error)) return `SQLite reports: ${error.message}.`;
    throw error;
  } finally {
    database.close();
  }
}

/** Computes the checksums of a session's rows again, after a change by SQL. */
export function sealRows(
  database: DatabaseSync,
  { owner, sessionId }: Scope,
  damaged: DamagedRows = {},
): void {
  defineSum(database);
  for (const table of summedTables) {
    const statement = database.prepare(
      `UPDATE ${table} SET sum = holdfast_sum(${summedColumns[table]})
       WHERE ${rowNames[table]} NOT IN (SELECT value FROM json_each(?)) AND ${table === "agent_sessions" ? "id" : "session_id"} = ? AND owner = ?`,
    );
    statement.run(JSON.stringify(damaged[table] ?? []), sessionId, owner);
  }
}

function defineSum(database: DatabaseSync): void {
  database.function("holdfast_sum", { varargs: true, deterministic: true }, (...values) =>
    checksumOf(values as Value[]),
  );
}

/** Throws if a row is not as it was written. */
export function checkRow<Row extends object>(
  table: SummedTable,
  row: Row & { sum?: number },
  path: string,
): Row {
  if (row.sum === checksumOfRow(table, row as Record<string, Value>)) return row;
  throw damagedRow(table, row as Record<string, Value>, path);
}

function damagedRow(table: SummedTable, row: Record<string, Value>, path: string): HoldfastError {
  const what = {
    agent_sessions: `the row of session ${row.id}`,
    session_records: `${row.kind} ${row.key} of session ${row.session_id}`,
    session_journal: `entry ${row.revision} in the history of session ${row.session_id}`,
  }[table];
  return new HoldfastError(
    "store_damaged",
    `${path}: ${what} is damaged: its checksum does not match. ${restoreAdvice(path)}`,
    { data: { path, table, row: what } },
  );
}
