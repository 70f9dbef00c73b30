import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { storeError } from "../stores/sqlite-errors.ts";

/** What a row costs besides its texts: its header, its key in the indexes, its share of a page. */
const rowOverhead = 100;

/** Bytes by session, for all sessions of a database at once; only the lengths are read, not the texts. */
export function sqliteSessionSizes(path: string): Map<string, number> {
  return withDatabase(path, (database) => {
    const rows = database
      .prepare(
        `SELECT id, sum(bytes) AS bytes FROM (
           SELECT id, ${rowOverhead} + coalesce(octet_length(notepad), 0) AS bytes FROM agent_sessions
           UNION ALL
           SELECT session_id, ${rowOverhead} + octet_length(key) + coalesce(octet_length(value), 0) FROM session_records
           UNION ALL
           SELECT session_id, ${rowOverhead} + octet_length(operation) + octet_length(changes) + coalesce(octet_length(result), 0)
           FROM session_journal
         ) GROUP BY id`,
      )
      .all() as unknown as { id: string; bytes: number }[];
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  });
}

/** Gives the space of removed rows back to the disk, and leaves nothing of them in the file or its log. */
export function shrinkSqlite(path: string): { before: number; after: number } {
  const before = fileBytes(path);
  withDatabase(path, (database) => {
    database.exec("PRAGMA busy_timeout = 10000; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  });
  return { before, after: fileBytes(path) };
}

function fileBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
}

function withDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    return work(database);
  } catch (error) {
    throw storeError(error, path);
  } finally {
    database?.close();
  }
}
