import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../../errors.ts";

/** Larger files are no config, and would be slow to edit. */
const mostBytes = 20_000_000;

/** A config file as it is on the disk. */
export interface ConfigFile {
  /** Where it really is, behind every link. */
  path: string;
  /** Its bytes; undefined when there is no such file. */
  bytes: Buffer | undefined;
}

/** Reads a config file. A link is followed, but in a project never out of it. */
export function readConfig(path: string, within?: string): ConfigFile {
  const real = realTarget(path);
  if (within !== undefined && !isInside(real, realTarget(within))) {
    throw new HoldfastError(
      "invalid_input",
      `${path} leads out of the project, to ${real}. Nothing was changed. Replace the link by a file, or use --user.`,
      { data: { file: path } },
    );
  }
  const stat = statSync(real, { throwIfNoEntry: false });
  if (!stat) return { path: real, bytes: undefined };
  if (!stat.isFile()) throw refused(path, "is no file");
  if (stat.size > mostBytes) throw refused(path, `has ${stat.size} bytes, which is too large for a config`);
  return { path: real, bytes: readFileSync(real) };
}

/** The text of a config; one that is not UTF-8 would be damaged by an edit. */
export function textOf({ path, bytes }: ConfigFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw refused(path, "is not UTF-8 text");
  }
}

function refused(path: string, problem: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${path} ${problem}. Nothing was changed. Repair it and run the command again.`,
    { data: { file: path } },
  );
}

/** The path without links, also when the file or folders above it are not there yet. */
function realTarget(path: string): string {
  const full = resolve(path);
  if (existsSync(full)) return realpathSync(full);
  if (lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink())
    throw refused(path, "is a link that leads nowhere");
  const parent = dirname(full);
  return parent === full ? full : join(realTarget(parent), basename(full));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

/** Replaces a file in one step: a reader and a power cut see the old text or the new one. Returns the folders it made. */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): string[] {
  const made = makeFolders(dirname(path));
  const kept = statSync(path, { throwIfNoEntry: false })?.mode;
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}`);
  try {
    // `wx` follows no link that somebody has put there.
    const file = openSync(temporary, "wx", mode);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (kept !== undefined) chmodSync(temporary, kept & 0o7777);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    removeEmpty(made);
    throw error;
  }
  return made;
}

/** Makes the missing folders; returns them, outermost first. */
export function makeFolders(path: string, mode = 0o777): string[] {
  if (existsSync(path)) return [];
  const above = makeFolders(dirname(path), mode);
  mkdirSync(path, { mode });
  return [...above, path];
}

/** Removes those of the folders that are empty, innermost first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // Something else is in it, or it is gone: both are fine.
    }
  }
}
