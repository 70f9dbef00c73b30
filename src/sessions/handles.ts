import { checkCounts, checkTextList, checkTexts } from "../engine/check-fields.ts";
import type { NotepadResult } from "../surfaces/notepad/operations.ts";
import type { NoteMatches } from "../surfaces/notes/note-index.ts";
import type { Note, NotesResult, NoteValue } from "../surfaces/notes/operations.ts";
import { readScratchpad, type Scratchpad, type ScratchpadResult } from "../surfaces/scratchpad/operations.ts";
import type { AppliedOperation, ApplyOptions, Session } from "./session.ts";

type Done<Result> = Promise<AppliedOperation<Result>>;

/** The notepad, for programs. */
export interface Notepad {
  /** "" when nothing was written yet. */
  read(): Promise<string>;
  write(content: string, options?: ApplyOptions): Done<NotepadResult>;
  append(content: string, options?: ApplyOptions): Done<NotepadResult>;
  prepend(content: string, options?: ApplyOptions): Done<NotepadResult>;
  replace(find: string, replacement: string, options?: ApplyOptions & { all?: boolean }): Done<NotepadResult>;
  delete(content: string, options?: ApplyOptions): Done<NotepadResult>;
}

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

/** The scratchpad's three spaces, for programs. */
export interface ScratchpadHandle {
  read(): Promise<Scratchpad>;
  setNotes(content: string, options?: ApplyOptions): Done<ScratchpadResult>;
  appendNotes(content: string, options?: ApplyOptions): Done<ScratchpadResult>;
  setPlan(content: string, options?: ApplyOptions): Done<ScratchpadResult>;
  addRef(ref: string, options?: ApplyOptions): Done<ScratchpadResult>;
  removeRef(ref: string, options?: ApplyOptions): Done<ScratchpadResult>;
  setRefs(items: string[], options?: ApplyOptions): Done<ScratchpadResult>;
}

export function notepadOf(session: Session): Notepad {
  return {
    read: async () => (await session.state()).row.notepad ?? "",
    write: (content, options) => session.apply({ type: "notepad.write", content }, options),
    append: (content, options) => session.apply({ type: "notepad.append", content }, options),
    prepend: (content, options) => session.apply({ type: "notepad.prepend", content }, options),
    replace: (find, replace, { all = false, ...options } = {}) =>
      session.apply({ type: "notepad.replace", find, replace, all }, options),
    delete: (content, options) => session.apply({ type: "notepad.delete", content }, options),
  };
}

export function notesOf(session: Session): Notes {
  return {
    add: (content, tags = [], options) => session.apply({ type: "notes.add", content, tags }, options),
    update: (id, change, options) => session.apply({ type: "notes.update", id, ...change }, options),
    delete: (id, options) => session.apply({ type: "notes.delete", id }, options),
    get: async (id) => {
      const [record] = await session.records("note", [id]);
      const value = record?.value as NoteValue | undefined;
      return value && { id, ...value, tags: [...value.tags] };
    },
    all: async () => (await session.noteIndex()).list([], everything, 0).notes,
    search: async ({ query = "", tags = [], limit = 50, offset = 0 }) => {
      checkTexts({ query }, "query");
      checkTextList({ tags }, "tags");
      checkCounts({ limit, offset }, "limit", "offset");
      return (await session.noteIndex()).search({ query, tags, limit, offset });
    },
    tags: async () =>
      (await session.records("tag"))
        .map(({ value }) => {
          const { name, notes } = value as { name: string; notes: number };
          return { tag: name, notes };
        })
        .sort((a, b) => (a.tag < b.tag ? -1 : 1)),
  };
}

const everything = 2 ** 40;

export function scratchpadOf(session: Session): ScratchpadHandle {
  return {
    read: async () => readScratchpad(await session.state()),
    setNotes: (content, options) => session.apply({ type: "scratchpad.set_notes", content }, options),
    appendNotes: (content, options) => session.apply({ type: "scratchpad.append_notes", content }, options),
    setPlan: (content, options) => session.apply({ type: "scratchpad.set_plan", content }, options),
    addRef: (ref, options) => session.apply({ type: "scratchpad.refs_add", ref }, options),
    removeRef: (ref, options) => session.apply({ type: "scratchpad.refs_remove", ref }, options),
    setRefs: (items, options) => session.apply({ type: "scratchpad.refs_set", items }, options),
  };
}
