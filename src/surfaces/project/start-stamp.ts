import { contentHash } from "../../engine/short-hash.ts";
import { type NotesFile, overwriteInNotes } from "./notes-md/file.ts";
import type { Lines } from "./notes-md/lines.ts";

/** The time at which the session started, in bytes of NOTES.md. */
export interface StampPlace {
  at: number;
  /** A hash of every other byte. */
  rest: string;
}

const start = "- **Session Started**: ";
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ[\r\n]?$/;
const timeLength = "2026-01-01T00:00:00Z".length;

/** The place of the time in its line of the active context; undefined if it is not in the form that we write. */
export function stampAt(text: string, { texts, ends }: Lines, line: number): StampPlace | undefined {
  const before = texts.slice(0, line).map((each, index) => each + ends[index]);
  const at = Buffer.byteLength(before.join("")) + start.length;
  const bytes = Buffer.from(text);
  const place = { at, rest: restOf(bytes, at) };
  return isSame(bytes, place) ? place : undefined;
}

/** Whether a file differs from the one with this place in nothing but the time. */
export function isSame(bytes: Buffer, { at, rest }: StampPlace): boolean {
  const written = bytes.toString("latin1", at - start.length, at + timeLength + 1);
  return written.startsWith(start) && time.test(written.slice(start.length)) && restOf(bytes, at) === rest;
}

function restOf(bytes: Buffer, at: number): string {
  return `${contentHash(bytes.subarray(0, at))}${contentHash(bytes.subarray(at + timeLength))}`;
}

/**
 * Writes the time in place, without reading the file as Markdown and without its lock: if another process replaces the
 * file in this moment, only the time is lost. `read` is the file as it was found to be the same.
 */
export function stampInPlace(file: NotesFile, place: StampPlace, read: Buffer, now: string): void {
  overwriteInNotes(file, place.at, now, (bytes) => bytes.equals(read) || isSame(bytes, place));
}
