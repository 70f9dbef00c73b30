import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isObject } from "../engine/json.ts";

/** Larger files are not ours. */
const mostBytes = 1_000_000;

/** Writes a small JSON file so that a reader sees the old one or the new one, never a part. */
export function writeSmallFile(path: string, value: unknown): void {
  makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  try {
    // `wx` follows no link that somebody has put there.
    writeFileSync(temporary, `${JSON.stringify(value)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** One folder, for its owner only. Those above it are not ours to make. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
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

/** What lies in a folder; nothing when it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Sixteen hexadecimal digits that tell texts apart. Node's own hashes take longer to load than a hook may take. */
export function shortHash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (const byte of Buffer.from(text, "utf8")) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 13);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
