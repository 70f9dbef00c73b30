import type { Ledger, LedgerPiece } from "../ledger.ts";
import { openEnd } from "../session-table.ts";
import { callFromSql, type SqlCall } from "../sql-rows.ts";
import type { Connection } from "./connection.ts";

export function postgresLedger(connection: Connection): Ledger {
  return {
    async record({ sessionId, owner }, call, pieces) {
      const values = [...pieces.values()];
      const rows = await connection.query<{ number: number }>(
        // Locks the session's row, so that every call gets its own number.
        `WITH session AS (SELECT id FROM agent_sessions WHERE id = $1 AND owner = $2 FOR UPDATE),
         texts AS (
           INSERT INTO ledger_pieces (session_id, hash, owner, part, role, tokens, text)
           SELECT $1, p.hash, $2, p.part, p.role, p.tokens, p.text
           FROM session, unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[]) AS p(hash, part, role, tokens, text)
           ON CONFLICT DO NOTHING
         )
         INSERT INTO ledger_calls (session_id, number, owner, at, base, kept, pieces, facts)
         SELECT $1, 1 + coalesce((SELECT max(number) FROM ledger_calls WHERE session_id = $1 AND owner = $2), 0),
                $2, $8, $9, $10, $11, $12 FROM session
         RETURNING number`,
        [
          sessionId,
          owner,
          [...pieces.keys()],
          values.map(({ part }) => part),
          values.map(({ role }) => role),
          values.map(({ tokens }) => tokens),
          values.map(({ text }) => text),
          call.at,
          call.base,
          call.kept,
          JSON.stringify(call.pieces),
          JSON.stringify(call.facts),
        ],
      );
      return rows[0]?.number;
    },
    async calls({ sessionId, owner }, { from = 1, to = openEnd, limit = openEnd, newestFirst }) {
      const rows = await connection.query<SqlCall & object>(
        `SELECT number, at, base, kept, pieces, facts FROM ledger_calls
         WHERE session_id = $1 AND owner = $2 AND number BETWEEN $3 AND $4
         ORDER BY number ${newestFirst ? "DESC" : "ASC"} LIMIT $5`,
        [sessionId, owner, from, to, limit],
      );
      return rows.map(callFromSql);
    },
    async pieces({ sessionId, owner }, hashes) {
      const rows = await connection.query<LedgerPiece & { hash: string }>(
        "SELECT hash, part, role, tokens, text FROM ledger_pieces WHERE session_id = $1 AND owner = $2 AND hash = ANY($3)",
        [sessionId, owner, hashes],
      );
      return new Map(rows.map(({ hash, ...piece }) => [hash, piece]));
    },
  };
}
