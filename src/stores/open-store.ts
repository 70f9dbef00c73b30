import type { Store, StoreOptions } from "./store.ts";
import { parseStoreAddress } from "./store-address.ts";

/** A path or URL, or a store that is open already. */
export type StoreChoice = string | Store;

/**
 * Opens a store by its URL; a plain path is a SQLite file. The drivers are imported only when chosen,
 * so a program pays for none but its own.
 *
 * `sqlite:PATH[?synchronous=normal]`, `jsonl:DIRECTORY`, `postgres://…`, `memory:`
 */
export async function openStore(choice: StoreChoice, options: StoreOptions = {}): Promise<Store> {
  if (typeof choice !== "string") return choice;
  const address = parseStoreAddress(choice);
  switch (address.kind) {
    case "sqlite":
      return (await import("./sqlite/sqlite.ts")).sqliteStore({ ...address, ...options });
    case "jsonl":
      return (await import("./jsonl/jsonl.ts")).jsonlStore({ directory: address.path, ...options });
    case "postgres":
      return (await import("./postgres/postgres.ts")).postgresStore({ url: address.url, ...options });
    case "memory":
      return (await import("./memory.ts")).memoryStore();
  }
}
