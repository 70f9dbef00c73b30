import { join, resolve } from "node:path";
import { shortHash } from "../engine/short-hash.ts";
import { stateFolder } from "../state-folder.ts";
import { parseStoreAddress } from "../stores/store-address.ts";
import { makeFolder, readSmallFile, writeSmallFile } from "./small-file.ts";

/** A copy of a store, or of some of its sessions, that a command made. */
export interface StoreCopy {
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
    makeFolder(stateFolder());
    makeFolder(join(stateFolder(), "copies"));
    writeSmallFile(fileOf(store), { copies });
  } catch {
    // The copy itself was made; an unwritable state folder is not a reason to fail.
  }
}

/** The copies of a store that were remembered, oldest first. */
export function copiesMade(store: string): StoreCopy[] {
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
