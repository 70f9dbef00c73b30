import { residentKinds } from "../engine/records.ts";
import type { EntryAge } from "../engine/retention.ts";
import type { SessionRow } from "../engine/state.ts";
import type { Ledger, LedgerPiece } from "./ledger.ts";
import {
  callFromSql,
  callToSql,
  entryFromSql,
  entryToSql,
  recordFromSql,
  recordToSql,
  type SqlCall,
  type SqlEntry,
  type SqlSummary,
  type SqlVersion,
  sessionToSql,
  summaryColumns,
  summaryFromSql,
  type Value,
  versionFromSql,
} from "./sql-rows.ts";
import { type Commit, openEnd, type Scope, type Store, type StoredRecord } from "./store.ts";
import type { Trimming } from "./trim.ts";

/** A statement with its values, `$1` being the first. A value that is a list is for a condition of `among`. */
export interface Statement {
  text: string;
  values: readonly (Value | readonly Value[])[];
  /** The write is refused if this statement finds or changes no row. Such statements come first. */
  required?: true;
}

/** Every table of a session with the column that names it. A session's rows are together, so the tables can be sharded by it. */
export const sessionTables = {
  agent_sessions: "id",
  session_records: "session_id",
  session_journal: "session_id",
  ledger_calls: "session_id",
  ledger_pieces: "session_id",
};

export type SessionTable = keyof typeof sessionTables;

type SqlRow = Record<string, Value>;

export interface AboutWrite {
  /** Returns a row if an earlier attempt, whose answer was lost, was applied. */
  proof: Statement;
  /** The session that was created or changed, for watchers. */
  row?: Readonly<SessionRow>;
}

/** The part that each SQL database brings. */
export interface SqlDatabase {
  query<Row extends object>(statement: Statement): Promise<Row[]>;
  /**
   * Applies statements together or not at all, durably. Returns how many rows each changed. Undefined if the write was
   * refused, because of a required statement or because a row to insert exists already.
   */
  write(statements: readonly Statement[], about?: AboutWrite): Promise<number[] | undefined>;
  /** The row with the columns that only this database has. `id` names the write. */
  stamp(table: SessionTable, row: SqlRow, id: string): SqlRow;
  /** Throws if a row is not as it was written. */
  verify<Row extends object>(table: SessionTable, row: Row): Row;
  /** A condition: the column has one of the values of the list `$n`. */
  among(column: string, parameter: string): string;
  /** Words that only one of them has: a row's lock, the time of a change, and the order of ids. */
  words: { lockRow: string; touch: string; byCodePoint: string };
}

type SqlStore = Pick<
  Store,
  "create" | "revision" | "commit" | "records" | "versions" | "journal" | "entryByKey" | "sessions"
> & { ledger: Ledger; trimming: Omit<Trimming, "size"> };

/** Rows per statement: so few that none reaches the limits of time and of parameters. */
const batchSize = 50;

const ofSession = "session_id = $1 AND owner = $2";

/** Finds the session's row. */
export const thisSession = "id = $1 AND owner = $2";

/**
 * The part of a store that the SQL databases share. Every statement of a write names the session and takes no rows from
 * elsewhere, so that a distributed engine runs it on one shard.
 */
export function sqlStore(database: SqlDatabase): SqlStore {
  const insert = (
    table: SessionTable,
    rows: readonly object[],
    id: string,
    onConflict?: "keep" | "replace",
  ) =>
    batchesOf(rows.map((row) => database.stamp(table, { ...row } as SqlRow, id))).map((batch) =>
      insertion(table, batch, onConflict),
    );
  const verified = <Row extends object>(table: SessionTable, rows: Row[]): Row[] =>
    rows.map((row) => database.verify(table, row));
  const lockSession = (scope: Scope): Statement => ({
    text: `SELECT 1 FROM agent_sessions WHERE ${thisSession}${database.words.lockRow}`,
    values: valuesOf(scope),
    required: true,
  });
  const insertPieces = (scope: Scope, pieces: ReadonlyMap<string, LedgerPiece>, id: string) => {
    const rows = [...pieces].map(([hash, { part, role, tokens, text }]) => ({
      ...columnsOf(scope),
      ...{ hash, part, role, tokens, text },
    }));
    return insert("ledger_pieces", rows, id, "keep");
  };

  const store: SqlStore = {
    async create({ row, records, versions = [], entries }) {
      const id = crypto.randomUUID();
      const scope = { sessionId: row.id, owner: row.owner };
      const all = [...records.map((record) => ({ ...record, from: row.revision, to: openEnd })), ...versions];
      const created = await database.write(
        [
          ...insert("agent_sessions", [sessionToSql(row)], id, "keep").map(required),
          ...insert(
            "session_records",
            all.map((version) => recordToSql(scope, version)),
            id,
            "replace",
          ),
          ...insert(
            "session_journal",
            entries.map((entry) => entryToSql(scope, entry)),
            id,
          ),
        ],
        { proof: commitProof(scope, row.revision, id), row },
      );
      return created !== undefined;
    },

    async revision(scope) {
      const [row] = await database.query<{ revision: number }>({
        text: `SELECT revision FROM agent_sessions WHERE ${thisSession}`,
        values: valuesOf(scope),
      });
      return row?.revision;
    },

    async commit(commit) {
      const id = crypto.randomUUID();
      const { scope, row, records, entry } = commit;
      // Only a fork has to remember that an inherited record is gone.
      const isGone = ({ value }: StoredRecord) => value === null && row.lineage.length === 0;
      const kept = records.filter((record) => !isGone(record));
      const applied = await database.write(
        [
          moveSession(commit, database.stamp("agent_sessions", sessionToSql(row), id), database.words.touch),
          // A version that a fork can read is closed instead of overwritten.
          ...(row.lastFork > 0 ? records.map((record) => closeVersion(scope, record, row)) : []),
          ...records.filter(isGone).map((record) => deleteRecord(scope, record)),
          ...insert(
            "session_records",
            kept.map((record) => recordToSql(scope, { ...record, from: row.revision, to: openEnd })),
            id,
            "replace",
          ),
          ...insert("session_journal", [entryToSql(scope, entry)], id),
        ],
        { proof: commitProof(scope, row.revision, id), row },
      );
      return applied !== undefined;
    },

    async records(scope, { kinds, keys, from, to, at }) {
      const values: Statement["values"][number][] = valuesOf(scope);
      const parameter = (value: (typeof values)[number]) => `$${values.push(value)}`;
      const conditions = [ofSession, database.among("kind", parameter(kinds))];
      if (at === undefined) conditions.push(`to_revision = ${openEnd}`);
      else conditions.push(`from_revision <= ${parameter(at)} AND to_revision > ${parameter(at)}`);
      if (keys) conditions.push(database.among("key", parameter(keys)));
      if (from !== undefined) conditions.push(`key >= ${parameter(from)}`);
      if (to !== undefined) conditions.push(`key <= ${parameter(to)}`);
      const text = `SELECT * FROM session_records WHERE ${conditions.join(" AND ")} ORDER BY kind, key`;
      const rows = await database.query<SqlVersion>({ text, values });
      return verified("session_records", rows).map(recordFromSql);
    },

    async versions(scope) {
      const text = `SELECT * FROM session_records WHERE ${ofSession} ORDER BY kind, key, to_revision`;
      const rows = await database.query<SqlVersion>({ text, values: valuesOf(scope) });
      return verified("session_records", rows).map(versionFromSql);
    },

    async journal(scope, { from = 0, to = openEnd, limit = openEnd, newestFirst }) {
      const rows = await database.query<SqlEntry>({
        text: `SELECT * FROM session_journal WHERE ${ofSession} AND revision BETWEEN $3 AND $4
          ORDER BY revision ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
        values: [...valuesOf(scope), from, to, limit],
      });
      return verified("session_journal", rows).map(entryFromSql);
    },

    async entryByKey(scope, key) {
      const text = `SELECT * FROM session_journal WHERE ${ofSession} AND idempotency_key = $3`;
      const rows = await database.query<SqlEntry>({ text, values: [...valuesOf(scope), key] });
      return verified("session_journal", rows).map(entryFromSql)[0];
    },

    async sessions(owner, { agent, statuses, parent, limit = openEnd, after }) {
      const values: Statement["values"][number][] = [owner];
      const parameter = (value: (typeof values)[number]) => `$${values.push(value)}`;
      const conditions = ["owner = $1"];
      const id = `id${database.words.byCodePoint}`;
      if (agent !== undefined) conditions.push(`agent = ${parameter(agent)}`);
      if (statuses) conditions.push(database.among("status", parameter(statuses)));
      if (parent !== undefined) conditions.push(`parent = ${parameter(parent)}`);
      if (after) {
        const [time, last] = [parameter(after.updatedAt), parameter(after.id)];
        conditions.push(`updated_at <= ${time} AND (updated_at < ${time} OR ${id} > ${last})`);
      }
      const rows = await database.query<SqlSummary>({
        text: `SELECT ${summaryColumns} FROM agent_sessions WHERE ${conditions.join(" AND ")}
          ORDER BY updated_at DESC, ${id} LIMIT ${parameter(limit)}`,
        values,
      });
      return rows.map(summaryFromSql);
    },

    ledger: {
      async record(scope, call, pieces) {
        const id = crypto.randomUUID();
        for (;;) {
          const [newest] = await database.query<{ number: number | null }>({
            text: `SELECT max(number) AS number FROM ledger_calls WHERE ${ofSession}`,
            values: valuesOf(scope),
          });
          const number = (newest?.number ?? 0) + 1;
          const recorded = await database.write(
            [
              lockSession(scope),
              // Refused if another call has this number.
              ...insert("ledger_calls", [callToSql(scope, { number, ...call })], id, "keep").map(required),
              ...insertPieces(scope, pieces, id),
            ],
            {
              proof: {
                text: `SELECT 1 FROM ledger_calls WHERE ${ofSession} AND number = $3 AND call_id = $4`,
                values: [...valuesOf(scope), number, id],
              },
            },
          );
          if (recorded) return number;
          // Another process took the number, unless there is no such session.
          if ((await store.revision(scope)) === undefined) return undefined;
        }
      },
      async calls(scope, { from = 1, to = openEnd, limit = openEnd, newestFirst }) {
        const rows = await database.query<SqlCall>({
          text: `SELECT number, at, base, kept, pieces, facts FROM ledger_calls WHERE ${ofSession} AND number BETWEEN $3 AND $4
            ORDER BY number ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
          values: [...valuesOf(scope), from, to, limit],
        });
        return rows.map(callFromSql);
      },
      async pieces(scope, hashes) {
        const rows = await database.query<LedgerPiece & { hash: string }>({
          text: `SELECT hash, part, role, tokens, text FROM ledger_pieces WHERE ${ofSession} AND ${database.among("hash", "$3")}`,
          values: [...valuesOf(scope), hashes],
        });
        return new Map(rows.map(({ hash, ...piece }) => [hash, piece]));
      },
      async restore(scope, calls, pieces) {
        const id = crypto.randomUUID();
        const rows = calls.map((call) => callToSql(scope, call));
        await database.write([
          lockSession(scope),
          ...insert("ledger_calls", rows, id, "keep"),
          ...insertPieces(scope, pieces, id),
        ]);
      },
    },

    trimming: {
      oldest: (scope, limit) =>
        database.query<EntryAge>({
          text: `SELECT revision, at FROM session_journal WHERE ${ofSession} ORDER BY revision LIMIT $3`,
          values: [...valuesOf(scope), limit],
        }),
      async dropEntries(scope, before) {
        const text = `DELETE FROM session_journal WHERE ${ofSession} AND revision < $3`;
        const [dropped] = (await database.write([{ text, values: [...valuesOf(scope), before] }])) ?? [];
        return dropped ?? 0;
      },
      async dropCalls(scope, { last, remove, rewrite, unused }) {
        const dropped = await database.write([
          // The same lock as recording takes, so that no call that contains a removed piece is recorded meanwhile.
          lockSession(scope),
          {
            text: `SELECT max(number) FROM ledger_calls WHERE ${ofSession} HAVING max(number) = $3`,
            values: [...valuesOf(scope), last],
            required: true,
          },
          ...rewrite.map(({ number, pieces }) => ({
            text: `UPDATE ledger_calls SET base = 0, kept = 0, pieces = $4 WHERE ${ofSession} AND number = $3`,
            values: [...valuesOf(scope), number, JSON.stringify(pieces)],
          })),
          ...remove.map((number) => ({
            text: `DELETE FROM ledger_calls WHERE ${ofSession} AND number = $3`,
            values: [...valuesOf(scope), number],
          })),
          ...unused.map((hash) => ({
            text: `DELETE FROM ledger_pieces WHERE ${ofSession} AND hash = $3`,
            values: [...valuesOf(scope), hash],
          })),
        ]);
        return dropped !== undefined;
      },
    },
  };
  return store;
}

/** The session's records that are loaded with it. */
export function selectResident(columns: string): string {
  const kinds = residentKinds.map((kind) => `'${kind}'`).join(", ");
  return `SELECT ${columns} FROM session_records WHERE ${ofSession} AND to_revision = ${openEnd} AND value IS NOT NULL AND kind IN (${kinds})`;
}

export function deleteSession(scope: Scope): Statement[] {
  return Object.entries(sessionTables).map(([table, column]) => ({
    text: `DELETE FROM ${table} WHERE ${column} = $1 AND owner = $2`,
    values: valuesOf(scope),
  }));
}

export function valuesOf({ sessionId, owner }: Scope): Value[] {
  return [sessionId, owner];
}

function required(statement: Statement): Statement {
  return { ...statement, required: true };
}

function columnsOf({ sessionId, owner }: Scope): SqlRow {
  return { session_id: sessionId, owner };
}

/** Moves the session's row from the expected revision to the next one. */
function moveSession(
  { scope, expected, row, notepadChanged }: Commit,
  stamped: SqlRow,
  touch: string,
): Statement {
  const fixed = ["id", "owner", "agent", "origin", "parent", "lineage", "created_at"];
  const values = [...valuesOf(scope), expected, row.createdAt];
  const assignments = Object.entries(stamped)
    .filter(([column]) => !fixed.includes(column) && (notepadChanged || column !== "notepad"))
    .map(([column, value]) => `${column} = $${values.push(value)}`);
  return {
    text: `UPDATE agent_sessions SET ${assignments.join(", ")}${touch} WHERE ${thisSession} AND revision = $3 AND created_at = $4`,
    values,
    required: true,
  };
}

function closeVersion(
  scope: Scope,
  { kind, key }: StoredRecord,
  { revision, lastFork }: Commit["row"],
): Statement {
  return {
    text: `UPDATE session_records SET to_revision = $5
      WHERE ${ofSession} AND kind = $3 AND key = $4 AND to_revision = ${openEnd} AND from_revision <= $6`,
    values: [...valuesOf(scope), kind, key, revision, lastFork],
  };
}

function deleteRecord(scope: Scope, { kind, key }: StoredRecord): Statement {
  return {
    text: `DELETE FROM session_records WHERE ${ofSession} AND kind = $3 AND key = $4 AND to_revision = ${openEnd}`,
    values: [...valuesOf(scope), kind, key],
  };
}

/** Inserts rows with the same columns. */
function insertion(
  table: SessionTable,
  rows: readonly SqlRow[],
  onConflict: "keep" | "replace" | undefined,
): Statement {
  const values: Value[] = [];
  const lists = rows.map(
    (row) =>
      `(${Object.values(row)
        .map((value) => `$${values.push(value)}`)
        .join(", ")})`,
  );
  const columns = Object.keys(rows[0] ?? {});
  const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${lists.join(", ")}`;
  if (onConflict === undefined) return { text: insert, values };
  if (onConflict === "keep") return { text: `${insert} ON CONFLICT DO NOTHING`, values };
  const replaced = columns.filter((column) => !versionKey.includes(column));
  const assignments = replaced.map((column) => `${column} = excluded.${column}`);
  return {
    text: `${insert} ON CONFLICT (${versionKey.join(", ")}) DO UPDATE SET ${assignments.join(", ")}`,
    values,
  };
}

const versionKey = ["session_id", "owner", "kind", "key", "to_revision"];

function commitProof(scope: Scope, revision: number, id: string): Statement {
  return {
    text: `SELECT 1 FROM session_journal WHERE ${ofSession} AND revision = $3 AND commit_id = $4`,
    values: [...valuesOf(scope), revision, id],
  };
}

export function batchesOf<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / batchSize) }, (_, index) =>
    items.slice(index * batchSize, (index + 1) * batchSize),
  );
}
