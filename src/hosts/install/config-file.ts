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
import { diffLines } from "../../engine/diff.ts";
import { HoldfastError, isHoldfastError } from "../../errors.ts";

/** Larger files are not configs, and would be slow to edit. */
const maxBytes = 20_000_000;

/** A config file on disk. */
export interface ConfigFile {
  /** The real path, with all links resolved. */
  path: string;
  /** Undefined if there is no such file. */
  bytes: Buffer | undefined;
}

/** Reads a config file. Follows links, but in a project never out of it. */
export function readConfig(path: string, within?: string): ConfigFile {
  try {
    return readFile(path, within);
  } catch (error) {
    if (isHoldfastError(error)) throw error;
    const problem = `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw refused(path, problem, "Make it readable for you");
  }
}

function readFile(path: string, within: string | undefined): ConfigFile {
  const real = realTarget(path);
  if (within !== undefined && !isInside(real, realTarget(within))) {
    throw new HoldfastError(
      "invalid_input",
      `${path} leads out of the project, to ${real}. Nothing was changed. Replace the link with a file, or use --user.`,
      { data: { file: path } },
    );
  }
  const stat = statSync(real, { throwIfNoEntry: false });
  if (!stat) return { path: real, bytes: undefined };
  if (!stat.isFile()) throw refused(path, "is not a file");
  if (stat.size > maxBytes) throw refused(path, `has ${stat.size} bytes, which is too large for a config`);
  return { path: real, bytes: readFileSync(real) };
}

/** The text of a config. Throws if it is not UTF-8, because an edit would damage it. */
export function textOf({ path, bytes }: ConfigFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes ?? new Uint8Array());
  } catch {
    throw refused(path, "is not UTF-8 text");
  }
}

function refused(path: string, problem: string, next = "Repair it"): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${path} ${problem}. Nothing was changed. ${next} and run the command again.`,
    { data: { file: path } },
  );
}

/** The path with all links resolved, even if the file or its parent folders do not exist yet. */
export function realTarget(path: string): string {
  const full = resolve(path);
  if (existsSync(full)) return realpathSync(full);
  if (lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink()) throw refused(path, "is a broken link");
  const parent = dirname(full);
  return parent === full ? full : join(realTarget(parent), basename(full));
}

function isInside(path: string, folder: string): boolean {
  const route = relative(folder, path);
  return route !== ".." && !route.startsWith(`..${sep}`) && resolve(folder, route) === path;
}

/** Replaces a file atomically: readers, and a power failure, see the old or the new text. Returns the folders it made. */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): string[] {
  const made = makeFolders(dirname(path));
  const kept = statSync(path, { throwIfNoEntry: false })?.mode;
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}`);
  try {
    // `wx` does not follow a link that someone planted there.
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

/** Creates the missing folders; returns them, outermost first. */
export function makeFolders(path: string, mode = 0o777): string[] {
  if (existsSync(path)) return [];
  const above = makeFolders(dirname(path), mode);
  mkdirSync(path, { mode });
  return [...above, path];
}

/** Removes the folders that are empty, innermost first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // Not empty, or already gone.
    }
  }
}

/** One file before and after the change; undefined is a missing file. */
export interface FileChange {
  host: string;
  path: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
}

export function isChange({ before, after }: Pick<FileChange, "before" | "after">): boolean {
  return before === undefined || after === undefined ? before !== after : !before.equals(after);
}

/** Writes all changes or, if one fails, none. Returns the folders made for each path. */
export function writeChanges(changes: readonly FileChange[], mode: number): Map<string, string[]> {
  const made = new Map<string, string[]>();
  const done: FileChange[] = [];
  for (const change of changes) {
    try {
      checkUnchanged(change);
      made.set(change.path, write(change.path, change.after, mode));
      done.push(change);
    } catch (error) {
      for (const { path, before } of done.toReversed()) {
        write(path, before, mode);
        removeEmpty(made.get(path) ?? []);
      }
      throw new HoldfastError(
        "store_failed",
        `${change.path} could not be written: ${(error as Error).message}. Nothing was changed. Check what blocks it, and run the command again.`,
        { data: { file: change.path }, cause: error },
      );
    }
  }
  return made;
}

/** A host or the user may have written to the file since it was planned. */
function checkUnchanged({ path, before }: FileChange): void {
  const now = existsSync(path) ? readFileSync(path) : undefined;
  if (isChange({ before, after: now })) throw new Error("another program has just changed it");
}

function write(path: string, bytes: Buffer | undefined, mode: number): string[] {
  if (bytes !== undefined) return replaceFile(path, bytes, mode);
  rmSync(path, { force: true });
  return [];
}

/** Lines of context around a change. */
const contextLines = 2;

/** A change as lines that start with "+", "-" or a space, with context. */
export function diffOf({ before, after }: Pick<FileChange, "before" | "after">): string[] {
  const lines = diffLines(text(before), text(after));
  const near = (index: number) =>
    lines
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some(({ kind }) => kind !== "same");
  const shown: string[] = [];
  let skipped = false;
  for (const [index, { kind, text: line }] of lines.entries()) {
    if (near(index)) {
      if (skipped && shown.length > 0) shown.push("  …");
      shown.push(`${{ same: " ", added: "+", removed: "-" }[kind]} ${line.replace(/\r$/, "")}`);
    }
    skipped = !near(index);
  }
  return shown;
}

/** The change of the file, in one word. */
export function actionOf({ before, after }: Pick<FileChange, "before" | "after">): string {
  if (before === undefined) return after === undefined ? "unchanged" : "create";
  if (after === undefined) return "remove";
  return before.equals(after) ? "unchanged" : "change";
}

function text(bytes: Buffer | undefined): string {
  return (bytes ?? Buffer.alloc(0)).toString("utf8").replace(/^\ufeff/, "");
}
