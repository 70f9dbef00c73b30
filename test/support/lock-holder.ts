/** Holds a lock on a SQLite file until it is told to stop. ARGS: the path, then the statement that takes the lock. */
import { DatabaseSync } from "node:sqlite";

const [path = "", statement = "BEGIN IMMEDIATE"] = JSON.parse(process.argv[2] ?? "[]") as string[];
const database = new DatabaseSync(path);
database.exec("PRAGMA busy_timeout = 10000");
database.exec(statement);
console.log("locked");
process.stdin.once("data", () => {
  database.exec("ROLLBACK");
  database.close();
  console.log("free");
  process.exit(0);
});
