import { useState } from "preact/hooks";
import { ApiError, callApi, type Reply } from "./api.ts";
import { ConflictView } from "./conflict-view.tsx";
import type { Conflict } from "./drafts.ts";
import { actors, ago, dateTime } from "./format.ts";
import { useMemoryFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { Markdown } from "./markdown-view.tsx";
import type { SessionMemory } from "./session.tsx";
import { Empty, Pager, Waiting } from "./states.tsx";
import { useNow } from "./store.ts";
import { takeFocus } from "./text-panel.tsx";
import { attempt, edit, offerUndo } from "./toast.tsx";

type Note = Reply<"notes">["notes"][number];

const pageSize = 30;
const maxTags = 12;

/** Notes as cards, newest first, filtered by words and tags. */
export function Notes({ memory, isPast }: { memory: SessionMemory; isPast: boolean }) {
  const { session, tags, noteCount, offered, revision } = memory;
  const { id } = session;
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [offset, setOffset] = useState(0);
  const [isAdding, setAdding] = useState(false);
  const isFiltered = query.trim() !== "" || chosen.length > 0;
  const filter = isPast ? { revision } : { q: query.trim(), tag: [...chosen] };
  const request = { params: { id }, query: { ...filter, offset, limit: pageSize } };
  const freshness = useMemoryFreshness(id);
  const { data, error, reload } = useLoad("notes", noteCount === 0 ? undefined : request, freshness);
  const toggle = (tag: string) => {
    setOffset(0);
    setChosen(chosen.includes(tag) ? chosen.filter((each) => each !== tag) : [...chosen, tag]);
  };
  return (
    <section class="panel" aria-labelledby="title-notes-cards">
      <div class="panel-head">
        <h2 id="title-notes-cards">
          Notes <span class="faint number">{noteCount}</span>
        </h2>
        {!isPast && (
          <div class="panel-actions">
            {noteCount > 0 && (
              <input
                class="input"
                type="search"
                placeholder="Search these notes"
                aria-label="Search the notes of this session"
                value={query}
                maxLength={1000}
                onInput={(event) => {
                  setOffset(0);
                  setQuery(event.currentTarget.value);
                }}
              />
            )}
            {offered.notes && (
              <button
                type="button"
                class="button"
                aria-expanded={isAdding}
                onClick={() => setAdding(!isAdding)}
              >
                Add a note
              </button>
            )}
          </div>
        )}
      </div>
      {tags.length > 0 && <TagFilter tags={tags} chosen={chosen} toggle={toggle} />}
      {isAdding && (
        <NoteForm
          label="New note"
          start={{ content: "", tags: [] }}
          cancel={() => setAdding(false)}
          save={(note) => edit(id, { type: "note.add", ...note }, "Note added.", () => setAdding(false))}
        />
      )}
      {!offered.notes && <p class="faint">The agent is not offered notes, so it cannot find these.</p>}
      {noteCount === 0 && (
        <p class="panel-empty">
          Notes are single findings with tags. They stay out of the window until the agent searches for them.
        </p>
      )}
      {noteCount > 0 && !data && <Waiting error={error} retry={reload} lines={3} />}
      {data?.ranked && (
        <p class="faint" role="status">
          No exact match. These notes contain the words, best first.
        </p>
      )}
      {data?.notes.length === 0 && isFiltered && (
        <Empty title="No note matches">
          <p>Try fewer words or tags.</p>
        </Empty>
      )}
      <ul class="note-list">
        {(noteCount === 0 ? [] : (data?.notes ?? [])).map((note) => (
          <li key={note.id}>
            <NoteCard sessionId={id} note={note} chosen={chosen} toggle={toggle} isPast={isPast} />
          </li>
        ))}
      </ul>
      {data && data.total > pageSize && (
        <Pager
          offset={offset}
          shown={data.notes.length}
          total={data.total}
          noun="note"
          pageSize={pageSize}
          go={setOffset}
        />
      )}
    </section>
  );
}

interface TagFilterProps {
  tags: SessionMemory["tags"];
  chosen: readonly string[];
  toggle: (tag: string) => void;
}

function TagFilter({ tags, chosen, toggle }: TagFilterProps) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? tags : tags.slice(0, maxTags);
  return (
    <fieldset class="tags" aria-label="Filter by tags">
      {shown.map(({ tag, notes }) => (
        <button
          key={tag}
          type="button"
          class="tag tag-button"
          aria-pressed={chosen.includes(tag)}
          onClick={() => toggle(tag)}
        >
          <bdi>{tag}</bdi> <span class="number faint">{notes}</span>
        </button>
      ))}
      {tags.length > maxTags && (
        <button type="button" class="tag tag-button" onClick={() => setAll(!isAll)}>
          {isAll ? "fewer" : `${tags.length - maxTags} more`}
        </button>
      )}
    </fieldset>
  );
}

interface NoteCardProps {
  sessionId: string;
  note: Note;
  chosen: readonly string[];
  toggle: (tag: string) => void;
  isPast: boolean;
}

type NoteText = Pick<Note, "content" | "tags">;

function NoteCard({ sessionId: id, note, chosen, toggle, isPast }: NoteCardProps) {
  /** The note when the person started to edit it. */
  const [base, setBase] = useState<NoteText>();
  const [conflict, setConflict] = useState<{ conflict: Conflict; tags: string[] }>();
  const now = useNow();
  const save = (from: NoteText, { content, tags }: NoteText) =>
    attempt(async () => {
      try {
        const body = { type: "note.edit" as const, note: note.id, base: from, content, tags };
        const { merged, revision } = await callApi("edit", { params: { id }, body });
        setBase(undefined);
        setConflict(undefined);
        offerUndo(id, revision, merged ? "Saved and merged with concurrent changes." : "Saved.");
      } catch (error) {
        if (!(error instanceof ApiError && error.conflict)) throw error;
        setConflict({ conflict: error.conflict, tags });
      }
    });
  if (conflict) {
    const { tags } = conflict;
    return (
      <ConflictView
        conflict={conflict.conflict}
        cancel={() => setConflict(undefined)}
        save={(content, { theirs }) => save({ content: theirs, tags: note.tags }, { content, tags })}
      />
    );
  }
  if (base)
    return (
      <NoteForm
        label="Note"
        start={base}
        cancel={() => setBase(undefined)}
        save={(next) => save(base, next)}
      />
    );
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
          {note.by ? `by ${actors[note.by]}, ` : ""}
          {ago(note.updatedAt, Math.max(now, note.updatedAt))}
        </span>
        {!isPast && (
          <>
            <button
              type="button"
              class="icon-button"
              aria-label="Edit this note"
              title="Edit"
              onClick={() => setBase({ content: note.content, tags: note.tags })}
            >
              ✎
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Delete this note"
              title="Delete"
              onClick={() => edit(id, { type: "note.delete", note: note.id }, "Note deleted.")}
            >
              ×
            </button>
          </>
        )}
      </footer>
    </article>
  );
}

interface NoteFormProps {
  label: string;
  start: NoteText;
  save: (note: NoteText) => void;
  cancel: () => void;
}

function NoteForm({ label, start, save, cancel }: NoteFormProps) {
  const [content, setContent] = useState(start.content);
  const [tags, setTags] = useState(start.tags.join(", "));
  const submit = () => {
    if (content.trim() !== "") save({ content, tags: tagsOf(tags) });
  };
  return (
    <form
      class="editor note-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") cancel();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
      }}
    >
      <textarea
        class="input"
        rows={4}
        dir="auto"
        aria-label={label}
        ref={takeFocus}
        value={content}
        onInput={(event) => setContent(event.currentTarget.value)}
      />
      <div class="editor-foot">
        <input
          class="input note-tags"
          dir="auto"
          placeholder="tags, comma-separated"
          aria-label={`Tags of the ${label.toLowerCase()}, comma-separated`}
          value={tags}
          onInput={(event) => setTags(event.currentTarget.value)}
        />
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <button type="submit" class="button button-primary" disabled={content.trim() === ""}>
          Save
        </button>
      </div>
    </form>
  );
}

function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}
