/** Starts to change a schema, gets part of it onto the disk, and dies. */
import { DatabaseSync } from "node:sqlite";

const { path, sql, commits } = JSON.parse(process.argv[2] ?? "{}") as {
  path: string;
  sql: string;
  commits: boolean;
};
const database = new DatabaseSync(path);
// A tiny cache makes the transaction spill to the write-ahead log before it commits.
database.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; PRAGMA cache_spill = 1");
database.exec("BEGIN IMMEDIATE");
database.exec(sql);
if (commits) database.exec("COMMIT");
process.kill(process.pid, "SIGKILL");
