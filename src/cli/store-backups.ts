import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { parseObject } from "../engine/json.ts";
import type { SessionExport } from "../engine/session-document.ts";
import { shortHash } from "../engine/short-hash.ts";
import { readPart } from "../hosts/transcript/json-files.ts";
import { editCopy, parseCopy } from "../sessions/copy-session.ts";
import { editExport } from "../sessions/transfer.ts";
import { stateFolder } from "../state-folder.ts";
import { parseStoreAddress } from "../stores/open-store.ts";
import type { TextEdit } from "../stores/rewrite.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";
import { readSmallFile, writeSmallFile } from "../workspace/small-file.ts";
import { hidePassword, type StoreLocation } from "../workspace/store-location.ts";
import { visibleJson } from "./terminal/visible-text.ts";

interface Backups {
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

/** Edits the texts of exported sessions, so that they can still be imported, or else the text of the file. */
export function withTextsEdited(edit: TextEdit): (text: string) => Promise<string> {
  const editLine = async (line: string): Promise<string> => {
    const given = parseObject(line);
    if (given?.format !== "holdfast-copy") return edit(line);
    const copy = await parseCopy(given);
    const edited = await editCopy(copy, edit);
    return edited.hash === copy.hash ? line : JSON.stringify(edited);
  };
  return async (text) => {
    const document = parseObject(text);
    if (document?.format === "holdfast-session") {
      const edited = editExport(document as unknown as SessionExport, edit);
      return JSON.stringify(edited) === JSON.stringify(document) ? text : `${visibleJson(edited)}\n`;
    }
    const lines: string[] = [];
    // A line that something else has changed is text as well.
    for (const line of text.split("\n")) lines.push(await editLine(line).catch(() => edit(line)));
    return lines.join("\n");
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

/** Edits a backup: a database through the store, anything else as text. Returns whether it changed, and what went wrong. */
export async function editBackup(
  path: string,
  edit: (text: string) => string | Promise<string>,
  inStore: (store: Store) => Promise<boolean>,
): Promise<{ isChanged: boolean; problem?: string | undefined }> {
  try {
    if (isDatabase(path)) {
      const store = await sqliteStore({ path, onWarning: () => {} });
      try {
        const isChanged = await inStore(store);
        const [problem] = (await store.erase?.()) ?? [];
        return { isChanged, problem };
      } finally {
        await store.close();
      }
    }
    const before = readFileSync(path, "utf8");
    const after = await edit(before);
    if (after !== before) writeFileSync(path, after);
    return { isChanged: after !== before };
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, "");
    const problem = `${path} could not be edited and may still have it: ${reason}. Repair or delete the file, then run the same command again.`;
    return { isChanged: false, problem };
  }
}

function isDatabase(path: string): boolean {
  return readPart(path, { until: 16 })?.startsWith("SQLite format 3") ?? false;
}

/** A copy of a store, or of some of its sessions, that a command made. */
interface StoreCopy {
  /** The absolute path of a file, or the address of a store. */
  place: string;
  /** When it was made, as an ISO date. */
  at: string;
}

/** Older copies are forgotten. */
const maxCopies = 200;

/** Remembers where a copy went, so that a redaction can name it. In the user's state folder, not in the project. */
export function rememberCopy(store: string, place: string): void {
  const others = copiesMade(store).filter((copy) => copy.place !== place);
  const copies = [...others, { place, at: new Date().toISOString().slice(0, 10) }].slice(-maxCopies);
  try {
    mkdirSync(join(stateFolder(), "copies"), { recursive: true, mode: 0o700 });
    writeSmallFile(fileOf(store), { copies });
  } catch {
    // The copy itself was made; an unwritable state folder is not a reason to fail.
  }
}

/** The copies of a store that were remembered, oldest first. */
function copiesMade(store: string): StoreCopy[] {
  const copies = readSmallFile(fileOf(store))?.copies;
  if (!Array.isArray(copies)) return [];
  return copies.filter(
    (copy): copy is StoreCopy => typeof copy?.place === "string" && typeof copy.at === "string",
  );
}

/** The address of a store in one spelling. */
export function absoluteAddress(text: string): string {
  const address = parseStoreAddress(text);
  return "path" in address ? resolve(address.path) : text;
}

function fileOf(store: string): string {
  return join(stateFolder(), "copies", `${shortHash(absoluteAddress(store))}.json`);
}
