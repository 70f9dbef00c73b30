import type { Store, StoreOptions } from "./store.ts";
import { parseStoreAddress } from "./store-address.ts";

/** A path or URL, or an open store. */
export type StoreChoice = string | Store;

/**
 * Opens a store by its URL; a plain path is a SQLite file. Drivers are imported lazily, so a program loads only
 * the one it uses.
 *
 * `sqlite:PATH[?synchronous=normal]`, `postgres://…`, `memory:`
 */
export async function openStore(choice: StoreChoice, options: StoreOptions = {}): Promise<Store> {
  if (typeof choice !== "string") return choice;
  const address = parseStoreAddress(choice);
  switch (address.kind) {
    case "sqlite":
      return (await import("./sqlite/sqlite.ts")).sqliteStore({ ...address, ...options });
    case "postgres":
      return (await import("./postgres/postgres.ts")).postgresStore({ url: address.url, ...options });
    case "memory":
      return (await import("./memory.ts")).memoryStore();
  }
}
