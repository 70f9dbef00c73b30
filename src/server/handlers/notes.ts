import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import { mergeEdit } from "../merge-edit.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

const asPerson = { actor: { kind: "person" as const }, surface: "inspector" };

export function noteHandlers({
  memory,
}: ServerContext): Pick<Handlers, "notes" | "tags" | "addNote" | "editNote" | "deleteNote"> {
  return {
    async notes({ params: { id }, query: { q, tag, offset, limit } }) {
      const session = await memory.resumeSession(id);
      const found = await session.notes.search({ query: q, tags: tag, limit, offset });
      return { ...found, nextOffset: next(offset, found.notes.length, found.total) };
    },

    async tags({ params: { id }, query: { offset, limit } }) {
      const session = await memory.resumeSession(id);
      const tags = await session.notes.tags();
      const page = tags.slice(offset, offset + limit);
      return { tags: page, total: tags.length, nextOffset: next(offset, page.length, tags.length) };
    },

    async addNote({ params: { id }, body: { content, tags } }) {
      const session = await memory.resumeSession(id);
      const { revision, result } = await session.notes.add(content, tags, asPerson);
      return { revision, note: result.note, merged: false };
    },

    async editNote({ params: { id, note: noteId }, body: { base, content, tags } }) {
      const session = await memory.resumeSession(id);
      let merged = false;
      const { revision, result } = await session.change(
        async (state) => {
          const theirs = await findNote(session, noteId);
          const text = mergeEdit({
            base: base.content,
            mine: content,
            theirs: theirs.content,
            revision: state.row.revision,
          });
          const both = mergeTags(base.tags, tags, theirs.tags);
          merged = text !== content || both.join("\n") !== tags.join("\n");
          return { type: "notes.update" as const, id: noteId, content: text, tags: both };
        },
        () => false,
        asPerson,
      );
      return { revision, note: result.note, merged };
    },

    async deleteNote({ params: { id, note } }) {
      const session = await memory.resumeSession(id);
      const { revision } = await session.notes.delete(note, asPerson);
      return { revision };
    },
  };
}

function next(offset: number, shown: number, total: number): number | null {
  return offset + shown < total && shown > 0 ? offset + shown : null;
}

async function findNote(session: Session, id: string): Promise<Note> {
  const note = await session.notes.get(id);
  if (note) return note;
  throw new HoldfastError(
    "not_found",
    `Note ${JSON.stringify(id)} no longer exists; someone deleted it. Add it as a new note.`,
    { data: { id } },
  );
}

/** Sets merge without conflicts: keep what either side added, drop what either side removed. */
function mergeTags(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  const added = mine.filter((tag) => !base.includes(tag) && !theirs.includes(tag));
  const removed = base.filter((tag) => !mine.includes(tag));
  const order = theirs.join("\n") === base.join("\n") ? mine : [...theirs, ...added];
  return order.filter((tag) => !removed.includes(tag));
}
