import type { Ledger } from "../ledger.ts";
import { callFromSql, rowsAs, type SqlCall } from "../sql-rows.ts";
import type { SqliteRows } from "./session-rows.ts";

interface SqlPiece {
  hash: string;
  part: string;
  role: string;
  tokens: number;
  text: string;
}

const nextNumber = `SELECT 1 + coalesce((SELECT max(number) FROM ledger_calls WHERE session_id = agent_sessions.id AND owner = agent_sessions.owner), 0) AS number
   FROM agent_sessions WHERE id = ? AND owner = ?`;

const insertCall =
  "INSERT INTO ledger_calls (session_id, number, owner, at, base, kept, pieces, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

const insertPiece =
  "INSERT INTO ledger_pieces (session_id, hash, owner, part, role, tokens, text) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";

/** How the store runs statements: in a write transaction, or as a read. */
export interface Access {
  write<T>(work: () => T): Promise<T>;
  read<T>(work: () => T): Promise<T>;
}

export function sqliteLedger(rows: SqliteRows, { write, read }: Access): Ledger {
  return {
    record: ({ sessionId, owner }, call, pieces) =>
      write(() => {
        const next = rows.prepare(nextNumber).get(sessionId, owner) as { number: number } | undefined;
        if (!next) return undefined;
        rows
          .prepare(insertCall)
          .run(
            sessionId,
            next.number,
            owner,
            call.at,
            call.base,
            call.kept,
            JSON.stringify(call.pieces),
            JSON.stringify(call.facts),
          );
        const insert = rows.prepare(insertPiece);
        for (const [hash, { part, role, tokens, text }] of pieces)
          insert.run(sessionId, hash, owner, part, role, tokens, text);
        return next.number;
      }),
    calls: ({ sessionId, owner }, { from = 1, to = Number.MAX_SAFE_INTEGER, limit = -1, newestFirst }) =>
      read(() => {
        const found = rows
          .prepare(
            `SELECT number, at, base, kept, pieces, facts FROM ledger_calls
             WHERE session_id = ? AND owner = ? AND number BETWEEN ? AND ?
             ORDER BY number ${newestFirst ? "DESC" : "ASC"} LIMIT ?`,
          )
          .all(sessionId, owner, from, to, limit);
        return rowsAs<SqlCall>(found).map(callFromSql);
      }),
    restore: ({ sessionId, owner }, calls, pieces) =>
      write(() => {
        const addCall = rows.prepare(`${insertCall} ON CONFLICT DO NOTHING`);
        for (const { number, at, base, kept, pieces: hashes, facts } of calls)
          addCall.run(
            sessionId,
            number,
            owner,
            at,
            base,
            kept,
            JSON.stringify(hashes),
            JSON.stringify(facts),
          );
        const addPiece = rows.prepare(insertPiece);
        for (const [hash, { part, role, tokens, text }] of pieces)
          addPiece.run(sessionId, hash, owner, part, role, tokens, text);
      }),
    pieces: ({ sessionId, owner }, hashes) =>
      read(() => {
        const found = rows
          .prepare(
            "SELECT hash, part, role, tokens, text FROM ledger_pieces WHERE session_id = ? AND owner = ? AND hash IN (SELECT value FROM json_each(?))",
          )
          .all(sessionId, owner, JSON.stringify(hashes));
        return new Map(rowsAs<SqlPiece>(found).map(({ hash, ...piece }) => [hash, piece]));
      }),
  };
}
