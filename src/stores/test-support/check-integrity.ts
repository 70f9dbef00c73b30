import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";

/** Fails unless SQLite finds no damage in the file. */
export function checkIntegrity(path: string, message?: string): void {
  const database = new DatabaseSync(path);
  try {
    const found = database.prepare("PRAGMA integrity_check").all();
    assert.deepEqual(
      found.map((row) => row.integrity_check),
      ["ok"],
      message,
    );
  } finally {
    database.close();
  }
}
