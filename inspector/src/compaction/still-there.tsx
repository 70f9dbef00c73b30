import { useEffect, useState } from "preact/hooks";
import { Actor } from "../actor.tsx";
import type { Reply } from "../api.ts";
import { count, dateTime, dollars, plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { hrefTo, replaceWith, useRoute } from "../route.ts";
import { Failure } from "../states.tsx";

type Whereabouts = Reply<"whereabouts">;
type Place = Whereabouts["places"][number];
type Life = NonNullable<Whereabouts["life"]>;

/** "Is it still there?": paste a path or a sentence, and read where the agent has it. */
export function StillThere({ sessionId, freshness }: { sessionId: string; freshness: unknown }) {
  const { tab, item, find } = useRoute();
  const [text, setText] = useState(find);
  useEffect(() => setText(find), [find]);
  const query = find.trim();
  const { data, error, reload } = useLoad(
    "whereabouts",
    query === "" ? undefined : { params: { id: sessionId }, query: { q: query } },
    freshness,
  );
  const ask = (wanted: string) => replaceWith(sessionId, tab, item, { find: wanted.trim() });
  return (
    <section class="still" aria-label="Is it still there?">
      <form
        class="still-form"
        onSubmit={(event) => {
          event.preventDefault();
          ask(text);
        }}
      >
        <label class="still-label" for="still-there">
          Is it still there?
        </label>
        <input
          id="still-there"
          class="input"
          type="search"
          dir="auto"
          value={text}
          maxLength={2000}
          placeholder="Paste a path, a number or a sentence"
          onInput={(event) => {
            setText(event.currentTarget.value);
            if (event.currentTarget.value === "") ask("");
          }}
        />
        <button type="submit" class="button" disabled={text.trim() === ""}>
          Look
        </button>
      </form>
      {error && <Failure error={error} retry={reload} />}
      {query !== "" && data && <Answer sessionId={sessionId} found={data} />}
    </section>
  );
}

function Answer({ sessionId, found: { places, life } }: { sessionId: string; found: Whereabouts }) {
  const [best, ...others] = places;
  return (
    <div class="still-answer" role="status">
      <p class="still-verdict">
        {!best ? (
          <>
            <strong class="bad">No.</strong> It is in no memory, message or revision of this session.
          </>
        ) : best.inSight ? (
          <>
            <strong class="good">In context:</strong> <PlaceLink sessionId={sessionId} place={best} />
            {lifeSentence(life)}.
          </>
        ) : best.kind === "history" ? (
          <>
            <strong class="bad">Lost:</strong> <PlaceLink sessionId={sessionId} place={best} />.
          </>
        ) : (
          <>
            <strong>Retrievable:</strong> <PlaceLink sessionId={sessionId} place={best} />
            {best.kind === "note" ? ", which the agent finds by searching" : ""}.
          </>
        )}
      </p>
      {best && (
        <p class="still-text" dir="auto">
          {best.text}
        </p>
      )}
      {life && <LifeFacts sessionId={sessionId} life={life} />}
      {others.length > 0 && (
        <details class="quiet">
          <summary>{plural(others.length, "other place")}</summary>
          <ul class="still-places">
            {others.map((place) => (
              <li key={`${place.kind} ${place.number} ${place.line} ${place.noteId}`}>
                <PlaceLink sessionId={sessionId} place={place} />
                {!place.inSight && <span class="badge">retrievable</span>}
                <bdi class="faint still-place-text">{place.text}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function lifeSentence(life: Life | null): string {
  if (!life) return "";
  const since = life.since === null ? "" : `, since revision ${life.since}`;
  if (!life.calls || life.calls.present < life.calls.checked) return since;
  return `${since}, in every call since`;
}

/** The life of a fact: who wrote it when, where it was present, what it survived and cost. */
function LifeFacts({ sessionId, life }: { sessionId: string; life: Life }) {
  const { since, at, actor, calls, compactions, tokens, money } = life;
  return (
    <dl class="facts life">
      <div>
        <dt>Written</dt>
        <dd>
          {since === null ? (
            "before the revisions that are searched"
          ) : (
            <>
              {actor && <Actor actor={actor} />}{" "}
              <a href={hrefTo(sessionId, "timeline", since)}>revision {since}</a>
              {at !== null && <span class="faint">, {dateTime(at)}</span>}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Present in</dt>
        <dd class="number">
          {calls
            ? `${count(calls.present)} of ${plural(calls.checked, "call")} since${calls.isAll ? "" : " (the newest)"}`
            : "no recorded calls"}
        </dd>
      </div>
      <div>
        <dt>Survived</dt>
        <dd class="number">{plural(compactions, "compaction")}</dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd class="number">
          about {plural(tokens, "token")} per call
          {money !== null && calls && calls.present > 0 && `, ${dollars(money)} in all`}
        </dd>
      </div>
    </dl>
  );
}

const places: Record<Place["kind"], string> = {
  notepad: "notepad",
  plan: "plan",
  scratchpad: "scratchpad notes",
  reference: "references",
  note: "a note",
  message: "message",
  summary: "the summary",
  handoff: "the handoff",
  history: "revision",
};

function PlaceLink({ sessionId, place }: { sessionId: string; place: Place }) {
  const { kind, line, number, text } = place;
  const detail = { find: text };
  const numbered = number === null ? undefined : number;
  switch (kind) {
    case "message":
      return <a href={hrefTo(sessionId, "conversation", numbered, detail)}>message {number}</a>;
    case "history":
      return (
        <>
          it was removed in <a href={hrefTo(sessionId, "timeline", numbered)}>revision {number}</a>
        </>
      );
    case "summary":
      return <span>the summary of the messages up to {number}</span>;
    case "handoff":
      return <span>the handoff of compaction {number}</span>;
    default:
      return (
        <a href={hrefTo(sessionId, "memory", undefined, detail)}>
          {places[kind]}
          {line === null ? "" : ` line ${line}`}
        </a>
      );
  }
}
