import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What models wrote, a file in the repository for each task. A test records somewhere else. */
const folder = process.env.HOLDFAST_RESUME_RECORDED ?? join(import.meta.dirname, "recorded");

/** An answer, and the words of the context that it rests on. Passages are separated by " … ". */
export interface Answer {
  answer: string;
  quote: string;
}

/** Question → answer. A question that is missing was answered "unknown". */
export type Answers = Record<string, Answer>;
/** Question → one or two searches, separated by " | ". */
export type Queries = Record<string, string>;
/** 1, 0.5, 0, or "w" for a false statement. */
export type Grade = 0 | 0.5 | 1 | "w";
/** Question → letter → grade. */
export type Grades = Record<string, Record<string, Grade>>;

export interface Recorded<T> {
  model: string;
  date: string;
  /** Of prompt and input. */
  hash: string;
  /** What a reader has read, so that its answers can be checked after Holdfast has changed. */
  input?: string;
  result: T;
}

/** Such as `summary-d3-s2` (depth 3, second compaction), `read-handoff-d3` or `grade-d3-a`. */
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
