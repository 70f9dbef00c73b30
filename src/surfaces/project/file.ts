import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { shortHash } from "../../engine/short-hash.ts";
import { HoldfastError } from "../../errors.ts";
import { projectFolder } from "../../state-folder.ts";
import { defaultPath, insideProject } from "./location.ts";
import { refusal } from "./refusal.ts";

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
  // An absolute path may name the root by one of its links.
  const name = insideProject(real, chosen) ?? insideProject(resolve(root), resolve(real, chosen));
  if (name === undefined) throw refused(chosen, "is outside the project");
  return { root: real, path: join(real, name), name };
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

/** The file's bytes; undefined if it does not exist. */
export function readNotesFile(file: NotesFile): Buffer | undefined {
  return explained(file.name, "read", () => {
    const folder = dirname(file.path);
    checkLinks(file, folder);
    return existsSync(folder) ? inFolder(file, (open) => readIn(open, file)?.bytes) : undefined;
  });
}

/** Reads the file in an open folder. */
function readIn({ path }: OpenFolder, file: NotesFile): { bytes: Buffer; mode: number } | undefined {
  let descriptor: number;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    descriptor = openSync(join(path, basename(file.path)), flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw code === "ELOOP" ? refused(file.name, "is a link") : error;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw refused(file.name, "is not a regular file");
    if (stats.size > maxBytes)
      throw refusal(
        "over_limit",
        `${file.name} has ${stats.size} bytes, and the limit is ${maxBytes}`,
        "Move old parts of it to another file",
        { path: file.path, bytes: stats.size, limit: maxBytes },
      );
    return { bytes: readFileSync(descriptor), mode: stats.mode & 0o777 };
  } finally {
    closeSync(descriptor);
  }
}

/** Editors take no lock: if one wrote in the meantime, the change is planned again. */
const maxAttempts = 5;

/**
 * Changes the file while no other process of Holdfast does. `plan` gets its current bytes, and returns its new text, or
 * undefined to leave it as it is. Readers see the old file or the new one.
 */
export function updateFile<T>(
  file: NotesFile,
  plan: (bytes: Buffer | undefined) => { text: string | undefined; result: T },
): T {
  return holdLock(file, () => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const bytes = readNotesFile(file);
      const { text, result } = plan(bytes);
      if (text === undefined || replaceFile(file, bytes, text)) return result;
    }
    throw refusal("conflict", `Another program keeps writing to ${file.name}`, "Try again");
  });
}

/** Replaces the file if it still has these bytes: the comparison comes last, just before the rename. */
function replaceFile(file: NotesFile, before: Buffer | undefined, text: string): boolean {
  return explained(file.name, "written", () => {
    const folder = dirname(file.path);
    checkLinks(file, folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return inFolder(file, (open) => {
      const { mode = 0o600 } = readIn(open, file) ?? {};
      // Renaming over it would ignore its mode, so respect a read-only file here.
      if ((mode & 0o222) === 0)
        throw refusal(
          "store_read_only",
          `${file.name} is read-only`,
          "Make it writable (chmod u+w) and try again",
          { path: file.path },
        );
      dropLeftovers(open.path);
      // A writer with another state folder has another lock, so the name is this writer's own.
      const temporary = join(open.path, `.NOTES.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
      try {
        writeNewFile(temporary, text, mode);
        const now = readIn(open, file)?.bytes;
        const isSame = before === undefined || now === undefined ? before === now : now.equals(before);
        if (!isSame) return false;
        renameSync(temporary, join(open.path, basename(file.path)));
        open.sync();
        return true;
      } finally {
        rmSync(temporary, { force: true });
      }
    });
  });
}

/** A write takes much less, so the temporary file of an older one is from a writer that was killed, in milliseconds. */
const maxWriteTime = 3_600_000;

function dropLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.NOTES\.[\w.]+\.tmp$/.test(name)) continue;
    const path = join(folder, name);
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - written > maxWriteTime) rmSync(path, { force: true });
  }
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

/** Refuses links between the root and a folder, which need not exist. */
function checkLinks(file: NotesFile, folder: string): void {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  if (realpathSync.native(existing) !== existing) throw refused(file.name, "goes through a link");
}

interface OpenFolder {
  path: string;
  /** Makes a rename in it durable. */
  sync(): void;
}

/**
 * Runs the work in the file's folder through an open descriptor: if another process replaces the folder with a link, the
 * work still happens in the folder that was checked. Without /proc/self/fd, it uses the path.
 */
function inFolder<T>(file: NotesFile, work: (open: OpenFolder) => T): T {
  const path = dirname(file.path);
  // Windows cannot open folders.
  if (process.platform === "win32") return work({ path, sync: () => undefined });
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const open = `/proc/self/fd/${descriptor}`;
    const stable = existsSync(open) ? open : path;
    if (realpathSync.native(stable) !== path) throw refused(file.name, "goes through a link");
    return work({ path: stable, sync: () => fsyncSync(descriptor) });
  } finally {
    closeSync(descriptor);
  }
}

/** A failure of the file system gets an error with what to do about it. */
function explained<T>(name: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof HoldfastError ? error : failed(name, what, error);
  }
}

function refused(path: string, why: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${JSON.stringify(path)} ${why}, so Holdfast does not use it. Use a regular file inside the project.`,
    { data: { path } },
  );
}

function failed(name: string, what: string, cause: unknown): HoldfastError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  const isFull = code === "ENOSPC" || /disk is full/i.test(message);
  const isReadOnly =
    ["EACCES", "EPERM", "EROFS"].includes(code) || /read-?only|unable to open/i.test(message);
  const [problem, next] = isFull
    ? ["the disk is full", "free some disk space"]
    : [message, "check the file and the directory it is in"];
  return new HoldfastError(
    isFull ? "store_full" : isReadOnly ? "store_read_only" : "store_failed",
    `${name} could not be ${what}: ${problem}. Nothing was changed; ${next}.`,
    { data: { path: name }, cause },
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
  return join(projectFolder(root), "notes", shortHash(root));
}

const lockTimeoutMilliseconds = 10_000;

/**
 * Runs the work while no other process of Holdfast changes the notes. It locks a SQLite database: the operating system
 * releases the lock when its holder dies, so locks never become stale.
 */
function holdLock<T>({ root, name }: NotesFile, work: () => T): T {
  const folder = notesFolder(root);
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    database = new DatabaseSync(join(folder, "lock"));
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMilliseconds}; BEGIN IMMEDIATE`);
  } catch (cause) {
    database?.close();
    if (!/locked|busy/i.test((cause as Error).message)) throw failed(folder, "locked", cause);
    throw new HoldfastError(
      "store_busy",
      `Another process has locked ${name} for more than ${lockTimeoutMilliseconds / 1000} seconds. Nothing was changed; try again.`,
      { cause },
    );
  }
  try {
    return work();
  } finally {
    database.close();
  }
}
