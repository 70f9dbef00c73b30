import { residentKinds } from "../../engine/records.ts";
import { entryToSql, type SqlEntry, sessionToSql } from "../sql-rows.ts";
import type {
  Commit,
  JournalSelection,
  NewSession,
  RecordSelection,
  RecordVersion,
  Scope,
  SessionSelection,
} from "../store.ts";
import { openEnd } from "../store.ts";
import type { CallTrim } from "../trim.ts";
import type { Statement } from "./lane.ts";

export type { Statement } from "./lane.ts";

/** Every statement on session data, so that a test can read them all. Each names one session, but for the lists. */

const columns =
  "s.id, s.owner, s.agent, s.title, s.status, s.origin, s.parent, s.lineage, s.created_at, s.updated_at, s.revision, s.last_fork, s.counters, s.notepad_base || s.notepad_large || s.notepad_middle || s.notepad_tail AS notepad";

const summaryColumns =
  "id, owner, agent, title, status, origin, parent, created_at, updated_at, revision, counters";

const entryColumns = "revision, at, actor, surface, operation, changes, idempotency_key, result";

const loadText = `SELECT ${columns}, coalesce((
    SELECT json_agg(json_build_object('kind', kind, 'key', key, 'value', value) ORDER BY kind, key) FROM session_records
    WHERE session_id = $1 AND owner = $2 AND to_revision = ${openEnd} AND value IS NOT NULL AND kind = ANY($3)
  ), '[]') AS resident
  FROM session_rows s WHERE s.id = $1 AND s.owner = $2`;

/** One statement, so that the row and its records are consistent. */
export function load({ sessionId, owner }: Scope): Statement {
  return { name: "holdfast_load", text: loadText, values: [sessionId, owner, residentKinds] };
}

export function readRevision({ sessionId, owner }: Scope): Statement {
  return {
    name: "holdfast_revision",
    text: "SELECT revision FROM session_rows WHERE id = $1 AND owner = $2",
    values: [sessionId, owner],
  };
}

export function records(
  { sessionId, owner }: Scope,
  { kinds, keys, from, to, at }: RecordSelection,
): Statement {
  const values: unknown[] = [sessionId, owner, kinds];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = ["session_id = $1", "owner = $2", "kind = ANY($3)"];
  if (at === undefined) conditions.push(`to_revision = ${openEnd}`);
  else conditions.push(`from_revision <= ${parameter(at)} AND to_revision > ${parameter(at)}`);
  if (keys) conditions.push(`key = ANY(${parameter(keys)})`);
  if (from !== undefined) conditions.push(`key >= ${parameter(from)}`);
  if (to !== undefined) conditions.push(`key <= ${parameter(to)}`);
  const chosen = Object.entries({ at, keys, from, to }).flatMap(([name, value]) =>
    value === undefined ? [] : [`_${name}`],
  );
  return {
    // Almost every tagged note reads its tags first.
    name: `holdfast_records${chosen.join("")}`,
    text: `SELECT kind, key, value FROM session_records WHERE ${conditions.join(" AND ")} ORDER BY kind, key`,
    values,
  };
}

export function journal({ sessionId, owner }: Scope, selection: JournalSelection): Statement {
  const { from = 0, to = openEnd, limit = openEnd, newestFirst } = selection;
  return {
    text: `SELECT ${entryColumns} FROM session_journal WHERE session_id = $1 AND owner = $2 AND revision BETWEEN $3 AND $4
      ORDER BY revision ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
    values: [sessionId, owner, from, to, limit],
  };
}

export function entryByKey({ sessionId, owner }: Scope, key: string): Statement {
  return {
    name: "holdfast_entry_by_key",
    text: `SELECT ${entryColumns} FROM session_journal WHERE session_id = $1 AND owner = $2 AND idempotency_key = $3`,
    values: [sessionId, owner, key],
  };
}

/** One owner's sessions, on all shards. Reads the index in the order of the list, so a page costs what it shows. */
export function listSessions(owner: string, selection: SessionSelection): Statement {
  const { agent, statuses, parent, limit, offset, after } = selection;
  const values: unknown[] = [owner];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = ["owner = $1"];
  if (agent !== undefined) conditions.push(`agent = ${parameter(agent)}`);
  if (statuses) conditions.push(`status = ANY(${parameter(statuses)})`);
  if (parent !== undefined) conditions.push(`parent = ${parameter(parent)}`);
  if (after) {
    const [time, id] = [parameter(after.updatedAt), parameter(after.id)];
    conditions.push(
      `listed <= ${time}::bigint / 60000 AND (updated_at < ${time} OR (updated_at = ${time} AND id COLLATE "C" > ${id}))`,
    );
  }
  const page = [
    ...(limit === undefined ? [] : [`LIMIT ${Math.floor(limit)}`]),
    ...(offset ? [`OFFSET ${Math.floor(offset)}`] : []),
  ].join(" ");
  return {
    text: `SELECT ${summaryColumns} FROM session_rows WHERE ${conditions.join(" AND ")}
      ORDER BY listed DESC, updated_at DESC, id COLLATE "C" ${page}`,
    values,
  };
}

/** The revisions of watched sessions. */
export function revisionsOf(owner: string, sessionIds: readonly string[]): Statement {
  return {
    text: "SELECT id, revision, created_at FROM session_rows WHERE id = ANY($1) AND owner = $2",
    values: [sessionIds, owner],
  };
}

/** One owner's sessions that changed since, by the server's clock. */
export function touchedSince(owner: string, seconds: number, stepSeconds: number): Statement {
  return {
    text: `SELECT id, revision, created_at FROM session_rows
      WHERE owner = $1 AND touched >= ((extract(epoch FROM clock_timestamp()) - $2) / ${stepSeconds})::bigint`,
    values: [owner, seconds],
  };
}

/** Sent again if the answer is lost; the server recognises the commit by its id and applies it once. */
export function commit(
  { scope, expected, row, notepadChanged, records: writes, entry }: Commit,
  id: string,
): Statement {
  const line = entryToSql(entry);
  const appended = notepadChanged ? appendedText({ row, entry }) : undefined;
  const values = [
    scope.sessionId,
    scope.owner,
    expected,
    row.createdAt,
    row.title,
    row.status,
    row.updatedAt,
    row.revision,
    row.lastFork,
    JSON.stringify(row.counters),
    notepadChanged ? (appended === undefined ? "replace" : "append") : "none",
    notepadChanged ? (appended ?? row.notepad) : null,
    row.lineage.length === 0,
    ...recordColumns(writes),
    line.at,
    line.actor,
    line.surface,
    line.operation,
    line.changes,
    line.idempotency_key,
    line.result,
    id,
  ];
  return { ...call("holdfast_commit", values), isCommit: true };
}

/** The text at the end of the notepad that the entry added, if it did nothing else to it. */
function appendedText({ row, entry }: Pick<Commit, "row" | "entry">): string | undefined {
  const [change, ...others] = entry.changes.filter(
    (each) => each.type === "text" && each.target === "notepad",
  );
  if (change?.type !== "text" || others.length > 0 || row.notepad === null) return undefined;
  const isAtEnd = change.removed === "" && change.at === row.notepad.length - change.inserted.length;
  // Half of a surrogate pair cannot be stored on its own.
  return isAtEnd && change.inserted.isWellFormed() ? change.inserted : undefined;
}

export function create({ row, records: writes, entries }: NewSession, id: string): Statement {
  const lines = entries.map(entryToSql);
  const column = (name: keyof SqlEntry) => lines.map((line) => line[name]);
  return call("holdfast_create", [
    ...sessionToSql(row),
    ...recordColumns(writes),
    column("revision"),
    column("at"),
    column("actor"),
    column("surface"),
    column("operation"),
    column("changes"),
    column("idempotency_key"),
    column("result"),
    id,
  ]);
}

/** For a copied session, before it is created. */
export function addVersions({ sessionId, owner }: Scope, versions: readonly RecordVersion[]): Statement {
  return call("holdfast_add_versions", [
    sessionId,
    owner,
    versions.map(({ kind }) => kind),
    versions.map(({ key }) => key),
    versions.map(({ from }) => from),
    versions.map(({ to }) => to),
    versions.map(({ value }) => (value === null ? null : JSON.stringify(value))),
  ]);
}

export function versions({ sessionId, owner }: Scope): Statement {
  return {
    text: `SELECT kind, key, value, from_revision, to_revision FROM session_records
      WHERE session_id = $1 AND owner = $2 ORDER BY kind COLLATE "C", key, to_revision`,
    values: [sessionId, owner],
  };
}

export function purge({ sessionId, owner }: Scope): Statement {
  return call("holdfast_purge", [sessionId, owner]);
}

/** The age of a journal's oldest entries. */
export function oldestEntries({ sessionId, owner }: Scope, limit: number): Statement {
  return {
    text: "SELECT revision, at FROM session_journal WHERE session_id = $1 AND owner = $2 ORDER BY revision LIMIT $3",
    values: [sessionId, owner, limit],
  };
}

export function dropEntries({ sessionId, owner }: Scope, before: number): Statement {
  return {
    text: "DELETE FROM session_journal WHERE session_id = $1 AND owner = $2 AND revision < $3 RETURNING revision",
    values: [sessionId, owner, before],
  };
}

export function dropCalls({ sessionId, owner }: Scope, plan: CallTrim): Statement {
  return call("holdfast_trim_calls", [
    sessionId,
    owner,
    plan.last,
    plan.remove,
    plan.rewrite.map(({ number }) => number),
    plan.rewrite.map(({ pieces }) => JSON.stringify(pieces)),
    plan.unused,
  ]);
}

/** Bytes of the store's tables, indexes included, on this node. */
export const storeSize: Statement = {
  text: `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS bytes FROM pg_catalog.pg_class
    WHERE relname = ANY($1) AND relkind = 'r' AND pg_table_is_visible(oid)`,
  values: [["session_rows", "session_records", "session_journal", "ledger_calls", "ledger_pieces"]],
};

/** A call of a function, prepared under its name. */
export function call(name: string, values: readonly unknown[]): Statement {
  const parameters = values.map((_, index) => `$${index + 1}`).join(", ");
  return { name, text: `SELECT ${name}(${parameters}) AS answer`, values };
}

function recordColumns(writes: NewSession["records"]): [string[], string[], (string | null)[]] {
  return [
    writes.map(({ kind }) => kind),
    writes.map(({ key }) => key),
    writes.map(({ value }) => (value === null ? null : JSON.stringify(value))),
  ];
}
