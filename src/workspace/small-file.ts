import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { parseObject } from "../engine/json.ts";

/** Holdfast writes no larger files. */
const maxBytes = 1_000_000;

/** Writes a small JSON file atomically: readers see the old or the new content, never a part. */
export function writeSmallFile(path: string, value: unknown, { isDurable = false } = {}): void {
  makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  try {
    // `wx` fails on an existing path, so a planted symlink is never followed.
    writeFileSync(temporary, `${JSON.stringify(value)}\n`, { flag: "wx", mode: 0o600, flush: isDurable });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates one private folder, but not its parents. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** The JSON object in the file; undefined if it is missing, damaged, too large or not a regular file. */
export function readSmallFile(path: string): Record<string, unknown> | undefined {
  const bytes = readRegularFile(path, { maxBytes });
  return bytes && parseObject(bytes.toString("utf8"));
}

/** The names in a folder; empty if it cannot be read. */
export function namesIn(folder: string): string[] {
  // The error of a missing folder would take longer than a tool call's own work.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export interface RegularFileOptions {
  /** A larger file is refused. */
  maxBytes: number;
  /** Follow a symlink at the path (default: false). */
  followLinks?: boolean;
}

/**
 * Reads a regular file. Undefined for anything else: nothing there, a link, a directory, a pipe, a device, a socket, or
 * a file above the limit. Opening never blocks, and the checks are made on what was opened.
 */
export function readRegularFile(
  path: string,
  { maxBytes, followLinks = false }: RegularFileOptions,
): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, openFlags(followLinks));
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Appends to a regular file, which it creates; throws for anything else at the path. Opening never blocks. */
export function appendToRegularFile(path: string, text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW, 0o600);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a file.`);
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** O_NONBLOCK: opening a pipe without a writer returns at once. Windows has neither flag. */
function openFlags(followLinks: boolean): number {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  return O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW);
}
