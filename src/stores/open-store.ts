import { HoldfastError } from "../errors.ts";
import type { Store, StoreOptions } from "./store.ts";

/** A parsed store address: a plain path is a SQLite file, everything else is a URL. */
export type StoreAddress =
  | { kind: "sqlite"; path: string; synchronous?: "full" | "normal" }
  | { kind: "postgres"; url: string }
  | { kind: "memory" };

/**
 * Parses `PATH`, `sqlite:PATH[?synchronous=normal]`, `postgres://…` or `memory:`. Does not
 * resolve relative paths; the caller decides the base directory.
 */
export function parseStoreAddress(text: string): StoreAddress {
  // At least two letters, because "C:\memory.db" is a path.
  const scheme = /^([a-z][a-z0-9+-]+):/.exec(text)?.[1];
  switch (scheme) {
    case undefined:
      return { kind: "sqlite", path: text };
    case "sqlite":
      return parseSqlite(text, pathIn(text, scheme));
    case "postgres":
    case "postgresql":
      return { kind: "postgres", url: text };
    case "memory":
      return { kind: "memory" };
    default:
      throw new HoldfastError(
        "invalid_input",
        `There is no store for ${JSON.stringify(`${scheme}:`)}. Use a file path, sqlite:PATH, postgres://… or memory:.`,
        { data: { store: text } },
      );
  }
}

/** The inverse of `parseStoreAddress`. The path must be absolute or `:memory:`. */
export function formatStoreAddress(address: StoreAddress): string {
  switch (address.kind) {
    case "sqlite":
      return address.synchronous === undefined
        ? address.path
        : `sqlite:${address.path}?synchronous=${address.synchronous}`;
    case "postgres":
      return address.url;
    case "memory":
      return "memory:";
  }
}

function pathIn(text: string, scheme: string): string {
  const path = text.slice(scheme.length + 1).replace(/^\/\/(?=\/)/, "");
  if (path !== "" && !path.startsWith("?")) return path;
  throw new HoldfastError("invalid_input", `${JSON.stringify(text)} has no path. Write ${scheme}:PATH.`, {
    data: { store: text },
  });
}

function parseSqlite(text: string, pathAndOption: string): StoreAddress {
  // The last one, because a directory name may contain a question mark.
  const separator = pathAndOption.lastIndexOf("?");
  if (separator === -1) return { kind: "sqlite", path: pathAndOption };
  const [path, option] = [pathAndOption.slice(0, separator), pathAndOption.slice(separator + 1)];
  if (option === "synchronous=full") return { kind: "sqlite", path, synchronous: "full" };
  if (option === "synchronous=normal") return { kind: "sqlite", path, synchronous: "normal" };
  throw new HoldfastError(
    "invalid_input",
    `Unknown store option ${JSON.stringify(option)}. The only option is synchronous=full or synchronous=normal.`,
    { data: { store: text } },
  );
}

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
