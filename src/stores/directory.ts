import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a directory for its owner only; a power cut does not take it away again. */
export function makeDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  let made = path;
  syncDirectory(dirname(made));
  while (made !== first && made !== dirname(made)) {
    made = dirname(made);
    syncDirectory(dirname(made));
  }
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
