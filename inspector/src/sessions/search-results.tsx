import { useEffect, useState } from "preact/hooks";
import { type ApiError, callApi, type Reply } from "../api.ts";
import { plural } from "../format.ts";
import { asApiError } from "../load.ts";
import { hrefTo, type RouteDetail, type Tab } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";

export type Hit = Reply<"search">["hits"][number];

interface Found {
  hits: readonly Hit[];
  total: number;
  cursor: string | null;
  searched: number;
}

const typingDelay = 150;
const maxHits = 100;
/** Searching more sessions takes seconds, so let the person decide. */
const sessionsAtOnce = 1_000;

/** The best matches in the memory and messages of all sessions, by session, best first. */
export function SearchResults({ query }: { query: string }) {
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<ApiError>();
  const [attempts, setAttempts] = useState(0);

  useEffect(() => {
    const aborter = new AbortController();
    setFound(undefined);
    setError(undefined);
    const timer = setTimeout(() => {
      searchMore(query, { hits: [], total: 0, cursor: null, searched: 0 }, aborter.signal).then(
        setFound,
        (problem) => {
          if (!aborter.signal.aborted) setError(asApiError(problem));
        },
      );
    }, typingDelay);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [query, attempts]);

  if (!found) return <Waiting error={error} retry={() => setAttempts(attempts + 1)} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links in it take the focus; this only moves it
    <div class="results" onKeyDown={walkResults}>
      <p class="results-count" role="status">
        {found.total === 0
          ? "Nothing found"
          : `${plural(found.total, "match").replace(/matchs$/, "matches")}${found.cursor ? " so far" : ""}`}
        {` in ${plural(found.searched, "session")}`}
        {found.total > found.hits.length && `, showing the best ${found.hits.length}`}
      </p>
      {found.hits.length === 0 && found.cursor === null && (
        <Empty title="No session mentions this">
          <p>
            The search covers titles, notepads, scratchpads, notes and messages. Try fewer or different words.
          </p>
        </Empty>
      )}
      {[...groupBySession(found.hits)].map(([id, hits]) => (
        <section key={id} class="results-group" aria-label={nameOf(hits)}>
          <h3 class="results-session">
            <bdi>{nameOf(hits)}</bdi>
          </h3>
          <ul class="results-list">
            {hits.map((hit, index) => (
              <li key={`${hit.kind} ${hit.noteId ?? hit.message ?? index} ${hit.line}`}>
                <a class="result" href={hrefOf(hit)}>
                  <span class="result-kind">{placeOf(hit)}</span>
                  <span class="result-text" dir="auto">
                    {wordsBefore(hit)}
                    {hit.length > 0 && <mark>{hit.excerpt.slice(hit.at, hit.at + hit.length)}</mark>}
                    {hit.excerpt.slice(hit.at + hit.length)}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {found.cursor !== null && (
        <button
          type="button"
          class="button button-wide"
          onClick={() => searchMore(query, found).then(setFound, (problem) => setError(asApiError(problem)))}
        >
          Search more sessions
        </button>
      )}
    </div>
  );
}

/** The up and down keys move through the matches; up from the first returns to the search field. */
function walkResults(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const links: Element[] = [...document.querySelectorAll<HTMLElement>(".result")];
  const at = document.activeElement ? links.indexOf(document.activeElement) : -1;
  if (at + step < 0) document.getElementById("search")?.focus();
  else (links[Math.min(links.length - 1, at + step)] as HTMLElement | undefined)?.focus();
}

function groupBySession(hits: readonly Hit[]): Map<string, Hit[]> {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.sessionId);
    if (group) group.push(hit);
    else groups.set(hit.sessionId, [hit]);
  }
  return groups;
}

function nameOf([first]: readonly Hit[]): string {
  return first?.title || first?.sessionId || "";
}

export function placeOf({ kind, line, message }: Hit): string {
  if (kind === "message") return `message ${message}`;
  return kind === "notepad" || kind === "plan" || kind === "scratchpad" ? `${kind} line ${line}` : kind;
}

/** Characters shown before a match. */
const before = 40;

/** The words before a match, from the beginning of one. */
export function wordsBefore({ excerpt, at }: Hit): string {
  if (at <= before) return excerpt.slice(0, at);
  const text = excerpt.slice(at - before, at);
  return `…${text.slice(text.indexOf(" ") + 1)}`;
}

/** Opens the place of a match, with the match highlighted. */
export function hrefOf({ sessionId, kind, message, excerpt, at, length }: Hit): string {
  const tab: Tab = kind === "message" ? "conversation" : "memory";
  const line = excerpt.slice(at, at + Math.max(length, 40)).split("\n")[0] ?? "";
  const detail: RouteDetail = kind === "title" ? {} : { find: line };
  return hrefTo(sessionId, tab, message ?? undefined, detail);
}

/** Searches page after page, because the best match may be in the last one. */
async function searchMore(query: string, before: Found, signal?: AbortSignal): Promise<Found> {
  let { hits, total, cursor, searched } = before;
  do {
    const next = cursor === null ? {} : { cursor };
    const page = await callApi(
      "search",
      { query: { q: query, status: "all", limit: maxHits, ...next } },
      signal,
    );
    hits = [...hits, ...page.hits].sort(compareHits).slice(0, maxHits);
    ({ cursor } = page);
    total += page.total;
    searched += page.searched;
  } while (searched - before.searched < sessionsAtOnce && cursor !== null);
  return { hits, total, cursor, searched };
}

/** The order within a page, as the API documents it. */
function compareHits(a: Hit, b: Hit): number {
  if (a.sessionId === b.sessionId) return b.score - a.score;
  return b.score - a.score || b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1);
}
