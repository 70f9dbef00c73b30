import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { shortHash } from "../../engine/short-hash.ts";
import { HoldfastError } from "../../errors.ts";
import { projectFolder } from "../../state-folder.ts";
import { defaultPath } from "./location.ts";

/** People read and edit the file, and the Markdown parser takes two milliseconds for each kilobyte. */
const maxBytes = 500_000;

/** The location of a project's NOTES.md. */
export interface NotesFile {
  /** The project's directory, with links resolved. */
  root: string;
  /** The file's absolute path. */
  path: string;
  /** The path relative to the root, with forward slashes. */
  name: string;
}

/** Locates a project's NOTES.md, whether or not it exists. */
export function locateNotes(root: string, chosen = defaultPath): NotesFile {
  const real = realRoot(root);
  if (chosen === "" || chosen.includes("\u0000")) throw refused(chosen, "is not a valid path");
  const absolute = isAbsolute(chosen) ? underRealRoot(root, real, chosen) : resolve(real, chosen);
  const name = relative(real, absolute);
  if (name === "" || name.startsWith("..") || isAbsolute(name))
    throw refused(chosen, "is outside the project");
  return { root: real, path: absolute, name: name.split(sep).join("/") };
}

function realRoot(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (cause) {
    throw new HoldfastError(
      "invalid_input",
      `The project directory ${root} cannot be opened: ${(cause as Error).message}. Use an existing directory.`,
      { cause },
    );
  }
}

function underRealRoot(root: string, real: string, path: string): string {
  const inside = relative(resolve(root), path);
  return inside.startsWith("..") || isAbsolute(inside) ? path : join(real, inside);
}

/** The file's bytes and stats; undefined if it does not exist. */
export function readNotesFile(file: NotesFile): { bytes: Buffer; stats: Stats } | undefined {
  if (!checkPath(file)) return undefined;
  return inParent(file, "read", (parent) => {
    let descriptor: number;
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      descriptor = openSync(join(parent, basename(file.path)), flags);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw refused(file.name, "is not a regular file");
      if (stats.size > maxBytes) throw tooLarge(file, stats.size);
      return { bytes: readFileSync(descriptor), stats };
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Replaces the file atomically: readers see the old or the new one. Call it with the lock held. */
export function writeNotesFile(file: NotesFile, text: string): void {
  checkPath(file);
  try {
    mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failed(file.name, "written", error);
  }
  const mode = (checkPath(file)?.mode ?? 0o600) & 0o777;
  // Renaming over it would ignore its mode, so respect a read-only file here.
  if ((mode & 0o222) === 0) {
    throw new HoldfastError(
      "store_read_only",
      `${file.name} is read-only. Nothing was changed; make it writable (chmod u+w) and try again.`,
      { data: { path: file.path } },
    );
  }
  inParent(file, "written", (parent, directory) => {
    removeLeftovers(parent);
    const temporary = join(parent, `.NOTES.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
    try {
      writeNewFile(temporary, text, mode);
      renameSync(temporary, join(parent, basename(file.path)));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    if (directory !== undefined) fsyncSync(directory);
  });
}

function writeNewFile(path: string, text: string, mode: number): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const descriptor = openSync(path, flags, 0o600);
  try {
    writeFileSync(descriptor, text);
    fchmodSync(descriptor, mode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Runs the work in the file's directory through an open descriptor: if another process replaces the directory with a
 * link, the work still happens in the directory that was checked. Falls back to the path without /proc/self/fd.
 */
function inParent<T>(file: NotesFile, what: string, work: (parent: string, directory?: number) => T): T {
  const path = dirname(file.path);
  try {
    // Windows cannot open directories.
    if (process.platform === "win32") return work(path);
    const directory = openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    try {
      const open = `/proc/self/fd/${directory}`;
      const parent = existsSync(open) ? open : path;
      if (realpathSync.native(parent) !== path) throw refused(file.name, "goes through a link");
      return work(parent, directory);
    } finally {
      closeSync(directory);
    }
  } catch (error) {
    throw error instanceof HoldfastError ? error : failed(file.name, what, error);
  }
}

/** Removes the temporary files of killed writers. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent))
    if (/^\.NOTES\.\d+\.[a-z0-9]+\.tmp$/.test(name)) rmSync(join(parent, name), { force: true });
}

/** Refuses links between the root and the file; returns the file's stats, or undefined if it does not exist. */
function checkPath(file: NotesFile): Stats | undefined {
  let path = file.root;
  for (const part of file.name.split("/")) {
    path = join(path, part);
    let stats: Stats;
    try {
      stats = lstatSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw failed(file.name, "read", error);
    }
    if (stats.isSymbolicLink())
      throw refused(file.name, `goes through a link (${relative(file.root, path)})`);
    if (path === file.path && !stats.isFile()) throw refused(file.name, "is not a regular file");
    if (path === file.path) return stats;
  }
  return undefined;
}

function refused(path: string, why: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${JSON.stringify(path)} ${why}, so Holdfast does not use it. Use a regular file inside the project.`,
    { data: { path } },
  );
}

function tooLarge({ name, path }: NotesFile, bytes: number): HoldfastError {
  return new HoldfastError(
    "over_limit",
    `${name} has ${bytes} bytes, and the limit is ${maxBytes}. Nothing was changed. Move old parts of it to another file.`,
    { data: { path, bytes, limit: maxBytes } },
  );
}

/** A failure of the file system, with what to do about it. */
function failed(name: string, what: string, cause: unknown): HoldfastError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  const full = code === "ENOSPC" || /disk is full/i.test(message);
  const readOnly = ["EACCES", "EPERM", "EROFS"].includes(code) || /read-?only|unable to open/i.test(message);
  return new HoldfastError(
    full ? "store_full" : readOnly ? "store_read_only" : "store_failed",
    `${name} could not be ${what}: ${full ? "the disk is full" : message}. Nothing was changed; ${full ? "free some disk space" : "check the file and the directory it is in"}.`,
    { data: { path: name }, cause },
  );
}

/** Reads the file as text and refuses to lose bytes that are not UTF-8. */
export function textOf(file: NotesFile, bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const line = badLine(bytes);
  if (line === undefined) return text;
  throw new HoldfastError(
    "invalid_input",
    `${file.name} is not valid UTF-8 on line ${line}. Nothing was changed; save the file as UTF-8 and try again.`,
    { data: { path: file.path, line } },
  );
}

/** The first line, from 1, that is not valid UTF-8; undefined if all are. */
export function badLine(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  let start = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(10, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

/** The folder of the lock of a project's NOTES.md, outside the repository. */
export function notesFolder(root: string): string {
  // Worktrees share the project's folder, and each has its own notes.
  return join(projectFolder(root), "notes", shortHash(existsSync(root) ? realpathSync.native(root) : root));
}

const lockTimeoutMilliseconds = 10_000;

/**
 * Runs the work while no other process changes the notes. It locks a SQLite database: the operating system releases
 * the lock when its holder dies, so locks never become stale.
 */
export function holdLock<T>(file: NotesFile, work: () => T): T {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(lockPath(file));
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMilliseconds}; BEGIN IMMEDIATE`);
  } catch (cause) {
    database?.close();
    if (!/locked|busy/i.test((cause as Error).message)) throw failed(notesFolder(file.root), "locked", cause);
    throw new HoldfastError(
      "store_busy",
      `Another process has locked ${file.name} for more than ${lockTimeoutMilliseconds / 1000} seconds. Nothing was changed; try again.`,
      { cause },
    );
  }
  try {
    return work();
  } finally {
    database.close();
  }
}

function lockPath(file: NotesFile): string {
  const directory = notesFolder(file.root);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw failed(directory, "written", cause);
  }
  return join(directory, "lock");
}
