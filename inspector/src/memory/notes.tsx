import { useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { plural } from "../format.ts";
import { useFreshness } from "../live.ts";
import { useLoad } from "../load.ts";
import { Empty, Waiting } from "../states.tsx";
import { attempt, showToast } from "../toast.tsx";
import { NoteCard } from "./note-card.tsx";
import { NoteForm } from "./note-form.tsx";

interface NotesProps {
  sessionId: string;
  tags: Reply<"memory">["tags"];
  total: number;
  limits: Reply<"memory">["limits"];
}

const pageSize = 30;

/** Notes as cards, newest first, filtered by words and tags. */
export function Notes({ sessionId, tags, total, limits }: NotesProps) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [offset, setOffset] = useState(0);
  const [isAdding, setAdding] = useState(false);
  const isFiltered = query.trim() !== "" || chosen.length > 0;
  const { data, error, reload } = useLoad(
    "notes",
    { params: { id: sessionId }, query: { q: query.trim(), tag: [...chosen], offset, limit: pageSize } },
    useFreshness(sessionId),
  );
  const toggle = (tag: string) => {
    setOffset(0);
    setChosen(chosen.includes(tag) ? chosen.filter((each) => each !== tag) : [...chosen, tag]);
  };
  return (
    <section class="panel" aria-labelledby="title-notes-cards">
      <div class="panel-head">
        <h2 id="title-notes-cards">
          Notes <span class="faint number">{total}</span>
        </h2>
        <div class="panel-actions">
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
          <button type="button" class="button" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            Add a note
          </button>
        </div>
      </div>
      {tags.length > 0 && <TagFilter tags={tags} chosen={chosen} toggle={toggle} />}
      {isAdding && (
        <NoteForm
          label="New note"
          limits={limits}
          start={{ content: "", tags: [] }}
          cancel={() => setAdding(false)}
          save={(note) =>
            attempt(async () => {
              await callApi("addNote", { params: { id: sessionId }, body: note });
              setAdding(false);
              showToast("Note added.");
            })
          }
        />
      )}
      {!data && <Waiting error={error} retry={reload} lines={3} />}
      {data?.ranked && (
        <p class="faint" role="status">
          No exact match; these notes contain the words, best first.
        </p>
      )}
      {data?.notes.length === 0 && <NoNotes isFiltered={isFiltered} />}
      <ul class="note-list">
        {data?.notes.map((note) => (
          <li key={note.id}>
            <NoteCard sessionId={sessionId} note={note} limits={limits} chosen={chosen} toggle={toggle} />
          </li>
        ))}
      </ul>
      {data && data.total > pageSize && (
        <div class="pager">
          <button
            type="button"
            class="button"
            disabled={offset === 0}
            onClick={() => setOffset(Math.max(0, offset - pageSize))}
          >
            Newer
          </button>
          <span class="faint number" role="status">
            {offset + 1}–{offset + data.notes.length} of {plural(data.total, "note")}
          </span>
          <button
            type="button"
            class="button"
            disabled={data.nextOffset === null}
            onClick={() => setOffset(data.nextOffset ?? offset)}
          >
            Older
          </button>
        </div>
      )}
    </section>
  );
}

function TagFilter({
  tags,
  chosen,
  toggle,
}: {
  tags: NotesProps["tags"];
  chosen: readonly string[];
  toggle: (tag: string) => void;
}) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? tags : tags.slice(0, 12);
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
      {tags.length > 12 && (
        <button type="button" class="tag tag-button" onClick={() => setAll(!isAll)}>
          {isAll ? "fewer" : `${tags.length - 12} more`}
        </button>
      )}
    </fieldset>
  );
}

function NoNotes({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No note matches">
      <p>Try fewer words or tags.</p>
    </Empty>
  ) : (
    <p class="panel-empty">
      Notes are single findings with tags. They stay out of the window until the agent searches for them.
    </p>
  );
}
