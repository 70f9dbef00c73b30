import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Creates a directory and its parents, private to the user and durable across a power cut. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  // One by one, because a recursive mkdir reports a read-only file system as ENOENT.
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncDirectory(dirname(path));
}

/** Makes created and removed entries of the directory durable. */
export function syncDirectory(path: string): void {
  // Windows cannot fsync a directory and does not need to.
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
