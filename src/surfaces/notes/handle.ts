import { checkCounts, checkTextList, checkTexts } from "../../engine/check-fields.ts";
import type { NoteValue } from "../../engine/records.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import type { Note, NotesResult } from "./operations.ts";
import { type NoteMatches, searchNotes } from "./search.ts";

type Done<Result> = Promise<AppliedOperation<Result>>;

/** Tagged notes, for programs. */
export interface Notes {
  add(content: string, tags?: string[], options?: ApplyOptions): Done<NotesResult>;
  update(
    id: string,
    change: { content?: string; tags?: string[] },
    options?: ApplyOptions,
  ): Done<NotesResult>;
  delete(id: string, options?: ApplyOptions): Done<NotesResult>;
  get(id: string): Promise<Note | undefined>;
  /** Newest first. */
  all(): Promise<Note[]>;
  search(query: { query?: string; tags?: string[]; limit?: number; offset?: number }): Promise<NoteMatches>;
  tags(): Promise<{ tag: string; notes: number }[]>;
}

export function notesOf(session: SessionHandle): Notes {
  return {
    add: (content, tags = [], options) => session.apply({ type: "notes.add", content, tags }, options),
    update: (id, change, options) => session.apply({ type: "notes.update", id, ...change }, options),
    delete: (id, options) => session.apply({ type: "notes.delete", id }, options),
    get: async (id) => {
      const [record] = await session.records("note", [id]);
      return record && noteOf(record);
    },
    all: () => newestFirst(session),
    search: async ({ query = "", tags = [], limit = 50, offset = 0 }) => {
      checkTexts({ query }, "query");
      checkTextList({ tags }, "tags");
      checkCounts({ limit, offset }, "limit", "offset");
      return searchNotes(await newestFirst(session), { query, tags, limit, offset });
    },
    tags: async () =>
      (await session.records("tag"))
        .map(({ key, value: { notes } }) => ({ tag: key, notes }))
        .sort((a, b) => (a.tag < b.tag ? -1 : 1)),
  };
}

/** By last edit. */
async function newestFirst(session: SessionHandle): Promise<Note[]> {
  const records = await session.records("note");
  return records.map(noteOf).sort((a, b) => b.updated - a.updated);
}

/** A copy, so that a caller who changes it does not change what a store keeps. */
function noteOf({ key, value }: { key: string; value: NoteValue }): Note {
  return { id: key, ...value, tags: [...value.tags] };
}
