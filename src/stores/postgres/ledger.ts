import type { Ledger, LedgerPiece } from "../ledger.ts";
import { callFromSql, type SqlCall } from "../sql-rows.ts";
import { openEnd, type Scope } from "../store.ts";
import type { CallTrim } from "../trim.ts";
import type { Connections, Query } from "./connections.ts";
import { insertRows } from "./session-rows.ts";

/** A call whose answer was lost is looked for among so many of the newest. */
const recentCalls = 64;

export function postgresLedger({
  query,
  transaction,
}: {
  query: Query;
  transaction: Connections["transaction"];
}): Ledger {
  return {
    record(scope, call, pieces) {
      const callId = crypto.randomUUID();
      return transaction(async (run) => {
        if (!(await lockSession(run, scope))) return undefined;
        const recent = await newestCalls(run, scope, recentCalls);
        const done = recent.find(({ call_id }) => call_id === callId);
        if (done) return done.number;
        const number = (recent[0]?.number ?? 0) + 1;
        await insertPieces(run, scope, pieces);
        await insertRows(run, scope, {
          table: "ledger_calls",
          rows: [{ ...callToSql({ number, ...call }), call_id: callId }],
        });
        return number;
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
    restore: (scope, calls, pieces) =>
      transaction(async (run) => {
        if (!(await lockSession(run, scope))) return;
        await insertPieces(run, scope, pieces);
        await insertRows(run, scope, {
          table: "ledger_calls",
          rows: calls.map(callToSql),
          onConflict: "DO NOTHING",
        });
      }),
  };
}

/** False if another call was recorded since the plan was made. */
export async function dropCalls(query: Query, scope: Scope, plan: CallTrim): Promise<boolean> {
  // The same lock as recording takes, so that no call that contains a removed piece is recorded meanwhile.
  if (!(await lockSession(query, scope))) return false;
  const [newest] = await newestCalls(query, scope, 1);
  if (newest?.number !== plan.last) return false;
  const session = [scope.sessionId, scope.owner];
  for (const { number, pieces } of plan.rewrite)
    await query(
      "UPDATE ledger_calls SET base = 0, kept = 0, pieces = $4 WHERE session_id = $1 AND owner = $2 AND number = $3",
      [...session, number, JSON.stringify(pieces)],
    );
  await query("DELETE FROM ledger_calls WHERE session_id = $1 AND owner = $2 AND number = ANY($3)", [
    ...session,
    plan.remove,
  ]);
  await query("DELETE FROM ledger_pieces WHERE session_id = $1 AND owner = $2 AND hash = ANY($3)", [
    ...session,
    plan.unused,
  ]);
  return true;
}

/** Whoever records or removes calls of a session does it alone. False if there is no such session. */
async function lockSession(query: Query, { sessionId, owner }: Scope): Promise<boolean> {
  const { rows } = await query(
    "SELECT 1 FROM agent_sessions WHERE id = $1 AND owner = $2 FOR NO KEY UPDATE",
    [sessionId, owner],
  );
  return rows.length > 0;
}

async function newestCalls(
  query: Query,
  { sessionId, owner }: Scope,
  count: number,
): Promise<{ number: number; call_id: string | null }[]> {
  const { rows } = await query<{ number: number; call_id: string | null }>(
    `SELECT number, call_id FROM ledger_calls WHERE session_id = $1 AND owner = $2 ORDER BY number DESC LIMIT $3`,
    [sessionId, owner, count],
  );
  return rows;
}

function insertPieces(query: Query, scope: Scope, pieces: ReadonlyMap<string, LedgerPiece>): Promise<void> {
  const rows = [...pieces].map(([hash, { part, role, tokens, text }]) => ({
    hash,
    part,
    role,
    tokens,
    text,
  }));
  return insertRows(query, scope, { table: "ledger_pieces", rows, onConflict: "DO NOTHING" });
}

function callToSql({ number, at, base, kept, pieces, facts }: Parameters<Ledger["restore"]>[1][number]) {
  return { number, at, base, kept, pieces: JSON.stringify(pieces), facts: JSON.stringify(facts) };
}
