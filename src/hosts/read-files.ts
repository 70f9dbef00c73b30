import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** The agent waits, so little is read: source files, not data. */
const maxFileBytes = 512_000;
const maxTotalBytes = 4_000_000;

/** Reads files to compare them with what the agent saw; undefined for what is no regular file, too large or unreadable. */
export function projectReader(cwd: string): (path: string) => string | undefined {
  let total = 0;
  return (path) => {
    try {
      const absolute = resolve(cwd, path);
      // Opening a pipe would wait for a writer, past every deadline.
      const { size } = statSync(absolute);
      if (!statSync(absolute).isFile() || size > maxFileBytes || total + size > maxTotalBytes)
        return undefined;
      total += size;
      return readWhole(absolute);
    } catch {
      return undefined;
    }
  };
}

/** Undefined if the file grew while it was read. */
function readWhole(path: string): string | undefined {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(size + 1);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return read === size ? bytes.toString("utf8", 0, read) : undefined;
  } finally {
    closeSync(file);
  }
}
