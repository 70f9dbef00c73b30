import { checkCounts, checkTextList, checkTexts } from "../../engine/check-fields.ts";
import type { AppliedOperation, ApplyOptions, SessionHandle } from "../session-handle.ts";
import type { NoteMatches } from "./note-index.ts";
import { foldCase, type Note, type NotesResult } from "./operations.ts";

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
      return record && { id, ...record.value, tags: [...record.value.tags] };
    },
    all: async () => (await session.noteIndex()).list([], unlimited, 0).notes,
    search: async ({ query = "", tags = [], limit = 50, offset = 0 }) => {
      checkTexts({ query }, "query");
      checkTextList({ tags }, "tags");
      checkCounts({ limit, offset }, "limit", "offset");
      return (await session.noteIndex()).search({ query, tags, limit, offset });
    },
    tags: async () => {
      const spellings = spellingsOf((await session.noteIndex()).list([], unlimited, 0).notes);
      return (await session.records("tag"))
        .map(({ key, value: { name, notes } }) => ({ tag: spellingOf(name, spellings.get(key)), notes }))
        .sort((a, b) => (a.tag < b.tag ? -1 : 1));
    },
  };
}

const unlimited = 2 ** 40;

/** How the notes spell each tag, newest note first. */
function spellingsOf(notes: readonly Note[]): Map<string, string[]> {
  const spellings = new Map<string, string[]>();
  for (const tag of notes.flatMap(({ tags }) => tags)) {
    const key = foldCase(tag);
    spellings.set(key, [...(spellings.get(key) ?? []), tag]);
  }
  return spellings;
}

/** The first spelling, as long as a note still has it; else the newest. */
function spellingOf(first: string, used: readonly string[] = []): string {
  return used.includes(first) ? first : (used[0] ?? first);
}
