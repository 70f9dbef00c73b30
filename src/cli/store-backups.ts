import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";
import { copiesMade } from "../workspace/copies.ts";
import { hidePassword, type StoreLocation } from "../workspace/store-location.ts";

export interface Backups {
  /** Files that can be edited. */
  files: string[];
  /** The steps by hand, one line each. */
  remaining: string[];
}

/** Copies next to a store, those that export and migrate made elsewhere, and those that the user names. */
export function backupsOf({ file, url }: StoreLocation, named: readonly string[]): Backups {
  const remaining: string[] = [];
  const elsewhere = copiesMade(url).flatMap(({ place, at }) => {
    if (isAbsolute(place)) return existsSync(place) ? [place] : [];
    const store = hidePassword(place);
    remaining.push(`Not reached: the copy of ${at} in ${store}. Run holdfast forget --store ${store}.`);
    return [];
  });
  const given = named.map((path) => resolve(path));
  return { files: [...new Set([...findBackups(file), ...elsewhere, ...given])], remaining };
}

/** Removes the documents of these sessions from a text of exported ones. */
export function withoutSessions(ids: readonly string[]): (text: string) => string {
  const isGone = (text: string): boolean => {
    try {
      const { row, session } = JSON.parse(text) as { row?: { id?: string }; session?: { id?: string } };
      return ids.includes(row?.id ?? session?.id ?? "");
    } catch {
      return false;
    }
  };
  return (text) => {
    if (isGone(text)) return "";
    return text
      .split("\n")
      .filter((line) => !isGone(line))
      .join("\n");
  };
}

/** Copies of a store next to it: `memory.db.bak`, `memory.db.2026-11-16`. Not its log and its locks. */
export function findBackups(file: string): string[] {
  if (file === "" || !statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory()) return [];
  const own = [`${basename(file)}-wal`, `${basename(file)}-shm`, `${basename(file)}-erase`];
  return readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}.`) || name.startsWith(`${basename(file)}-`))
    .filter((name) => !own.includes(name))
    .map((name) => join(dirname(file), name))
    .filter((path) => statSync(path).isFile());
}

/** Edits a backup: a database through the store, anything else as text. Returns what went wrong, or undefined. */
export async function editBackup(
  path: string,
  edit: (text: string) => string,
  inStore: (store: Store) => Promise<unknown>,
): Promise<string | undefined> {
  try {
    if (isDatabase(path)) {
      const store = await sqliteStore({ path, onWarning: () => {} });
      try {
        await inStore(store);
        const remaining = (await store.erase?.()) ?? [];
        return remaining[0];
      } finally {
        await store.close();
      }
    }
    const before = readFileSync(path, "utf8");
    const after = edit(before);
    if (after !== before) writeFileSync(path, after);
    return undefined;
  } catch (error) {
    return `${path} could not be edited: ${(error as Error).message}`;
  }
}

function isDatabase(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(16);
    readSync(file, head, 0, 16, 0);
    return head.toString("latin1").startsWith("SQLite format 3");
  } finally {
    closeSync(file);
  }
}
