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
import { HoldfastError } from "../../../errors.ts";
import { usualPaths } from "./places.ts";

/** Where a project keeps its NOTES.md. */
export interface NotesFile {
  /** The project's directory, links resolved. */
  root: string;
  /** The file's absolute path. */
  path: string;
  /** The same, from the root, with slashes. */
  name: string;
}

/** The NOTES.md of a project: the one that is asked for, the one that exists, or where a new one would go. */
export function locateNotes(root: string, path?: string): NotesFile {
  const real = realRoot(root);
  const chosen = path ?? usualPaths.find((each) => existsSync(join(real, each))) ?? usualPaths.at(-1) ?? "";
  if (chosen === "" || chosen.includes("\u0000")) throw refused(chosen, "is no path");
  const absolute = isAbsolute(chosen) ? underRealRoot(root, real, chosen) : resolve(real, chosen);
  const name = relative(real, absolute);
  if (name === "" || name.startsWith("..") || isAbsolute(name))
    throw refused(chosen, "is outside the project");
  return { root: real, path: absolute, name: name.split(sep).join("/") };
}

/** The nearest directory upwards that has notes, our folder or a repository; the given one when there is none. */
export function findProjectRoot(from: string): string {
  const isRoot = (directory: string) =>
    [".git", ".holdfast", "grimoires/loa/NOTES.md"].some((each) => existsSync(join(directory, each)));
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    if (isRoot(directory)) return directory;
    if (dirname(directory) === directory) return from;
  }
}

function realRoot(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (cause) {
    throw new HoldfastError(
      "invalid_input",
      `The project directory ${root} cannot be opened: ${(cause as Error).message}. Name one that exists.`,
      { cause },
    );
  }
}

function underRealRoot(root: string, real: string, path: string): string {
  const given = resolve(root);
  const inside = relative(given, path);
  return inside.startsWith("..") || isAbsolute(inside) ? path : join(real, inside);
}

/** The file's bytes and what the system says of it; undefined when there is none. */
export function readNotesFile(file: NotesFile): { bytes: Buffer; stats: Stats } | undefined {
  if (!checkPlace(file)) return undefined;
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
      if (!stats.isFile()) throw refused(file.name, "is no ordinary file");
      return { bytes: readFileSync(descriptor), stats };
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Replaces the file in one step: whoever reads sees the old one or the new one. To be called with the lock held. */
export function writeNotesFile(file: NotesFile, text: string): void {
  checkPlace(file);
  try {
    mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failed(file, "written", error);
  }
  const mode = (checkPlace(file)?.mode ?? 0o600) & 0o777;
  // A new file in its place would not ask; whoever took the right to write away meant it.
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
 * Runs the work in the file's directory, held open: if somebody puts a link in its place meanwhile, the work still
 * happens in the directory that was checked. Where the system cannot name an open directory, its path is used.
 */
function inParent<T>(file: NotesFile, what: string, work: (parent: string, directory?: number) => T): T {
  const path = dirname(file.path);
  try {
    // Windows opens no directories.
    if (process.platform === "win32") return work(path);
    const directory = openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    try {
      const held = `/proc/self/fd/${directory}`;
      const parent = existsSync(held) ? held : path;
      if (realpathSync.native(parent) !== path) throw refused(file.name, "leads through a link");
      return work(parent, directory);
    } finally {
      closeSync(directory);
    }
  } catch (error) {
    throw error instanceof HoldfastError ? error : failed(file, what, error);
  }
}

/** What a writer that was killed left behind. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent))
    if (/^\.NOTES\.\d+\.[a-z0-9]+\.tmp$/.test(name)) rmSync(join(parent, name), { force: true });
}

/** Refuses links on the way from the root to the file; what is there, or undefined when nothing is. */
function checkPlace(file: NotesFile): Stats | undefined {
  let place = file.root;
  for (const part of file.name.split("/")) {
    place = join(place, part);
    let stats: Stats;
    try {
      stats = lstatSync(place);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw failed(file, "read", error);
    }
    if (stats.isSymbolicLink())
      throw refused(file.name, `leads through a link (${relative(file.root, place)})`);
    if (place === file.path && !stats.isFile()) throw refused(file.name, "is no ordinary file");
    if (place === file.path) return stats;
  }
  return undefined;
}

function refused(path: string, why: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${JSON.stringify(path)} ${why}, so it is not used as NOTES.md. Name an ordinary file inside the project.`,
    { data: { path } },
  );
}

function failed(file: NotesFile, what: string, cause: unknown): HoldfastError {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const kind = ["EACCES", "EPERM", "EROFS"].includes(code)
    ? "store_read_only"
    : code === "ENOSPC"
      ? "store_full"
      : "store_failed";
  return new HoldfastError(
    kind,
    `${file.name} could not be ${what}: ${(cause as Error).message}. Nothing was changed; check the file and the directory it is in.`,
    { data: { path: file.path }, cause },
  );
}
