import type { Ledger, LedgerPiece } from "../ledger.ts";
import { callFromSql, type SqlCall } from "../sql-rows.ts";
import { openEnd } from "../store.ts";
import type { Pool } from "./pool.ts";
import { call as callFunction } from "./statements.ts";

export function postgresLedger(pool: Pick<Pool, "run">): Ledger {
  return {
    async record({ sessionId, owner }, call, pieces) {
      const values = [...pieces.values()];
      const statement = callFunction("holdfast_record_call", [
        sessionId,
        owner,
        call.at,
        call.base,
        call.kept,
        JSON.stringify(call.pieces),
        JSON.stringify(call.facts),
        crypto.randomUUID(),
        [...pieces.keys()],
        values.map(({ part }) => part),
        values.map(({ role }) => role),
        values.map(({ tokens }) => tokens),
        values.map(({ text }) => text),
      ]);
      const options = { session: sessionId, writes: true };
      const [row] = await pool.run<{ answer: number | null }>(statement, options);
      return row?.answer ?? undefined;
    },
    async calls({ sessionId, owner }, { from = 1, to = openEnd, limit = openEnd, newestFirst }) {
      const text = `SELECT number, at, base, kept, pieces, facts FROM ledger_calls
        WHERE session_id = $1 AND owner = $2 AND number BETWEEN $3 AND $4
        ORDER BY number ${newestFirst ? "DESC" : "ASC"} LIMIT $5`;
      const values = [sessionId, owner, from, to, limit];
      const rows = await pool.run<SqlCall & object>({ text, values }, { session: sessionId });
      return rows.map(callFromSql);
    },
    async restore({ sessionId, owner }, calls, pieces) {
      const values = [...pieces.values()];
      const statement = callFunction("holdfast_restore_calls", [
        sessionId,
        owner,
        calls.map(({ number }) => number),
        calls.map(({ at }) => at),
        calls.map(({ base }) => base),
        calls.map(({ kept }) => kept),
        calls.map((call) => JSON.stringify(call.pieces)),
        calls.map(({ facts }) => JSON.stringify(facts)),
        [...pieces.keys()],
        values.map(({ part }) => part),
        values.map(({ role }) => role),
        values.map(({ tokens }) => tokens),
        values.map(({ text }) => text),
      ]);
      await pool.run(statement, { session: sessionId, writes: true, long: true });
    },
    async pieces({ sessionId, owner }, hashes) {
      const text =
        "SELECT hash, part, role, tokens, text FROM ledger_pieces WHERE session_id = $1 AND owner = $2 AND hash = ANY($3)";
      const values = [sessionId, owner, hashes];
      const rows = await pool.run<LedgerPiece & { hash: string }>({ text, values }, { session: sessionId });
      return new Map(rows.map(({ hash, ...piece }) => [hash, piece]));
    },
  };
}
