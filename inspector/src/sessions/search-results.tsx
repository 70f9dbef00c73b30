import { useEffect, useState } from "preact/hooks";
import { type ApiError, callApi, type Reply } from "../api.ts";
import { plural } from "../format.ts";
import { asApiError } from "../load.ts";
import { goTo } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";

type Hit = Reply<"search">["hits"][number];

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

/** The best matches in the memory of all sessions, in the order of `holdfast search`. */
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
    <div class="results">
      <p class="results-count" role="status">
        {found.total === 0
          ? "Nothing found"
          : `${plural(found.total, "match").replace(/matchs$/, "matches")}${found.cursor ? " so far" : ""}`}
        {` in ${plural(found.searched, "session")}`}
        {found.total > found.hits.length && `, showing the best ${found.hits.length}`}
      </p>
      {found.hits.length === 0 && found.cursor === null && (
        <Empty title="No session mentions this">
          <p>The search covers titles, notepads, scratchpads and notes. Try fewer or different words.</p>
        </Empty>
      )}
      <ul class="results-list">
        {found.hits.map((hit, index) => (
          <li key={`${hit.sessionId} ${hit.kind} ${hit.noteId ?? index}`}>
            <button type="button" class="result" onClick={() => goTo(hit.sessionId, "memory")}>
              <span class="result-head">
                <bdi class="result-title">{hit.title || hit.sessionId}</bdi>
                <span class="result-kind">{hit.kind}</span>
              </span>
              <span class="result-text" dir="auto">
                {hit.excerpt.slice(Math.max(0, hit.at - 40), hit.at)}
                {hit.length > 0 && <mark>{hit.excerpt.slice(hit.at, hit.at + hit.length)}</mark>}
                {hit.excerpt.slice(hit.at + hit.length)}
              </span>
            </button>
          </li>
        ))}
      </ul>
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
