import { DatabaseSync } from "node:sqlite";
import { rowsAs } from "../sql-rows.ts";
import { storeError } from "./errors.ts";

/** Bytes per row besides its texts: header, index keys, unused page space. */
const rowOverhead = 60;

/** Caps the overhead charged to sessions, because the schema dominates a small file. */
const maxWaste = 1.5;

/** Bytes per session, for all sessions at once. Reads only lengths, not the texts. */
export function sqliteSessionSizes(path: string): Map<string, number> {
  return withDatabase(path, (database) => {
    const columns = rowsAs<{ owner: string; name: string }>(
      database
        .prepare(
          `SELECT t.name AS owner, c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
        )
        .all(),
    );
    const parts = [...Map.groupBy(columns, ({ owner }) => owner)].flatMap(([table, list]) => {
      const names = list.map(({ name }) => name);
      const id = names.find((name) => name === (table === "agent_sessions" ? "id" : "session_id"));
      if (id === undefined) return [];
      const lengths = names.map((name) => `coalesce(octet_length("${name}"), 0)`);
      return [`SELECT "${id}" AS id, ${rowOverhead} + ${lengths.join(" + ")} AS bytes FROM "${table}"`];
    });
    const rows = rowsAs<{ id: string; bytes: number }>(
      database
        .prepare(`SELECT id, sum(bytes) AS bytes FROM (${parts.join(" UNION ALL ")}) GROUP BY id`)
        .all(),
    );
    const sum = rows.reduce((total, { bytes }) => total + bytes, 0);
    const share = Math.min(maxWaste, Math.max(1, usedBytes(database) / sum));
    return new Map(rows.map(({ id, bytes }) => [id, Math.round(bytes * share)]));
  });
}

/** Bytes of the pages in use. */
export function usedBytes(database: Pick<DatabaseSync, "prepare">): number {
  const read = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
  return (read("page_count") - read("freelist_count")) * read("page_size");
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
