import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { shortHash } from "../../../engine/short-hash.ts";
import { HoldfastError } from "../../../errors.ts";
import { projectFolder } from "../../../state-folder.ts";
import type { NotesFile } from "../notes-md/file.ts";

/** The folder of a project's NOTES.md with its lock, undo data and backups, outside the repository. */
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
  const path = join(workingDirectory(file), "lock");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${lockTimeoutMilliseconds}; BEGIN IMMEDIATE`);
  } catch (error) {
    database?.close();
    throw lockFailed(file, error);
  }
  try {
    return work();
  } finally {
    database.close();
  }
}

function lockFailed(file: NotesFile, cause: unknown): HoldfastError {
  const message = (cause as Error).message;
  if (/locked|busy/i.test(message)) {
    return new HoldfastError(
      "store_busy",
      `Another process has locked ${file.name} for more than ${lockTimeoutMilliseconds / 1000} seconds. Nothing was changed; try again.`,
      { cause },
    );
  }
  const full = /disk is full/i.test(message);
  const readOnly = /read-?only|unable to open/i.test(message);
  return new HoldfastError(
    full ? "store_full" : readOnly ? "store_read_only" : "store_failed",
    `${file.name} could not be locked: ${message}. Nothing was changed; ${full ? "free some disk space" : `make ${notesFolder(file.root)} writable`}.`,
    { cause },
  );
}

/** The JSON of a working file; undefined if it does not exist or cannot be read. */
export function readWorkingFile(file: NotesFile, name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(notesFolder(file.root), name), "utf8"));
  } catch {
    return undefined;
  }
}

export function writeWorkingFile(file: NotesFile, name: string, value: unknown): void {
  const path = join(workingDirectory(file), name);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o600 });
    renameSync(temporary, path);
  } catch (cause) {
    throw writeFailed(file, cause);
  }
}

function writeFailed(file: NotesFile, cause: unknown): HoldfastError {
  const full = (cause as NodeJS.ErrnoException).code === "ENOSPC";
  return new HoldfastError(
    full ? "store_full" : "store_read_only",
    `${notesFolder(file.root)} could not be written: ${(cause as Error).message}. Nothing was changed; ${full ? "free some disk space" : "make it writable"}.`,
    { cause },
  );
}

/** Saves a copy of a text and returns its path. */
export function backUp(file: NotesFile, text: string, at: string, of = "NOTES"): string {
  const name = `${of}-${at.replaceAll(":", "")}`;
  const directory = workingDirectory(file);
  for (let count = 1; ; count++) {
    const copy = `${name}${count === 1 ? "" : `-${count}`}.md`;
    if (existsSync(join(directory, copy))) continue;
    try {
      writeFileSync(join(directory, copy), text, { mode: 0o600, flag: "wx" });
    } catch (cause) {
      throw writeFailed(file, cause);
    }
    return join(directory, copy);
  }
}

function workingDirectory(file: NotesFile): string {
  const directory = notesFolder(file.root);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw writeFailed(file, cause);
  }
  return directory;
}
