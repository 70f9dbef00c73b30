import { useEffect, useRef, useState } from "preact/hooks";
import { Actor } from "../actor.tsx";
import { count, time } from "../format.ts";
import { replaceWith } from "../route.ts";
import { Empty, Failure, Skeleton } from "../states.tsx";
import { rowAfterKey, VirtualList } from "../virtual-list.tsx";
import { EntryDetail } from "./entry-detail.tsx";
import { type Entry, type Journal, useAllEntries, useMemoryEntries } from "./journal-pages.ts";

const rowHeight = 48;
/** Scrubbing passes many revisions; load only those where the person pauses (milliseconds). */
const settleDelay = 120;

interface TimelineProps {
  sessionId: string;
  chosen: number | undefined;
  newest: number;
}

/** The journal: who changed what and when, and the memory at that time. The entry that is marked is the one shown. */
export function TimelineView({ sessionId, chosen, newest }: TimelineProps) {
  const [only, setOnly] = useState<"memory" | "all">("memory");
  const wanted = Math.min(newest, Math.max(1, chosen ?? newest));
  const choose = (target: number) => replaceWith(sessionId, "timeline", target);
  const edits = useMemoryEntries(sessionId, newest);
  const all = useAllEntries(sessionId, newest);
  const journal = only === "memory" ? edits : all;
  // Among edits of memory, the newest one at that time; a revision between two of them changed no memory.
  const edit = edits.entry(edits.indexOf(wanted))?.revision;
  const marked = only === "memory" ? (edit !== undefined && edit <= wanted ? edit : undefined) : wanted;
  const revision = marked ?? wanted;
  const newestShown = only === "memory" ? (edits.entry(0)?.revision ?? newest) : newest;
  const isReady = only === "all" || edits.isReady || edits.error !== undefined;
  const settled = useSettled(isReady ? revision : undefined);
  return (
    <div class="timeline">
      <div class="scrub">
        <label class="scrub-label" for="scrub">
          Revision <span class="number">{count(revision)}</span>{" "}
          <span class="faint number">of {count(newest)}</span>
        </label>
        <input
          id="scrub"
          class="scrub-range"
          type="range"
          min={edits.begins?.revision ?? 1}
          max={newest}
          value={wanted}
          aria-valuetext={`Revision ${wanted} of ${newest}`}
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
        <button type="button" class="button" disabled={wanted === newest} onClick={() => choose(newest)}>
          Now
        </button>
      </div>
      <div class="timeline-columns">
        <section class="panel timeline-list" aria-labelledby="title-journal">
          <div class="panel-head">
            <h2 id="title-journal">Journal</h2>
            <fieldset class="segments" aria-label="Which entries">
              <button
                type="button"
                class="segment"
                aria-pressed={only === "memory"}
                onClick={() => setOnly("memory")}
              >
                Memory
              </button>
              <button
                type="button"
                class="segment"
                aria-pressed={only === "all"}
                onClick={() => setOnly("all")}
              >
                Everything
              </button>
            </fieldset>
          </div>
          <JournalList journal={journal} revision={revision} choose={choose} />
          {edits.begins && (
            <p class="faint">
              The history begins at revision {count(edits.begins.revision)} ({time(edits.begins.at)}).
              Retention removed what is older.
            </p>
          )}
        </section>
        {settled !== undefined ? (
          <EntryDetail
            sessionId={sessionId}
            revision={settled}
            newest={newestShown}
            isMemory={only === "memory" && marked !== undefined}
            isBehind={settled !== revision}
          />
        ) : (
          <Skeleton lines={8} />
        )}
      </div>
    </div>
  );
}

function JournalList({
  journal,
  revision,
  choose,
}: {
  journal: Journal;
  revision: number;
  choose: (revision: number) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const current = journal.indexOf(revision);
  if (journal.error && !journal.isReady) return <Failure error={journal.error} retry={journal.retry} />;
  if (journal.total === 0) {
    return journal.isReady ? (
      <Empty title="No changes to memory yet">
        <p>Edits by the agent or a person appear here. Select “Everything” to see messages too.</p>
      </Empty>
    ) : (
      <Skeleton lines={8} />
    );
  }
  const onKey = (event: KeyboardEvent) => {
    const next = rowAfterKey(event, current, journal.total);
    const target = next === undefined ? undefined : journal.revisionAt(next);
    if (target === undefined) return;
    event.preventDefault();
    choose(target);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  return (
    <div ref={list} class="journal">
      <VirtualList
        label="Journal, newest first"
        total={journal.total}
        rowHeight={rowHeight}
        current={current}
        onRange={journal.request}
        onKey={onKey}
        row={(index) => (
          <EntryRow
            entry={journal.entry(index)}
            revision={journal.revisionAt(index) ?? 0}
            isCurrent={index === current}
            choose={choose}
          />
        )}
      />
    </div>
  );
}

interface EntryRowProps {
  /** Undefined while it loads. */
  entry: Entry | undefined;
  revision: number;
  isCurrent: boolean;
  choose: (revision: number) => void;
}

function EntryRow({ entry, revision, isCurrent, choose }: EntryRowProps) {
  return (
    <div
      role="option"
      aria-selected={isCurrent}
      aria-busy={entry === undefined}
      aria-label={entry ? undefined : `Revision ${revision}, loading`}
      tabIndex={isCurrent ? 0 : -1}
      class={`entry-row${isCurrent ? " is-current" : ""}${entry && entry.undoneBy !== null ? " is-undone" : ""}${entry ? "" : " entry-row-empty"}`}
      onClick={() => choose(revision)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(revision);
      }}
    >
      {entry && <EntryLines entry={entry} />}
    </div>
  );
}

function EntryLines({ entry }: { entry: Entry }) {
  return (
    <>
      <span class="entry-revision number">{entry.revision}</span>
      <span class="entry-text">
        <span class="entry-summary" dir="auto">
          {entry.summary}
        </span>
        <span class="entry-facts">
          <Actor actor={entry.actor} />
          <span class="faint number">{time(entry.at)}</span>
          {entry.undoneBy !== null && <span class="faint">undone</span>}
        </span>
      </span>
    </>
  );
}

/** The value once it has not changed for a while; the first one at once. */
function useSettled(value: number | undefined): number | undefined {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleDelay);
    return () => clearTimeout(timer);
  }, [value]);
  return settled ?? value;
}
