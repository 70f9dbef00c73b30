import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What models wrote, as files in the repository. */
const folder = join(import.meta.dirname, "recorded");

export type ByStory<T> = Record<string, T>;
/** Question → answer. */
export type Answers = ByStory<Record<string, string>>;
/** Question → letter → 1, 0.5, 0, or "w" for a false statement. */
export type Grade = 0 | 0.5 | 1 | "w";
export type Grades = ByStory<Record<string, Record<string, Grade>>>;

interface Recorded<T> {
  model: string;
  date: string;
  /** Of the inputs: a result is stale if they have changed. */
  hashes: ByStory<string>;
  results: ByStory<T>;
}

/** Such as `summary-d3-s2`, `read-handoff-d1` or `grade-d1-a`. */
export function readRecorded<T>(id: string): Recorded<T> | undefined {
  const path = join(folder, `${id}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Recorded<T>) : undefined;
}

export function writeRecorded<T>(id: string, recorded: Recorded<T>): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
