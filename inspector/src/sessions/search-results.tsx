import { useEffect, useState } from "preact/hooks";
import { type ApiError, ask, type Reply } from "../api.ts";
import { plural } from "../format.ts";
import { asApiError } from "../load.ts";
import { goTo } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";

type Hit = Reply<"search">["hits"][number];

interface Found {
  hits: readonly Hit[];
  cursor: string | null;
  searched: number;
}

const patience = 150;

/** Matches in the notes, notepads, plans and titles of all sessions. */
export function SearchResults({ query }: { query: string }) {
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<ApiError>();
  const [attempts, setAttempts] = useState(0);

  useEffect(() => {
    const aborter = new AbortController();
    setFound(undefined);
    setError(undefined);
    const timer = setTimeout(() => {
      readOn(query, { hits: [], cursor: null, searched: 0 }, aborter.signal).then(setFound, (problem) => {
        if (!aborter.signal.aborted) setError(asApiError(problem));
      });
    }, patience);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [query, attempts]);

  if (!found) return <Waiting error={error} retry={() => setAttempts(attempts + 1)} />;
  return (
    <div class="results">
      <p class="results-count" role="status">
        {found.hits.length === 0
          ? "Nothing found"
          : `${plural(found.hits.length, "match").replace(/matchs$/, "matches")}${found.cursor ? " so far" : ""}`}
        {` in ${plural(found.searched, "session")}`}
      </p>
      {found.hits.length === 0 && found.cursor === null && (
        <Empty title="No session mentions this">
          <p>Notes, notepads, plans and titles were searched. Try fewer or other words.</p>
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
          onClick={() => readOn(query, found).then(setFound, (problem) => setError(asApiError(problem)))}
        >
          Search further
        </button>
      )}
    </div>
  );
}

/** A page may be empty and the next one not, so reading goes on until something is found or all has been read. */
async function readOn(query: string, before: Found, signal?: AbortSignal): Promise<Found> {
  const hits: Hit[] = [];
  let { cursor, searched } = before;
  do {
    const page = await ask("search", { query: { q: query, ...(cursor === null ? {} : { cursor }) } }, signal);
    hits.push(...page.hits);
    ({ cursor } = page);
    searched += page.searched;
  } while (hits.length < 10 && cursor !== null);
  return { hits: [...before.hits, ...hits], cursor, searched };
}
