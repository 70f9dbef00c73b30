import type { DatabaseSync } from "node:sqlite";

/** The first version that cannot reset the write-ahead log under a reader. */
const fixedIn = [3, 51, 3];

export function sqliteVersion(database: DatabaseSync): string {
  return (database.prepare("SELECT sqlite_version() AS version").get() as { version: string }).version;
}

/** The warning for a SQLite version with a known bug; undefined if it has none. */
export function warningOfVersion(version: string): string | undefined {
  const parts = version.split(".").map(Number);
  const first = fixedIn.findIndex((part, index) => part !== (parts[index] ?? 0));
  if (first === -1 || (parts[first] ?? 0) > (fixedIn[first] ?? 0)) return undefined;
  return `SQLite ${version} has a bug that can, in rare cases, lose a commit when several processes write (fixed in ${fixedIn.join(".")}). Use a newer Node.`;
}
