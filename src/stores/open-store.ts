import { HoldfastError } from "../errors.ts";
import type { Store, StoreOptions } from "./store.ts";

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
  const scheme = /^([a-z][a-z0-9+-]+):/.exec(choice)?.[1];
  switch (scheme) {
    case undefined:
      return (await import("./sqlite/sqlite.ts")).sqliteStore({ path: choice, ...options });
    case "sqlite": {
      const [path = "", query] = pathOf(choice, scheme).split("?");
      return (await import("./sqlite/sqlite.ts")).sqliteStore({
        path,
        ...readSynchronous(query),
        ...options,
      });
    }
    case "jsonl":
      return (await import("./jsonl/jsonl.ts")).jsonlStore({ directory: pathOf(choice, scheme), ...options });
    case "postgres":
    case "postgresql":
      return (await import("./postgres/postgres.ts")).postgresStore({ url: choice, ...options });
    case "memory":
      return (await import("./memory.ts")).memoryStore();
    default:
      throw new HoldfastError(
        "invalid_input",
        `There is no store for ${JSON.stringify(`${scheme}:`)}. Use a file path, sqlite:PATH, jsonl:DIRECTORY, postgres://… or memory:.`,
        { data: { store: choice } },
      );
  }
}

function pathOf(choice: string, scheme: string): string {
  const path = choice.slice(scheme.length + 1).replace(/^\/\/(?=\/)/, "");
  if (path !== "") return path;
  throw new HoldfastError("invalid_input", `${JSON.stringify(choice)} has no path. Write ${scheme}:PATH.`, {
    data: { store: choice },
  });
}

function readSynchronous(query: string | undefined): { synchronous?: "full" | "normal" } {
  if (query === undefined) return {};
  const mode = /^synchronous=(full|normal)$/.exec(query)?.[1];
  if (mode) return { synchronous: mode as "full" | "normal" };
  throw new HoldfastError(
    "invalid_input",
    `Unknown store option ${JSON.stringify(query)}. The one option is synchronous=full or synchronous=normal.`,
  );
}
