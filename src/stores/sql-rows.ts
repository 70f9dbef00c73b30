import type { JournalEntry } from "../engine/journal.ts";
import type { Json } from "../engine/json.ts";
import type { RecordKind } from "../engine/records.ts";
import type { SessionRow } from "../engine/state.ts";
import type { LedgerCall } from "./ledger.ts";
import type { RecordVersion, Scope, SessionSummary, StoredRecord } from "./store.ts";

export type Value = string | number | null;

/** The rows of the SQL schema, shared by both SQL drivers. */
export interface SqlSession {
  id: string;
  owner: string;
  agent: string;
  title: string | null;
  status: string;
  origin: string;
  parent: string | null;
  lineage: string;
  created_at: number;
  updated_at: number;
  revision: number;
  last_fork: number;
  counters: string;
  notepad: string | null;
}

export interface SqlRecord {
  kind: string;
  key: string;
  value: string | null;
}

export interface SqlEntry {
  revision: number;
  at: number;
  actor: string;
  surface: string;
  operation: string;
  changes: string;
  idempotency_key: string | null;
  result: string | null;
}

export interface SqlCall {
  number: number;
  at: number;
  base: number;
  kept: number;
  pieces: string;
  facts: string;
}

export const summaryColumns =
  "id, owner, agent, title, status, origin, parent, created_at, updated_at, revision, counters";

export const sessionColumns =
  "id, owner, agent, title, status, origin, parent, lineage, created_at, updated_at, revision, last_fork, counters, notepad";

export function sessionToSql(row: SessionRow): Record<keyof SqlSession, Value> {
  return {
    id: row.id,
    owner: row.owner,
    agent: row.agent,
    title: row.title,
    status: row.status,
    origin: row.origin,
    parent: row.parent,
    lineage: JSON.stringify(row.lineage),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    revision: row.revision,
    last_fork: row.lastFork,
    counters: JSON.stringify(row.counters),
    notepad: row.notepad,
  };
}

export function sessionFromSql(row: SqlSession): SessionRow {
  return {
    ...sharedFromSql(row),
    lineage: JSON.parse(row.lineage) as SessionRow["lineage"],
    lastFork: row.last_fork,
    counters: JSON.parse(row.counters) as SessionRow["counters"],
    notepad: row.notepad,
  };
}

export type SqlSummary = Omit<SqlSession, "notepad" | "lineage" | "last_fork">;

export function summaryFromSql(row: SqlSummary): SessionSummary {
  return { ...sharedFromSql(row), notes: (JSON.parse(row.counters) as SessionRow["counters"]).notes };
}

/** The part of a session's row that lists show too. */
function sharedFromSql(row: SqlSummary): Omit<SessionSummary, "notes"> {
  return {
    id: row.id,
    owner: row.owner,
    agent: row.agent,
    title: row.title,
    status: row.status as SessionRow["status"],
    origin: row.origin as SessionRow["origin"],
    parent: row.parent,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

export function recordFromSql(row: SqlRecord): StoredRecord {
  return {
    kind: row.kind as RecordKind,
    key: row.key,
    value: row.value === null ? null : (JSON.parse(row.value) as Json),
  };
}

export interface SqlVersion extends SqlRecord {
  from_revision: number;
  to_revision: number;
}

export function recordToSql(
  { sessionId, owner }: Scope,
  { kind, key, from, to, value }: RecordVersion,
): Record<string, Value> {
  return {
    session_id: sessionId,
    owner,
    kind,
    key,
    from_revision: from,
    to_revision: to,
    value: value === null ? null : JSON.stringify(value),
  };
}

export function versionFromSql(row: SqlVersion): RecordVersion {
  return { ...recordFromSql(row), from: row.from_revision, to: row.to_revision };
}

export function entryFromSql(row: SqlEntry): JournalEntry {
  return {
    revision: row.revision,
    at: row.at,
    actor: JSON.parse(row.actor) as JournalEntry["actor"],
    surface: row.surface,
    operation: JSON.parse(row.operation) as JournalEntry["operation"],
    changes: JSON.parse(row.changes) as JournalEntry["changes"],
    key: row.idempotency_key,
    result: row.result === null ? null : (JSON.parse(row.result) as Json),
  };
}

export function entryToSql({ sessionId, owner }: Scope, entry: JournalEntry): Record<string, Value> {
  return {
    session_id: sessionId,
    owner,
    revision: entry.revision,
    at: entry.at,
    actor: JSON.stringify(entry.actor),
    surface: entry.surface,
    operation: JSON.stringify(entry.operation),
    changes: JSON.stringify(entry.changes),
    idempotency_key: entry.key,
    result: entry.result === null ? null : JSON.stringify(entry.result),
  };
}

export function callToSql(
  { sessionId, owner }: Scope,
  { number, at, base, kept, pieces, facts }: LedgerCall,
): Record<string, Value> {
  return {
    session_id: sessionId,
    owner,
    number,
    at,
    base,
    kept,
    pieces: JSON.stringify(pieces),
    facts: JSON.stringify(facts),
  };
}

export function callFromSql({ pieces, facts, ...row }: SqlCall): LedgerCall {
  return { ...row, pieces: JSON.parse(pieces) as string[], facts: JSON.parse(facts) as Json };
}

/** Rows of a statement, whose columns are those of the type. */
export function rowsAs<Row>(rows: unknown): Row[] {
  return rows as Row[];
}
