/** Begins to make a schema in a database, gets some of it to the disk, and dies. */
import { DatabaseSync } from "node:sqlite";

const { path, schema, commits } = JSON.parse(process.argv[2] ?? "{}") as {
  path: string;
  schema: string;
  commits: boolean;
};
const database = new DatabaseSync(path);
// No room in memory: what the transaction changes goes to the write-ahead log before it is committed.
database.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 1; PRAGMA cache_spill = 1");
database.exec("BEGIN IMMEDIATE");
database.exec(schema);
if (commits) database.exec("COMMIT");
process.kill(process.pid, "SIGKILL");
