import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import { chosenStore, openChosenMemory, type StoreOptions } from "./arguments.ts";

/** The chosen memory for a command that looks at what is there: it never makes an empty one by the way. */
export async function openExistingMemory(values: StoreOptions): Promise<Memory> {
  const store = chosenStore(values);
  const place = sqlitePath(store) ?? /^jsonl:(?:\/\/(?=\/))?(.+)$/.exec(store)?.[1];
  if (place !== undefined && !existsSync(place)) {
    throw new HoldfastError(
      "not_found",
      `There is no memory at ${resolve(place)} yet. Run "holdfast init" in the project, or name one with --db or --store.`,
      { data: { store } },
    );
  }
  return openChosenMemory(values);
}

/** The file of a SQLite store; undefined for every other store. */
export function sqlitePath(store: string): string | undefined {
  const path = /^(?:sqlite:(?:\/\/(?=\/))?|(?![a-z][a-z0-9+-]+:))([^?]+)/.exec(store)?.[1];
  return path === ":memory:" ? undefined : path;
}
