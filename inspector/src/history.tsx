import { useEffect, useState } from "preact/hooks";
import { callApi, type Reply } from "./api.ts";
import { CompactionDetail } from "./compaction.tsx";
import { describeCompaction, type Facts } from "./facts.ts";
import { actorLabel, count, dateTime, plural, time } from "./format.ts";
import { useFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { hrefTo, useRoute } from "./route.ts";
import { walkLinks } from "./shortcuts.tsx";
import { Empty, Waiting } from "./states.tsx";
import { save } from "./text-panel.tsx";
import { attempt, edit } from "./toast.tsx";

type Entry = Reply<"history">["entries"][number];

const pageSize = 60;

/** One list of writes, warnings and compactions, and what the chosen one did. */
export function HistoryView({ sessionId, newest }: { sessionId: string; newest: number }) {
  const { item, at } = useRoute();
  const [before, setBefore] = useState<number>();
  const freshness = useFreshness(sessionId);
  useEffect(() => setBefore(undefined), [sessionId, at]);
  const from = before ?? (at === undefined ? undefined : at + 1);
  const query = { limit: pageSize, ...(from === undefined ? {} : { before: from }) };
  const { data, error, reload } = useLoad(
    "history",
    { params: { id: sessionId }, query },
    from === undefined ? freshness : 0,
  );
  if (!data) return <Waiting error={error} retry={reload} lines={10} />;
  const { entries, begins } = data;
  const [first] = entries;
  const chosen = item ?? (first ? keyOf(first) : undefined);
  if (!first && item === undefined)
    return (
      <Empty title="Nothing written yet">
        <p>Writes, warnings and compactions appear here as they happen.</p>
      </Empty>
    );
  return (
    <div class={`history${item === undefined ? "" : " has-choice"}`}>
      <section class="panel history-list" aria-labelledby="title-history">
        <h2 id="title-history" class="unseen">
          History, newest first
        </h2>
        <ol class="plain" onKeyDown={(event) => walkLinks(event, ".entry")?.click()}>
          {entries.map((entry) => (
            <li key={entry.revision}>
              <EntryRow sessionId={sessionId} entry={entry} isChosen={keyOf(entry) === chosen} at={at} />
            </li>
          ))}
        </ol>
        {begins && data.before === null && (
          <p class="faint history-end">Retention removed what is older than {dateTime(begins.at)}.</p>
        )}
        {(before !== undefined || data.before !== null) && (
          <div class="pager">
            <button
              type="button"
              class="button button-small"
              disabled={data.before === null}
              onClick={() => setBefore(data.before ?? undefined)}
            >
              Older
            </button>
            <button
              type="button"
              class="button button-small"
              disabled={before === undefined}
              onClick={() => setBefore(undefined)}
            >
              Newest
            </button>
          </div>
        )}
      </section>
      <div class="history-detail">
        <a class="button button-small history-back" href={hrefTo(sessionId, "history")}>
          ‹ All of the history
        </a>
        {chosen?.startsWith("c") ? (
          <CompactionDetail key={chosen} sessionId={sessionId} epoch={Number(chosen.slice(1))} />
        ) : chosen !== undefined ? (
          <EntryDetail key={chosen} sessionId={sessionId} revision={Number(chosen)} newest={newest} />
        ) : null}
      </div>
    </div>
  );
}

/** A compaction is named by its epoch, which stays when retention removes its entry. */
function keyOf({ revision, compaction }: Pick<Entry, "revision" | "compaction">): string {
  return compaction ? `c${compaction.epoch}` : String(revision);
}

interface EntryRowProps {
  sessionId: string;
  entry: Entry;
  isChosen: boolean;
  at: number | undefined;
}

function EntryRow({ sessionId, entry, isChosen, at }: EntryRowProps) {
  const { actor, compaction, type, undoneBy } = entry;
  const sign = compaction ? "✂" : type.includes("warn") ? "!" : "";
  return (
    <a
      class={`entry${compaction ? " entry-compaction" : ""}${undoneBy === null ? "" : " is-undone"}`}
      href={hrefTo(sessionId, "history", keyOf(entry), { at })}
      aria-current={isChosen ? "true" : undefined}
    >
      <span class="entry-time number faint" title={dateTime(entry.at)}>
        {time(entry.at)}
      </span>
      <span class={`entry-actor actor-${actor.kind}`}>{sign || actorLabel(actor)}</span>
      <span class="entry-text" dir="auto">
        {compaction ? (
          <>
            <strong>Compaction {compaction.epoch}</strong> {describeCompaction(compaction as Facts)}
          </>
        ) : (
          entry.summary
        )}
      </span>
    </a>
  );
}

/** Records that Holdfast keeps for itself: epochs, learned counts, injected changes. */
const internals: readonly string[] = ["epoch", "learned", "span", "lock", "excerpt", "origin"];

function EntryDetail({
  sessionId,
  revision,
  newest,
}: {
  sessionId: string;
  revision: number;
  newest: number;
}) {
  const query = { before: revision + 1, full: "yes" as const };
  const { data, error, reload } = useLoad("history", { params: { id: sessionId }, query }, 0);
  const entry = data?.entries[0];
  if (!entry) return <Waiting error={error} retry={reload} lines={6} />;
  const shown = entry.changes.filter(({ subject }) => !internals.includes(subject));
  return (
    <section class="panel" aria-labelledby="title-entry">
      <div class="panel-head">
        <h2 id="title-entry" dir="auto">
          {entry.summary}
        </h2>
        <div class="panel-actions">
          <a class="button" href={hrefTo(sessionId, "memory", undefined, { at: revision })}>
            Memory at that time
          </a>
          {revision < newest && entry.changes.some(({ subject }) => subject === "notepad") && (
            <button type="button" class="button" onClick={() => restoreNotepad(sessionId, revision)}>
              Restore this notepad
            </button>
          )}
          {entry.canUndo && (
            <button
              type="button"
              class="button"
              onClick={() => edit(sessionId, { type: "undo", revision }, `Undid revision ${revision}.`)}
            >
              Undo this change
            </button>
          )}
        </div>
      </div>
      <p class="faint">
        {actorLabel(entry.actor)} · {dateTime(entry.at)} · revision {count(revision)} · {entry.surface}
      </p>
      {shown.map((change, index) => (
        <Diff key={index} change={change} />
      ))}
      {shown.length === 0 && (
        <p class="panel-empty">
          {entry.changes.length === 0
            ? "No readable changes."
            : `${plural(entry.changes.length, "change")} in what Holdfast keeps for itself.`}
        </p>
      )}
    </section>
  );
}

/** Edits the current notepad, so that the restore can be undone like any other edit. */
function restoreNotepad(id: string, revision: number): void {
  attempt(async () => {
    const params = { id };
    const then = await callApi("session", { params, query: { revision } });
    const now = await callApi("session", { params });
    const base = { revision: now.revision, text: now.notepad.text };
    save(id, "notepad", { base, text: then.notepad.text }, "Notepad restored.");
  });
}

type Change = Reply<"history">["entries"][number]["changes"][number];

const signs = { same: " ", added: "+", removed: "−", gap: "" };
const spoken = { same: "", added: "added: ", removed: "removed: ", gap: "" };

function Diff({ change: { subject, key, kind, lines, cut } }: { change: Change }) {
  return (
    <div class="diff">
      <p class="diff-head">
        <span class="badge">{subject}</span>
        {key !== null && <bdi class="faint">{key.replace(/^0+(?=\d)/, "")}</bdi>}
        <span class="faint">{kind}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard */}
      <section class="diff-lines" aria-label={`What changed in ${subject}`} tabIndex={0}>
        {lines.map((line, index) => (
          <div key={index} class={`diff-line diff-${line.kind}`}>
            <span class="diff-sign" aria-hidden="true">
              {signs[line.kind]}
            </span>
            <span class="diff-text" dir="auto">
              {spoken[line.kind] !== "" && <span class="unseen">{spoken[line.kind]}</span>}
              {line.kind === "gap" ? `${plural(Number(line.text), "line")} unchanged` : line.text}
            </span>
          </div>
        ))}
      </section>
      {cut && <p class="faint">Truncated.</p>}
    </div>
  );
}
