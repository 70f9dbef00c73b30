import type { DatabaseSync } from "node:sqlite";

/** Bytes of the pages in use. */
export function usedBytes(database: Pick<DatabaseSync, "prepare">): number {
  const read = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
  return (read("page_count") - read("freelist_count")) * read("page_size");
}
