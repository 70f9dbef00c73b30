import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";

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
