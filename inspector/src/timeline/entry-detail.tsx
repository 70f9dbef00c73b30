import { useState } from "preact/hooks";
import { Actor } from "../actor.tsx";
import { callApi, type Reply } from "../api.ts";
import { dateTime, plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { Markdown } from "../markdown-view.tsx";
import { Failure, Skeleton } from "../states.tsx";
import { attempt, showToast } from "../toast.tsx";
import { Diff } from "./diff.tsx";

type Entry = Reply<"entry">["entry"];

interface EntryDetailProps {
  sessionId: string;
  revision: number;
  newest: number;
  /** Whether the entry is shown as an edit of memory, without what Holdfast keeps for itself. */
  isMemory: boolean;
  /** Whether another entry has been chosen, which is not shown yet. */
  isBehind: boolean;
}

/** One entry with all its changes, and the memory right after it. */
export function EntryDetail({ sessionId, revision, newest, isMemory, isBehind }: EntryDetailProps) {
  const params = { id: sessionId, revision };
  const entry = useLoad("entry", { params }, 0);
  const then = useLoad("memoryAt", { params, query: { limit: 20 } }, 0);
  return (
    <div class="timeline-detail" aria-busy={isBehind}>
      <section class="panel" aria-labelledby="title-entry">
        <div class="panel-head">
          <h2 id="title-entry">Revision {revision}</h2>
          {entry.data?.entry.canUndo && (
            <button type="button" class="button" onClick={() => undo(sessionId, revision)}>
              Undo this change
            </button>
          )}
        </div>
        {entry.data ? (
          <Change entry={entry.data.entry} isMemory={isMemory} />
        ) : entry.error ? (
          <Failure error={entry.error} retry={entry.reload} />
        ) : (
          <Skeleton lines={4} />
        )}
      </section>
      <section class="panel" aria-labelledby="title-then">
        <div class="panel-head">
          <h2 id="title-then">
            Memory at that time{" "}
            <span class="faint">
              {revision === newest ? "newest revision" : `${plural(newest - revision, "revision")} ago`}
            </span>
          </h2>
          {then.data && revision < newest && then.data.notepad !== "" && (
            <button
              type="button"
              class="button"
              onClick={() => restoreNotepad(sessionId, then.data?.notepad ?? "")}
            >
              Restore this notepad
            </button>
          )}
        </div>
        {then.data ? (
          <MemoryThen memory={then.data} />
        ) : then.error ? (
          <Failure error={then.error} retry={then.reload} />
        ) : (
          <Skeleton lines={6} />
        )}
      </section>
    </div>
  );
}

/** Records that Holdfast keeps for itself: epochs, learned counts, injected changes. */
const internals: readonly string[] = ["epoch", "learned", "injection", "span", "lock", "excerpt"];

function Change({ entry, isMemory }: { entry: Entry; isMemory: boolean }) {
  const [hasInternals, setInternals] = useState(false);
  const isInternal = ({ subject }: Entry["changes"][number]) => internals.includes(subject);
  const hidden = isMemory || entry.changes.some((change) => !isInternal(change)) ? isInternal : () => false;
  const shown = entry.changes.filter((change) => hasInternals || !hidden(change));
  const more = entry.changes.length - entry.changes.filter((change) => !hidden(change)).length;
  return (
    <>
      <p class="entry-summary-full" dir="auto">
        {entry.summary}
      </p>
      <p class="entry-head">
        <Actor actor={entry.actor} />
        <span class="faint">
          {dateTime(entry.at)} · {entry.surface} · <code>{entry.type}</code>
        </span>
      </p>
      {shown.length === 0 && more === 0 && <p class="panel-empty">No readable changes.</p>}
      {shown.map((change, index) => (
        <Diff key={index} change={change} />
      ))}
      {more > 0 && (
        <button
          type="button"
          class="link"
          aria-expanded={hasInternals}
          onClick={() => setInternals(!hasInternals)}
        >
          {hasInternals ? "Hide" : "Show"} {plural(more, "internal change")}
        </button>
      )}
    </>
  );
}

function MemoryThen({
  memory: { notepad, scratchpad, tasks, notes, totalNotes },
}: {
  memory: Reply<"memoryAt">;
}) {
  const isEmpty =
    notepad === "" &&
    scratchpad.plan === "" &&
    scratchpad.notes === "" &&
    scratchpad.refs.length === 0 &&
    totalNotes === 0;
  return (
    <div class="then">
      {isEmpty && <p class="panel-empty">Memory was empty.</p>}
      {notepad !== "" && <Markdown text={notepad} />}
      {scratchpad.plan !== "" && (
        <>
          <h3>Plan</h3>
          <Markdown text={scratchpad.plan} />
        </>
      )}
      {scratchpad.notes !== "" && (
        <>
          <h3>Scratchpad notes</h3>
          <Markdown text={scratchpad.notes} />
        </>
      )}
      {scratchpad.refs.length > 0 && (
        <>
          <h3>References</h3>
          <ul class="refs">
            {scratchpad.refs.map((ref) => (
              <li key={ref} class="ref">
                <bdi class="ref-text">{ref}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {tasks.length > 0 && <p class="faint">{plural(tasks.length, "open task")}</p>}
      {totalNotes > 0 && (
        <>
          <h3>
            Notes <span class="faint number">{totalNotes}</span>
          </h3>
          <ul class="note-list">
            {notes.map((note) => (
              <li key={note.id} class="card">
                <Markdown text={note.content} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function undo(id: string, revision: number): void {
  attempt(async () => {
    const { revision: newest } = await callApi("undo", { params: { id }, body: { revision } });
    showToast(`Undid revision ${revision}.`, { label: "Redo", run: () => undo(id, newest) });
  });
}

/** Edits the current notepad, so that the restore can be undone like any other edit. */
function restoreNotepad(id: string, text: string): void {
  attempt(async () => {
    const now = await callApi("memory", { params: { id } });
    const base = { revision: now.revision, text: now.notepad };
    const { revision } = await callApi("editText", { params: { id, text: "notepad" }, body: { base, text } });
    showToast("Notepad restored.", { label: "Undo", run: () => undo(id, revision) });
  });
}
