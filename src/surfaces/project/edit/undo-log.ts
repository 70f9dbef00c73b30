import { contentHash } from "../../../engine/short-hash.ts";
import { type Splice, spliceBetween } from "../../../engine/text.ts";
import type { NotesFile } from "../notes-md/file.ts";
import { readWorkingFile, writeWorkingFile } from "../verify/working-files.ts";

/** What is needed to undo one change. */
export interface UndoEntry {
  operation: string;
  at: string;
  /** Hashes of the whole text, whatever the time of the session's start. */
  before: string;
  after: string;
  splice: Splice;
}

const maxUndoEntries = 20;

export function readUndo(file: NotesFile): UndoEntry[] {
  const entries = readWorkingFile(file, "undo.json");
  return Array.isArray(entries) ? (entries as UndoEntry[]) : [];
}

export function writeUndo(file: NotesFile, entries: readonly UndoEntry[]): void {
  writeWorkingFile(file, "undo.json", entries);
}

/**
 * Adds a change, and drops the oldest of too many. Call it with the lock held. The time at which a session starts is
 * written all the time, and nobody undoes it.
 */
export function keepUndo(
  file: NotesFile,
  before: string,
  after: string,
  change: { operation: string; at: string },
): void {
  if (withoutTime(before) === withoutTime(after)) return;
  const hashes = { before: hash(before), after: hash(after) };
  const entry: UndoEntry = { ...change, ...hashes, splice: spliceBetween(before, after) };
  writeUndo(file, [...readUndo(file), entry].slice(-maxUndoEntries));
}

function hash(text: string): string {
  return contentHash(Buffer.from(withoutTime(text)));
}

function withoutTime(text: string): string {
  return text.replace(/^(- \*\*Session Started\*\*: )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?=\r?$)/m, "$1");
}

export function matchesHash(known: string, text: string): boolean {
  return known === hash(text);
}
