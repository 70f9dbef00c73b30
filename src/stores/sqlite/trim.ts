import type { EntryAge } from "../../engine/retention.ts";
import { rowsAs } from "../sql-rows.ts";
import type { Trimming } from "../trim.ts";
import { usedBytes } from "./disk-space.ts";
import type { Access } from "./ledger.ts";
import type { SqliteRows } from "./session-rows.ts";

export function sqliteTrimming(rows: SqliteRows, { write, read }: Access): Trimming {
  return {
    oldest: ({ sessionId, owner }, limit) =>
      read(() =>
        rowsAs<EntryAge>(
          rows
            .prepare(
              "SELECT revision, at FROM session_journal WHERE session_id = ? AND owner = ? ORDER BY revision LIMIT ?",
            )
            .all(sessionId, owner, limit),
        ),
      ),
    dropEntries: ({ sessionId, owner }, before) =>
      write(() => {
        const removal = rows.prepare(
          "DELETE FROM session_journal WHERE session_id = ? AND owner = ? AND revision < ?",
        );
        return Number(removal.run(sessionId, owner, before).changes);
      }),
    dropCalls: ({ sessionId, owner }, { last, remove, rewrite, unused }) =>
      write(() => {
        const newest = rows
          .prepare("SELECT max(number) AS number FROM ledger_calls WHERE session_id = ? AND owner = ?")
          .get(sessionId, owner);
        if (newest?.number !== last) return false;
        const update = rows.prepare(
          "UPDATE ledger_calls SET base = 0, kept = 0, pieces = ? WHERE session_id = ? AND owner = ? AND number = ?",
        );
        for (const { number, pieces } of rewrite)
          update.run(JSON.stringify(pieces), sessionId, owner, number);
        rows
          .prepare(
            "DELETE FROM ledger_calls WHERE session_id = ? AND owner = ? AND number IN (SELECT value FROM json_each(?))",
          )
          .run(sessionId, owner, JSON.stringify(remove));
        rows
          .prepare(
            "DELETE FROM ledger_pieces WHERE session_id = ? AND owner = ? AND hash IN (SELECT value FROM json_each(?))",
          )
          .run(sessionId, owner, JSON.stringify(unused));
        return true;
      }),
    size: () => read(() => usedBytes(rows)),
  };
}
