import { useState } from "preact/hooks";
import { ApiError, callApi, type Reply } from "../api.ts";
import { useNow } from "../clock.ts";
import { ago, dateTime } from "../format.ts";
import { Markdown } from "../markdown-view.tsx";
import { attempt, showToast } from "../toast.tsx";
import { ConflictView } from "./conflict-view.tsx";
import type { Conflict } from "./drafts.ts";
import { NoteForm } from "./note-form.tsx";

type Note = Reply<"notes">["notes"][number];

/** The agent's own notes name no one. */
const writers: Record<NonNullable<Note["by"]>, string> = {
  person: "by a person",
  "sub-session": "by a sub-session",
  import: "imported",
};

interface NoteCardProps {
  sessionId: string;
  note: Note;
  limits: Reply<"memory">["limits"];
  chosen: readonly string[];
  toggle: (tag: string) => void;
}

export function NoteCard({ sessionId, note, limits, chosen, toggle }: NoteCardProps) {
  /** The note when the person started to edit it. */
  const [base, setBase] = useState<Pick<Note, "content" | "tags">>();
  const [conflict, setConflict] = useState<{ conflict: Conflict; tags: string[] }>();
  const now = useNow();
  const params = { id: sessionId, note: note.id };

  const save = (from: Pick<Note, "content" | "tags">, content: string, tags: string[]) =>
    attempt(async () => {
      try {
        const { merged } = await callApi("editNote", { params, body: { base: from, content, tags } });
        setBase(undefined);
        setConflict(undefined);
        showToast(merged ? "Saved and merged with concurrent changes." : "Saved.");
      } catch (error) {
        if (!(error instanceof ApiError && error.conflict)) throw error;
        setConflict({ conflict: error.conflict, tags });
      }
    });

  if (conflict) {
    return (
      <ConflictView
        conflict={conflict.conflict}
        cancel={() => setConflict(undefined)}
        save={(resolved, { theirs }) => save({ content: theirs, tags: note.tags }, resolved, conflict.tags)}
      />
    );
  }
  if (base) {
    return (
      <NoteForm
        label="Note"
        start={base}
        limits={limits}
        cancel={() => setBase(undefined)}
        save={({ content, tags }) => save(base, content, tags)}
      />
    );
  }
  return (
    <article class="card">
      <Markdown text={note.content} />
      <footer class="card-foot">
        <span class="tags">
          {note.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              class="tag tag-button"
              aria-pressed={chosen.includes(tag)}
              onClick={() => toggle(tag)}
            >
              <bdi>{tag}</bdi>
            </button>
          ))}
        </span>
        <span class="faint" title={dateTime(note.updatedAt)}>
          {note.by ? `${writers[note.by]}, ` : ""}
          {ago(note.updatedAt, now)}
        </span>
        <button
          type="button"
          class="icon-button"
          aria-label="Edit this note"
          onClick={() => setBase({ content: note.content, tags: note.tags })}
        >
          ✎
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Delete this note"
          onClick={() => remove(params)}
        >
          ×
        </button>
      </footer>
    </article>
  );
}

function remove(params: { id: string; note: string }): void {
  attempt(async () => {
    const { revision } = await callApi("deleteNote", { params });
    showToast("Note deleted.", {
      label: "Undo",
      run: () =>
        attempt(async () => {
          await callApi("undo", { params: { id: params.id }, body: { revision } });
        }),
    });
  });
}
