import type { DatabaseSync } from "node:sqlite";
import { HoldfastError } from "../../errors.ts";
import { sessionColumns } from "../sql-rows.ts";

/** A value of a row. */
type Value = string | number | null;

/** The columns that a row's checksum covers. `to_revision` is not among them: it changes after a row is written. */
export const summedColumns = {
  agent_sessions: sessionColumns,
  session_records: "session_id, owner, kind, key, from_revision, value",
  session_journal:
    "session_id, revision, owner, at, actor, surface, operation, changes, idempotency_key, result",
} as const;

export type SummedTable = keyof typeof summedColumns;

const summedTables = Object.keys(summedColumns) as SummedTable[];

const names = Object.fromEntries(
  Object.entries(summedColumns).map(([table, columns]) => [table, columns.split(", ")]),
) as Record<SummedTable, string[]>;

/** CRC-32 by four bytes at a time, for short-lived processes: loading node:zlib takes longer than a hook has. */
const remainders = new Int32Array(256).map((_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 1 ? 0xedb88320 ^ (remainder >>> 1) : remainder >>> 1;
  return remainder;
});
const secondRemainders = followedByZero(remainders);
const thirdRemainders = followedByZero(secondRemainders);
const fourthRemainders = followedByZero(thirdRemainders);

/** The remainders of the same bytes with a zero byte after each. */
function followedByZero(table: Int32Array): Int32Array {
  return table.map((remainder) => (remainders[remainder & 0xff] as number) ^ (remainder >>> 8));
}

/** Characters summed by this process, and how many before node:zlib, which is faster, is worth loading. */
let summed = 0;
const worthLoading = 1_000_000;
let crc32: ((text: string) => number) | undefined;

/**
 * The checksum of a row's values, in the order of `summedColumns`. Signed, because SQLite stores that in four bytes: a row
 * that keeps its length is overwritten in place, page by page, and only the pages that differ are logged.
 */
export function checksumOf(values: readonly Value[]): number {
  // A separator and a marker that no text contains: stores refuse NUL.
  const text = values.map((value) => (value === null ? "\u0000" : `${value}`)).join("\u0000\u0000");
  if (summed < worthLoading) summed += text.length;
  else crc32 ??= process.getBuiltinModule("node:zlib").crc32;
  return crc32 ? crc32(text) | 0 : crc32Of(Buffer.from(text, "utf8"));
}

function crc32Of(bytes: Buffer): number {
  const whole = bytes.length - (bytes.length % 4);
  let sum = -1;
  let at = 0;
  for (; at < whole; at += 4) {
    sum ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    sum =
      (fourthRemainders[sum & 0xff] as number) ^
      (thirdRemainders[(sum >>> 8) & 0xff] as number) ^
      (secondRemainders[(sum >>> 16) & 0xff] as number) ^
      (remainders[sum >>> 24] as number);
  }
  for (; at < bytes.length; at++)
    sum = (remainders[(sum ^ (bytes[at] as number)) & 0xff] as number) ^ (sum >>> 8);
  return ~sum;
}

/** Before schema 5 checksums were stored unsigned. */
export function isChecksum(stored: unknown, values: readonly Value[]): boolean {
  return typeof stored === "number" && (stored | 0) === checksumOf(values);
}

/** What stays the same of a row when its text is edited. */
const rowNames: Record<SummedTable, string> = {
  agent_sessions: "id",
  session_records: "rowid",
  session_journal: "session_id || '/' || revision",
};

/** Rows that are not as they were written, by table. */
export type DamagedRows = Partial<Record<SummedTable, unknown[]>>;

/** Finds damaged rows before a change by SQL, which must not give them valid checksums. */
export function findDamagedRows(database: DatabaseSync): DamagedRows {
  defineSum(database);
  const damaged: DamagedRows = {};
  for (const table of summedTables) {
    const rows = database.prepare(
      `SELECT ${rowNames[table]} AS name FROM ${table} WHERE (sum & 0xffffffff) IS NOT (holdfast_sum(${summedColumns[table]}) & 0xffffffff)`,
    );
    damaged[table] = rows.all().map(({ name }) => name);
  }
  return damaged;
}

/** Computes the checksums of all rows again, or of one session's: after a migration or a change by SQL. */
export function sealRows(database: DatabaseSync, sessionId?: string, damaged: DamagedRows = {}): void {
  defineSum(database);
  for (const table of summedTables) {
    const id = table === "agent_sessions" ? "id" : "session_id";
    const where = sessionId === undefined ? "" : ` AND ${id} = ?`;
    const statement = database.prepare(
      `UPDATE ${table} SET sum = holdfast_sum(${summedColumns[table]})
       WHERE ${rowNames[table]} NOT IN (SELECT value FROM json_each(?))${where}`,
    );
    const except = JSON.stringify(damaged[table] ?? []);
    statement.run(...(sessionId === undefined ? [except] : [except, sessionId]));
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
  const values = names[table].map((name) => (row as Record<string, Value>)[name] ?? null);
  if (isChecksum(row.sum, values)) return row;
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
    `${path}: ${what} is damaged: its checksum does not match. Restore a backup, or recover what is still readable with "holdfast export --salvage".`,
    { data: { path, table, row: what } },
  );
}
