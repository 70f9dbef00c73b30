import { applySplice, revertSplice } from "../../../engine/text.ts";
import { HoldfastError } from "../../../errors.ts";
import { type NotesFile, readNotesFile, writeNotesFile } from "../notes-md/file.ts";
import { applyLineEdits, type LineEdit } from "../notes-md/lines.ts";
import { type Notes, parseNotes } from "../notes-md/parse.ts";
import { holdLock } from "../verify/working-files.ts";
import { keepUndo, matchesHash, readUndo, type UndoEntry, writeUndo } from "./undo-log.ts";

/** The edits of an operation, planned on the current file. */
export interface Planned<T> {
  edits: LineEdit[];
  result: T;
  /** Called if the edits were not written. */
  abandon?: () => void;
}

export function readNotes(file: NotesFile): Notes | undefined {
  const found = readNotesFile(file);
  return found && parseNotes(found.bytes.toString("utf8"));
}

/** The notes; throws an error that says how to create them. */
export function existingNotes(file: NotesFile): Notes {
  const notes = readNotes(file);
  if (notes) return notes;
  throw new HoldfastError(
    "not_found",
    `There is no ${file.name} in ${file.root}. Run "holdfast project init" to create it.`,
    { data: { path: file.path } },
  );
}

/** Locks, rereads, plans and writes, so that concurrent writers take turns and see each other's changes. */
export function changeNotes<T>(
  file: NotesFile,
  change: { operation: string; at: string },
  plan: (notes: Notes) => Planned<T>,
): T {
  return holdLock(file, () => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const notes = existingNotes(file);
      const { edits, result, abandon } = plan(notes);
      const after = applyLineEdits(notes.lines, edits);
      let isDone = false;
      try {
        isDone = edits.length === 0 || replaceText(file, notes.text, after, change);
        if (isDone) return result;
      } finally {
        if (!isDone) abandon?.();
      }
    }
    throw changedMeanwhile(file);
  });
}

/** Editors take no lock: if one wrote in the meantime, the change is planned again. */
const maxAttempts = 5;

export function changedMeanwhile(file: NotesFile): HoldfastError {
  return new HoldfastError(
    "conflict",
    `Another program keeps writing to ${file.name}. Nothing was changed; try again.`,
  );
}

/** Writes unless the file changed since it was read. Call it with the lock held. */
export function replaceText(
  file: NotesFile,
  before: string,
  after: string,
  change: { operation: string; at: string },
): boolean {
  if (after === before) return true;
  const bytes = readNotesFile(file)?.bytes ?? Buffer.alloc(0);
  if (bytes.toString("utf8") !== before) return false;
  checkEncoding(file, bytes);
  // Written first: undo skips an entry whose change never happened.
  keepUndo(file, before, after, change);
  writeNotesFile(file, after);
  return true;
}

/** The operations that changed the file since a time, oldest first; at most the newest twenty. */
export function operationsSince(file: NotesFile, at: string): string[] {
  return readUndo(file)
    .filter((entry) => Date.parse(entry.at) >= Date.parse(at))
    .map(({ operation }) => operation);
}

/** Undoes the newest change, unless later edits overlap it. */
export function undoChange(file: NotesFile): { operation: string; at: string } {
  return holdLock(file, () => {
    const { text } = existingNotes(file);
    const entries = readUndo(file);
    for (let entry = entries.pop(); entry; entry = entries.pop()) {
      const reverted = revert(text, entry);
      if (reverted === text) continue;
      if (reverted === undefined) throw cannotUndo(file, entry);
      checkEncoding(file, readNotesFile(file)?.bytes ?? Buffer.alloc(0));
      writeNotesFile(file, reverted);
      writeUndo(file, entries);
      return { operation: entry.operation, at: entry.at };
    }
    throw new HoldfastError("cannot_undo", `There is no change to ${file.name} left to undo.`);
  });
}

/** The text without the change; unchanged if the change never happened; undefined if it cannot be found. */
function revert(text: string, { before, after, splice }: UndoEntry): string | undefined {
  if (matchesHash(after, text)) return revertSplice(text, splice);
  if (matchesHash(before, text)) return text;
  const at = splice.inserted === "" ? -1 : text.indexOf(splice.inserted);
  if (at === -1 || text.indexOf(splice.inserted, at + 1) !== -1) return undefined;
  return applySplice(text, { at, removed: splice.inserted, inserted: splice.removed });
}

function cannotUndo(file: NotesFile, entry: UndoEntry): HoldfastError {
  return new HoldfastError(
    "cannot_undo",
    `The lines that ${entry.operation} wrote to ${file.name} at ${entry.at} were edited since. Nothing was changed; edit the file by hand.`,
    { data: { operation: entry.operation, removed: entry.splice.removed, inserted: entry.splice.inserted } },
  );
}

/** Invalid UTF-8 would be lost on writing. */
function checkEncoding(file: NotesFile, bytes: Buffer): void {
  if (Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes)) return;
  throw new HoldfastError(
    "invalid_input",
    `${file.name} is not valid UTF-8 on line ${badLine(bytes)}. Nothing was changed; save the file as UTF-8 and try again.`,
    { data: { path: file.path, line: badLine(bytes) } },
  );
}

/** The first line, from 1, that is not valid UTF-8; undefined if all are. */
export function badLine(bytes: Buffer): number | undefined {
  let start = 0;
  for (let line = 1; start <= bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const part = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (!Buffer.from(part.toString("utf8"), "utf8").equals(part)) return line;
    if (end === -1) return undefined;
    start = end + 1;
  }
  return undefined;
}
