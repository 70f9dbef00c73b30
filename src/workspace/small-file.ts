import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../engine/json.ts";
import { readRegularFile } from "../stores/regular-file.ts";

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
  try {
    const bytes = readRegularFile(path, { maxBytes });
    if (!bytes) return undefined;
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
