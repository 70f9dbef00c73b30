import type { Ledger, LedgerPiece } from "../ledger.ts";
import { callFromSql, type SqlCall } from "../sql-rows.ts";
import { openEnd, type Scope } from "../store.ts";
import type { CallTrim } from "../trim.ts";
import type { Attempt, Connections, Query, Statement, Value } from "./connections.ts";
import { batchesOf, insertRows } from "./session-rows.ts";

/** A call whose answer was lost is looked for among so many of the newest. */
const recentCalls = 64;

export function postgresLedger({ query, write }: { query: Query; write: Connections["write"] }): Ledger {
  return {
    record(scope, call, pieces) {
      const callId = crypto.randomUUID();
      return write(async (attempt) => {
        for (;;) {
          const recent = await newestCalls(attempt.query, scope);
          const done = recent.find(({ call_id }) => call_id === callId);
          if (done) return done.number;
          const number = (recent[0]?.number ?? 0) + 1;
          const row = { ...callToSql({ number, ...call }), call_id: callId };
          const recorded = await attempt.send([
            ...lockSession(scope),
            ...insertPieces(scope, pieces),
            ...insertRows(scope, { table: "ledger_calls", rows: [row] }),
          ]);
          if (recorded) return number;
          // Another process took the number, unless there is no such session.
          if (!(await hasSession(attempt.query, scope))) return undefined;
        }
      });
    },
    async calls({ sessionId, owner }, { from = 1, to = openEnd, limit = openEnd, newestFirst }) {
      const { rows } = await query<SqlCall & object>(
        `SELECT number, at, base, kept, pieces, facts FROM ledger_calls
         WHERE session_id = $1 AND owner = $2 AND number BETWEEN $3 AND $4
         ORDER BY number ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
        [sessionId, owner, from, to, limit],
      );
      return rows.map(callFromSql);
    },
    async pieces({ sessionId, owner }, hashes) {
      const { rows } = await query<LedgerPiece & { hash: string }>(
        `SELECT hash, part, role, tokens, text FROM ledger_pieces
         WHERE session_id = $1 AND owner = $2 AND hash = ANY($3)`,
        [sessionId, owner, hashes],
      );
      return new Map(rows.map(({ hash, ...piece }) => [hash, piece]));
    },
    async restore(scope, calls, pieces) {
      const rows = calls.map(callToSql);
      await write(({ send }) =>
        send([
          ...lockSession(scope),
          ...insertPieces(scope, pieces),
          ...insertRows(scope, { table: "ledger_calls", rows, onConflict: "DO NOTHING" }),
        ]),
      );
    },
  };
}

/** False if another call was recorded since the plan was made. */
export async function dropCalls({ send }: Attempt, scope: Scope, plan: CallTrim): Promise<boolean> {
  const session = [scope.sessionId, scope.owner];
  const dropped = await send([
    // The same lock as recording takes, so that no call that contains a removed piece is recorded meanwhile.
    ...lockSession(scope),
    {
      text: "SELECT 1 / coalesce((max(number) = $3)::int, 0) FROM ledger_calls WHERE session_id = $1 AND owner = $2",
      values: [...session, plan.last],
    },
    ...plan.rewrite.map(({ number, pieces }) => ({
      text: "UPDATE ledger_calls SET base = 0, kept = 0, pieces = $4 WHERE session_id = $1 AND owner = $2 AND number = $3",
      values: [...session, number, JSON.stringify(pieces)],
    })),
    ...deleteRows(scope, "ledger_calls", "number", plan.remove),
    ...deleteRows(scope, "ledger_pieces", "hash", plan.unused),
  ]);
  return dropped !== undefined;
}

/** Whoever records or removes calls of a session does it alone. Refused if there is no such session. */
function lockSession({ sessionId, owner }: Scope): Statement[] {
  const values = [sessionId, owner];
  return [
    { text: "SELECT 1 FROM agent_sessions WHERE id = $1 AND owner = $2 FOR NO KEY UPDATE", values },
    { text: "SELECT 1 / count(*) FROM agent_sessions WHERE id = $1 AND owner = $2", values },
  ];
}

function deleteRows(
  { sessionId, owner }: Scope,
  table: string,
  column: string,
  keys: readonly Value[],
): Statement[] {
  return batchesOf(keys).map((batch) => {
    const values: Value[] = [sessionId, owner];
    const parameters = batch.map((key) => `$${values.push(key)}`);
    const text = `DELETE FROM ${table} WHERE session_id = $1 AND owner = $2 AND ${column} IN (${parameters.join(", ")})`;
    return { text, values };
  });
}

async function newestCalls(
  query: Query,
  { sessionId, owner }: Scope,
): Promise<{ number: number; call_id: string | null }[]> {
  const { rows } = await query<{ number: number; call_id: string | null }>(
    `SELECT number, call_id FROM ledger_calls WHERE session_id = $1 AND owner = $2 ORDER BY number DESC LIMIT ${recentCalls}`,
    [sessionId, owner],
  );
  return rows;
}

async function hasSession(query: Query, { sessionId, owner }: Scope): Promise<boolean> {
  const { rows } = await query("SELECT 1 FROM agent_sessions WHERE id = $1 AND owner = $2", [
    sessionId,
    owner,
  ]);
  return rows.length > 0;
}

function insertPieces(scope: Scope, pieces: ReadonlyMap<string, LedgerPiece>): Statement[] {
  const rows = [...pieces].map(([hash, { part, role, tokens, text }]) => ({
    hash,
    part,
    role,
    tokens,
    text,
  }));
  return insertRows(scope, { table: "ledger_pieces", rows, onConflict: "DO NOTHING" });
}

function callToSql({ number, at, base, kept, pieces, facts }: Parameters<Ledger["restore"]>[1][number]) {
  return { number, at, base, kept, pieces: JSON.stringify(pieces), facts: JSON.stringify(facts) };
}
