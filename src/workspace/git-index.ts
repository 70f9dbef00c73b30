import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readRegularFile } from "../stores/regular-file.ts";

/** A file that Git tracks, and the id of its content. */
export interface TrackedFile {
  path: string;
  oid: string;
}

export interface GitIndex {
  /** The tracked files at or below a folder, by their path from that folder; "" for the folder itself. */
  below(folder: string): TrackedFile[];
}

/** The work tree that contains a folder. */
export interface WorkTree {
  root: string;
  /** Undefined if the index cannot be read: damaged, too large, or of an unknown version. */
  index: GitIndex | undefined;
}

const maxIndexBytes = 256_000_000;

/** Finds the Git work tree of a folder and reads its index, without starting Git: hooks have no time for that. */
export function findWorkTree(folder: string): WorkTree | undefined {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const git = join(root, ".git");
    if (existsSync(git)) return { root, index: readIndex(root, gitDirectory(git)) };
    if (root === dirname(root)) return undefined;
  }
}

/** `.git` is a folder, or a file that names one (worktrees, submodules). */
function gitDirectory(git: string): string {
  if (statSync(git, { throwIfNoEntry: false })?.isDirectory()) return git;
  const text = readRegularFile(git, { maxBytes: 10_000 })?.toString("utf8") ?? "";
  const [, target = ""] = /^gitdir: (.+)$/m.exec(text) ?? [];
  return resolve(dirname(git), target.trimEnd());
}

function readIndex(root: string, directory: string): GitIndex | undefined {
  const path = join(directory, "index");
  if (!existsSync(path)) return indexOf(root, []);
  const hashBytes = usesSha256(directory) ? 32 : 20;
  const bytes = readRegularFile(path, { maxBytes: maxIndexBytes });
  if (!bytes) return undefined;
  // Files of earlier split indexes may be left over, so their names do not say whether this one is split.
  const mayBeSplit = namesOf(directory).some((name) => name.startsWith("sharedindex."));
  const base = mayBeSplit ? baseOf(bytes, hashBytes) : undefined;
  if (base === undefined) return indexOf(root, [bytes], hashBytes);
  const shared = readRegularFile(join(directory, `sharedindex.${base}`), { maxBytes: maxIndexBytes });
  return shared && indexOf(root, [bytes, shared], hashBytes);
}

/** The id of the shared part of a split index. What the index removed from it still counts as tracked. */
function baseOf(data: Buffer, hashBytes: number): string | undefined {
  const version = versionOf(data);
  if (version === undefined) return undefined;
  let offset = 12;
  for (const { end } of entries(data, version, hashBytes)) offset = end;
  while (offset + 8 + hashBytes <= data.length) {
    const start = offset + 8;
    if (data.toString("latin1", offset, offset + 4) === "link")
      return data.toString("hex", start, start + hashBytes);
    offset = start + data.readUInt32BE(offset + 4);
  }
  return undefined;
}

function indexOf(root: string, parts: readonly Buffer[], hashBytes = 20): GitIndex | undefined {
  if (parts.some((part) => versionOf(part) === undefined)) return undefined;
  return {
    below: (folder) => {
      const prefix = relative(root, folder).split(sep).join("/");
      return parts.flatMap((part) => entriesBelow(part, prefix, hashBytes));
    },
  };
}

function usesSha256(directory: string): boolean {
  // A linked worktree's config is in the main repository's folder.
  const common = readRegularFile(join(directory, "commondir"), { maxBytes: 10_000 })?.toString("utf8");
  const home = common === undefined ? directory : resolve(directory, common.trim());
  const config = readRegularFile(join(home, "config"), { maxBytes: 1_000_000 })?.toString("utf8") ?? "";
  return /^[ \t]*objectformat[ \t]*=[ \t]*sha256[ \t\r]*$/im.test(config);
}

function namesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** 2, 3 or 4; undefined for anything else. */
function versionOf(data: Buffer): number | undefined {
  if (data.length < 12 || data.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = data.readUInt32BE(4);
  return version >= 2 && version <= 4 ? version : undefined;
}

function entriesBelow(data: Buffer, prefix: string, hashBytes: number): TrackedFile[] {
  const version = versionOf(data);
  // Versions 2 and 3 contain every path in full, so a search is enough for most repositories.
  if (version === undefined || (version < 4 && !data.includes(prefix))) return [];
  const found: TrackedFile[] = [];
  for (const { path, oid } of entries(data, version, hashBytes)) {
    if (path === prefix) found.push({ path: "", oid });
    else if (prefix === "" || path.startsWith(`${prefix}/`))
      found.push({ path: prefix === "" ? path : path.slice(prefix.length + 1), oid });
  }
  return found;
}

/** The bytes of an entry before its object id. */
const statBytes = 40;
const extendedFlag = 0x4000;

/** The entries, each with the offset of the next. */
function* entries(
  data: Buffer,
  version: number,
  hashBytes: number,
): Generator<TrackedFile & { end: number }> {
  const count = data.readUInt32BE(8);
  let offset = 12;
  let previous = Buffer.alloc(0);
  for (let number = 0; number < count; number++) {
    const start = offset;
    const flagsAt = start + statBytes + hashBytes;
    if (flagsAt + 2 > data.length) return;
    const oid = data.toString("hex", start + statBytes, flagsAt);
    const isExtended = (data.readUInt16BE(flagsAt) & extendedFlag) !== 0;
    let nameAt = flagsAt + (isExtended ? 4 : 2);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const [stripped, next] = readVariable(data, nameAt);
      kept = previous.subarray(0, Math.max(0, previous.length - stripped));
      nameAt = next;
    }
    const end = data.indexOf(0, nameAt);
    if (end === -1) return;
    const name = Buffer.concat([kept, data.subarray(nameAt, end)]);
    previous = name;
    // Up to version 3, entries are padded with NULs to a multiple of eight bytes.
    offset = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
    yield { path: name.toString("utf8"), oid, end: offset };
  }
}

/** A number as in pack files: seven bits per byte, and each further byte adds one. */
function readVariable(data: Buffer, start: number): [value: number, next: number] {
  let offset = start;
  let byte = data[offset++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = data[offset++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return [value, offset];
}
