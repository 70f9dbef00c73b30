import type { JournalEntry } from "../../../engine/journal.ts";
import type { Json } from "../../../engine/json.ts";
import { type RecordKind, recordKinds } from "../../../engine/records.ts";
import type { SessionRow } from "../../../engine/state.ts";
import { isChecksum } from "../checksums.ts";
import { type Column, isTreePage, type RawRow, rowsOnPage } from "./cells.ts";
import { openPages } from "./pages.ts";

/** A session's row; the notepad is undefined if it cannot be read. */
export type FoundSession = Omit<SessionRow, "notepad" | "counters" | "lastFork"> & {
  notepad: string | null | undefined;
};

export interface FoundRecord {
  kind: RecordKind;
  key: string;
  from: number;
  to: number;
  value: Json;
}

/** What was found of one session. */
export interface Found {
  session?: FoundSession;
  records: FoundRecord[];
  entries: Map<number, JournalEntry>;
}

export interface FoundRows {
  sessions: Map<string, Found>;
  /** Rows that are partly unreadable or whose checksum is wrong, as far as they can be named. */
  broken: string[];
  /** Pages that are neither part of a b-tree nor of a row. */
  brokenPages: number;
}

/** Starts a progress display for this many pages. */
export type StartProgress = (pages: number) => { at(page: number): void; end(): void };

/** Reads every intact row of our tables, page by page. */
export function findRows(path: string, startProgress?: StartProgress): FoundRows {
  const pages = openPages(path);
  const progress = startProgress?.(pages.count);
  const rows: FoundRows = { sessions: new Map(), broken: [], brokenPages: 0 };
  const continued = new Set<number>();
  const unknown: number[] = [];
  try {
    // Skip page 1, which contains the schema.
    for (let number = 2; number <= pages.count; number++) {
      progress?.at(number);
      const page = pages.free.has(number) ? undefined : pages.page(number);
      if (!page) continue;
      if (!isTreePage(page)) unknown.push(number);
      else for (const row of rowsOnPage(page, pages, (each) => continued.add(each))) keepRow(rows, row);
    }
  } finally {
    progress?.end();
    pages.close();
  }
  rows.brokenPages = unknown.filter((number) => !continued.has(number)).length;
  return rows;
}

/** Recognises a table by the shape of its rows; ignores other rows. Before schema 3, rows have no checksum. */
function keepRow(rows: FoundRows, { keyed, columns }: RawRow): void {
  const [id] = columns;
  if (typeof id !== "string") return;
  const found: Found = rows.sessions.get(id) ?? { records: [], entries: new Map() };
  const isOfTable = (length: number, withSum: number) =>
    columns.length === length || columns.length === withSum;
  if (keyed && isOfTable(10, 11)) {
    const entry = isIntact(columns.slice(0, 10), columns[10]) ? entryOf(columns) : undefined;
    if (!entry) rows.broken.push(`entry ${nameOf(columns[1])} in the history of session ${id}`);
    else found.entries.set(entry.revision, entry);
  } else if (!keyed && isOfTable(14, 16)) {
    const { summed, sum } = sessionColumnsOf(columns);
    const session = sessionOf(summed);
    const isWhole = session !== undefined && session.notepad !== undefined;
    const hasSum = isIntact(summed, sum);
    if (!isWhole || !hasSum) rows.broken.push(`the row of session ${id}`);
    // Its notepad may be wrong; the history has what was written.
    const readable = session && (hasSum ? session : { ...session, notepad: undefined });
    if (readable && readable.revision > (found.session?.revision ?? 0)) found.session = readable;
  } else if (!keyed && isOfTable(7, 8) && isRecordKind(columns[2])) {
    const [sessionId, owner, kind, key, from, , value, sum] = columns;
    const record = isIntact([sessionId, owner, kind, key, from, value], sum) ? recordOf(columns) : undefined;
    if (record) found.records.push(record);
    else rows.broken.push(`${nameOf(kind)} ${nameOf(key)} of session ${id}`);
  } else return;
  rows.sessions.set(id, found);
}

/** Since schema 5 the notepad is the last column; before, a text or null was in the place of the checksum. */
function sessionColumnsOf(columns: readonly Column[]): { summed: readonly Column[]; sum: Column } {
  if (typeof columns[13] !== "number") return { summed: columns.slice(0, 14), sum: columns[14] };
  return { summed: [...columns.slice(0, 13), columns[15]], sum: columns[13] };
}

function isIntact(values: readonly Column[], sum: Column): boolean {
  if (sum === undefined) return true;
  const known = values.flatMap((value) => (value === undefined ? [] : [value]));
  return known.length === values.length && isChecksum(sum, known);
}

function nameOf(value: Column): string {
  return value === undefined ? "(unreadable)" : String(value);
}

function sessionOf(columns: readonly Column[]): FoundSession | undefined {
  const [id, owner, agent, title, status, origin, parent, lineage, createdAt, updatedAt, revision] = columns;
  const steps = readJson(lineage);
  const isWhole =
    [id, owner, agent].every((value) => typeof value === "string") &&
    [title, parent].every((value) => value !== undefined && typeof value !== "number") &&
    ["active", "archived", "deleted"].includes(String(status)) &&
    ["created", "forked", "spawned", "imported"].includes(String(origin)) &&
    Array.isArray(steps) &&
    [createdAt, updatedAt, revision].every((value) => Number.isSafeInteger(value));
  if (!isWhole) return undefined;
  const notepad = columns[13];
  return {
    id,
    owner,
    agent,
    title,
    status,
    origin,
    parent,
    lineage: steps as unknown,
    createdAt,
    updatedAt,
    revision,
    notepad: typeof notepad === "number" ? undefined : notepad,
  } as FoundSession;
}

/** An unreadable kind counts as a record; any other text means the row is of another table. */
function isRecordKind(kind: Column): boolean {
  return kind === undefined || (typeof kind === "string" && Object.hasOwn(recordKinds, kind));
}

function recordOf([, , kind, key, from, to, value]: readonly Column[]): FoundRecord | undefined {
  const isWhole =
    kind !== undefined && typeof key === "string" && typeof from === "number" && typeof to === "number";
  const json = value === null ? null : readJson(value);
  return isWhole && json !== undefined ? { kind: kind as RecordKind, key, from, to, value: json } : undefined;
}

function entryOf(columns: readonly Column[]): JournalEntry | undefined {
  const [, revision, , at, actor, surface, operation, changes, key, result] = columns;
  const parsed = {
    revision,
    at,
    actor: readJson(actor),
    surface,
    operation: readJson(operation),
    changes: readJson(changes),
    key,
    result: result === null ? null : readJson(result),
  };
  const isWhole =
    Number.isSafeInteger(revision) &&
    Array.isArray(parsed.changes) &&
    Object.values(parsed).every((value) => value !== undefined);
  return isWhole ? (parsed as unknown as JournalEntry) : undefined;
}

function readJson(value: Column): Json | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return undefined;
  }
}
