import { statSync } from "node:fs";
import { type StoreLocation, sqliteFile } from "./store-location.ts";

/** Changes with every write to the database file; "" for a store that must be opened to detect a change. */
export function stampOf(store: StoreLocation): string {
  const file = sqliteFile(store);
  if (file === undefined) return "";
  // The WAL is next to the real file, not next to a symlink to it.
  const parts = [file, `${file}-wal`].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stat ? `${stat.mtimeNs}.${stat.size}` : "none";
  });
  return parts.join();
}
