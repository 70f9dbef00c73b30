import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a directory, and those above it, for its owner only; a power cut does not take it away again. */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  // One by one: asked to make several at once, Node calls a read-only place a missing one.
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncDirectory(dirname(path));
}

/** What was created or removed in the directory is so after a power cut, too. */
export function syncDirectory(path: string): void {
  // Windows has no such call, and needs none.
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
