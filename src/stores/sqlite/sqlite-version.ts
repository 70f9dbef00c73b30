import type { DatabaseSync } from "node:sqlite";

/** The first version whose write-ahead log cannot be reset under a reader. */
const sound = [3, 51, 3];

export function sqliteVersion(database: DatabaseSync): string {
  return (database.prepare("SELECT sqlite_version() AS version").get() as { version: string }).version;
}

/** The warning for a SQLite version with a known bug; undefined when it has none. */
export function warningOfVersion(version: string): string | undefined {
  const parts = version.split(".").map(Number);
  const first = sound.findIndex((part, place) => part !== (parts[place] ?? 0));
  if (first === -1 || (parts[first] ?? 0) > (sound[first] ?? 0)) return undefined;
  return `SQLite ${version} has a bug that can, in rare cases, lose a commit when several processes write (fixed in ${sound.join(".")}). Use a newer Node.`;
}
