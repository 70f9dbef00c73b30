import { checkTextList, checkTexts } from "../../engine/check-fields.ts";
import type { Draft } from "../../engine/draft.ts";
import type { Environment, Handlers, Outcome } from "../../engine/operations.ts";
import type { NoteValue, TagValue } from "../../engine/records.ts";
import { countCharacters, quote } from "../../engine/text.ts";
import type { UndoRules } from "../../engine/undo.ts";
import { HoldfastError } from "../../errors.ts";

export type Note = { id: string } & NoteValue;

export type NotesOperation =
  | { type: "notes.add"; content: string; tags: string[] }
  | { type: "notes.update"; id: string; content?: string; tags?: string[] }
  | { type: "notes.delete"; id: string };

export interface NotesResult {
  note: Note;
  totalNotes: number;
  totalTags: number;
}

/** The case-insensitive form in which tags and queries are compared. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}

type Operation<Type extends NotesOperation["type"]> = Extract<NotesOperation, { type: Type }>;

export const notesOperations: Handlers<NotesOperation, NotesResult> = {
  "notes.add": (draft, operation, _state, environment) =>
    outcome(draft, addNote(draft, operation, environment)),
  "notes.update": (draft, operation, _state, environment) =>
    outcome(draft, updateNote(draft, operation, environment)),
  "notes.delete": (draft, operation) => outcome(draft, deleteNote(draft, operation)),
};

function outcome(draft: Draft, note: Note): Outcome<NotesResult> {
  return {
    // A copy, so that a caller who changes it does not change the journal.
    result: {
      note: { ...note, tags: [...note.tags] },
      totalNotes: draft.counter("notes"),
      totalTags: draft.counter("tags"),
    },
    warnings: [],
  };
}

function addNote(draft: Draft, operation: Operation<"notes.add">, environment: Environment): Note {
  checkTexts(operation, "content");
  checkTextList(operation, "tags");
  checkContent(operation.content, environment);
  const tags = checkTags(operation.tags, environment);
  const milliseconds = Math.max(Math.floor(environment.now), draft.counter("lastNoteId") + 1);
  const id = `note_${milliseconds}`;
  const value: NoteValue = {
    content: operation.content,
    tags,
    createdAt: environment.now,
    updatedAt: environment.now,
    updated: draft.row.revision + 1,
    ...authorOf(environment),
  };
  retag(draft, [], tags);
  draft.mark("lastNoteId", milliseconds);
  draft.insert("note", id, value);
  draft.count("notes", 1);
  return { id, ...value };
}

function updateNote(draft: Draft, operation: Operation<"notes.update">, environment: Environment): Note {
  checkTexts(operation, "id", ...(operation.content === undefined ? [] : ["content"]));
  if (operation.tags !== undefined) checkTextList(operation, "tags");
  if (operation.content === undefined && operation.tags === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `update_note needs "content" or "tags"; the call for ${quote(operation.id)} has neither.`,
    );
  }
  const before = existingNote(draft, operation.id);
  if (operation.content !== undefined) checkContent(operation.content, environment);
  const value: NoteValue = {
    content: operation.content ?? before.content,
    tags: operation.tags === undefined ? before.tags : checkTags(operation.tags, environment),
    createdAt: before.createdAt,
    updatedAt: environment.now,
    updated: draft.row.revision + 1,
    ...(operation.content === undefined || operation.content === before.content
      ? before.by && { by: before.by }
      : authorOf(environment)),
  };
  retag(draft, before.tags, value.tags);
  draft.put("note", operation.id, value);
  return { id: operation.id, ...value };
}

/** Kept only if it is not the agent, whose notes they are. */
function authorOf({ by }: Environment): Pick<NoteValue, "by"> {
  return by === undefined || by === "agent" || by === "system" ? {} : { by };
}

function deleteNote(draft: Draft, operation: Operation<"notes.delete">): Note {
  checkTexts(operation, "id");
  const before = existingNote(draft, operation.id);
  retag(draft, before.tags, []);
  draft.remove("note", operation.id);
  draft.count("notes", -1);
  return { id: operation.id, ...before };
}

function existingNote(draft: Draft, id: string): NoteValue {
  const value = draft.record("note", id);
  if (value) return value;
  throw new HoldfastError(
    "not_found",
    `note not found: ${quote(id)}. Call list_notes or search_notes to see the ids that exist.`,
    { data: { id } },
  );
}

/** Updates the number of notes per tag. Tags are counted as they are spelled; only searches ignore case. */
function retag(draft: Draft, before: string[], after: string[]): void {
  const [had, has] = [new Set(before), new Set(after)];
  draft.require("tag", [...new Set([...had, ...has])]);
  for (const tag of has) {
    if (had.has(tag)) continue;
    const known = countOf(draft.record("tag", tag));
    draft.put("tag", tag, { notes: known + 1 });
    if (known === 0) draft.count("tags", 1);
  }
  for (const tag of had) {
    const known = has.has(tag) ? 0 : countOf(draft.record("tag", tag));
    if (known === 0) continue;
    if (known > 1) draft.put("tag", tag, { notes: known - 1 });
    else {
      draft.remove("tag", tag);
      draft.count("tags", -1);
    }
  }
}

function checkContent(content: string, environment: Environment): void {
  if (content.trim() === "") {
    throw new HoldfastError("invalid_input", `note content is empty. Put the note's text into "content".`, {
      data: { field: "content" },
    });
  }
  const limit = environment.limits.noteCharacters;
  const characters = countCharacters(content);
  if (characters > limit) {
    throw new HoldfastError(
      "over_limit",
      `note content exceeds maximum length of ${limit} characters (got ${characters}). Please shorten the content or split into multiple notes`,
      { data: { characters, limit } },
    );
  }
}

function checkTags(tags: string[], environment: Environment): string[] {
  const limit = environment.limits.noteTags;
  if (tags.length > limit) {
    throw new HoldfastError(
      "over_limit",
      `note has too many tags (max ${limit}, got ${tags.length}). Please reduce the number of tags to focus on the most relevant categories`,
      { data: { tags: tags.length, limit } },
    );
  }
  for (const tag of tags) {
    if (tag.trim() === "") {
      throw new HoldfastError(
        "invalid_input",
        `"tags" contains an empty tag. Leave it out or give it a name.`,
        {
          data: { field: "tags" },
        },
      );
    }
    const characters = countCharacters(tag);
    if (characters > environment.limits.tagCharacters) {
      throw new HoldfastError(
        "over_limit",
        `tag exceeds maximum length of ${environment.limits.tagCharacters} characters (got ${characters}). Use a short word and put the detail into the content`,
        { data: { characters, limit: environment.limits.tagCharacters } },
      );
    }
  }
  return [...new Set(tags)];
}

/** A tag's record is a count shared by many notes, so undo reverses the difference instead of restoring the value. */
export const notesUndo: UndoRules = {
  records: {
    tag(draft, { key, before, after }) {
      const current = draft.record("tag", key);
      const notes = countOf(current) + countOf(after) - countOf(before);
      const wasCounted = (before === null ? -1 : 0) + (after === null ? 1 : 0);
      const isCounted = (current === null ? -1 : 0) + (notes <= 0 ? 1 : 0);
      draft.put("tag", key, notes > 0 ? { notes } : null);
      // Undo has already reversed the original change of the tag counter; correct it by what differs now.
      draft.count("tags", wasCounted - isCounted);
    },
  },
};

function countOf(tag: TagValue | null): number {
  return tag?.notes ?? 0;
}
