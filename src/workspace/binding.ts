import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { hmacSha256, isSameMac } from "../engine/hmac.ts";
import { isObject } from "../engine/json.ts";
import { readSmallFile, writeSmallFile } from "./small-file.ts";
import { stateDirectory } from "./user-state.ts";

/**
 * Proves that this user, on this machine, made or accepted a `.holdfast` folder. The proof is a keyed hash; the key is
 * in the user's state folder, so a repository cannot bring a valid one. It names no path: a moved checkout stays bound.
 */
export interface Binding {
  /** Random. */
  id: string;
  /** Tracked files that the user accepted, with the ids of their contents; a new version needs a new acceptance. */
  accepted: Record<string, string>;
  /** The address of a store outside the folder that a config from the repository names, and that the user accepted. */
  store?: string | undefined;
}

const keyBytes = 32;

export function bindingFile(directory: string): string {
  return join(directory, "binding.json");
}

/** The valid binding of a folder. */
export function readBinding(directory: string): Binding | undefined {
  const value = readSmallFile(bindingFile(directory));
  if (!value || typeof value.id !== "string" || typeof value.mac !== "string" || !isObject(value.accepted))
    return undefined;
  const accepted = Object.fromEntries(
    Object.entries(value.accepted).flatMap(([path, oid]) => (typeof oid === "string" ? [[path, oid]] : [])),
  );
  const store = typeof value.store === "string" ? value.store : undefined;
  const binding = { id: value.id, accepted, store };
  const key = readKey();
  if (!key) return undefined;
  return isSameMac(value.mac, macOf(binding, key)) ? binding : undefined;
}

/** Binds a folder to this user; replaces what an earlier binding accepted. */
export function writeBinding(directory: string, accepted: Omit<Binding, "id"> = { accepted: {} }): void {
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const id = readBinding(directory)?.id ?? randomBytes(16).toString("hex");
  const binding: Binding = { id, ...accepted };
  const mac = macOf(binding, readKey() ?? makeKey());
  writeSmallFile(bindingFile(directory), { version: 1, ...binding, mac });
}

/** A seal that only this user can make, for a file beside the store whose text an agent is shown. */
export function sealOf(text: string): string {
  return hmacSha256(readKey() ?? makeKey(), JSON.stringify(["holdfast file", 1, text]));
}

function macOf({ id, accepted, store }: Binding, key: Buffer): string {
  const paths = Object.entries(accepted).sort(([a], [b]) => (a < b ? -1 : 1));
  return hmacSha256(key, JSON.stringify(["holdfast workspace", 1, id, paths, store ?? null]));
}

function keyFile(): string {
  return join(stateDirectory(), "key");
}

/** A key that others can read, or that is not the user's own file, is not used. */
function readKey(): Buffer | undefined {
  let file: number | undefined;
  try {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    file = openSync(keyFile(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { mode, uid, size, isFile } = statOf(file);
    const isPrivate = process.platform === "win32" || (mode & 0o077) === 0;
    if (!isFile || !isPrivate || uid !== (process.getuid?.() ?? uid) || size !== keyBytes) return undefined;
    const key = Buffer.alloc(keyBytes);
    return readSync(file, key, 0, keyBytes, 0) === keyBytes ? key : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function statOf(file: number) {
  const stat = fstatSync(file);
  return { mode: stat.mode, uid: stat.uid, size: stat.size, isFile: stat.isFile() };
}

/** Two processes may make the key at once: the first one wins. */
function makeKey(): Buffer {
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  mkdirSync(stateDirectory(), { recursive: true, mode: 0o700 });
  const key = randomBytes(keyBytes);
  const { linkSync, rmSync } = process.getBuiltinModule("node:fs");
  // Written under another name first, so that no process reads half of a key.
  const temporary = `${keyFile()}.${process.pid}.${randomBytes(6).toString("hex")}`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeSync(file, key);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(temporary, keyFile());
    return key;
  } catch (error) {
    const existing = readKey();
    if (!existing) throw error;
    return existing;
  } finally {
    rmSync(temporary, { force: true });
  }
}
