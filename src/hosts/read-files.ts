import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { FileNow } from "../compaction/facts/part-status.ts";

/** The agent waits, so little is read: source files, not data. */
const maxFileBytes = 512_000;
const maxTotalBytes = 4_000_000;

/** Reads files to compare them with what the agent saw; undefined for what is no regular file, too large or unreadable. */
export function projectReader(cwd: string): (path: string) => FileNow | undefined {
  let total = 0;
  return (path) => {
    try {
      const absolute = resolve(cwd, path);
      // Opening a pipe would wait for a writer, past every deadline.
      const stats = statSync(absolute, { throwIfNoEntry: false });
      // A path of another machine has no folder here either.
      if (!stats) return statSync(dirname(absolute)).isDirectory() ? { text: undefined } : undefined;
      const { size } = stats;
      if (!stats.isFile() || size > maxFileBytes || total + size > maxTotalBytes) return undefined;
      total += size;
      return readWhole(absolute);
    } catch {
      return undefined;
    }
  };
}

/** Undefined if the file grew while it was read. Programs may set the time of a change back, but not that of the inode. */
function readWhole(path: string): FileNow | undefined {
  const file = openSync(path, "r");
  try {
    const { size, ctimeMs } = fstatSync(file);
    const bytes = Buffer.alloc(size + 1);
    const read = readSync(file, bytes, 0, bytes.length, 0);
    return read === size ? { text: bytes.toString("utf8", 0, read), touchedAt: ctimeMs } : undefined;
  } finally {
    closeSync(file);
  }
}
