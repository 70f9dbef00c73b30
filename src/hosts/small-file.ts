import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Larger files are not ours. */
const mostBytes = 1_000_000;

/** Writes a small JSON file so that a reader sees the old one or the new one, never a part. */
export function writeSmallFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    // `wx` follows no link that somebody has put there.
    writeFileSync(temporary, `${JSON.stringify(value)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The object in the file; undefined when it is missing, damaged or too large to be ours. */
export function readSmallFile(path: string): Record<string, unknown> | undefined {
  try {
    if (statSync(path).size > mostBytes) return undefined;
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
