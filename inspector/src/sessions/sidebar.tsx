import { useState } from "preact/hooks";
import { SearchResults } from "./search-results.tsx";
import type { Shown } from "./session-pages.ts";
import { SessionTree } from "./session-tree.tsx";

const statuses: readonly Shown[] = ["active", "archived", "deleted"];

export function Sidebar({ isWide }: { isWide: boolean }) {
  const [query, setQuery] = useState("");
  const [shown, setShown] = useState<Shown>("active");
  return (
    <nav class="sidebar" aria-label="Sessions">
      <div class="sidebar-head">
        <input
          id="search"
          class="input"
          type="search"
          placeholder="Search everything"
          aria-label="Search the notes, notepads, plans, titles and messages of all sessions"
          aria-keyshortcuts="/"
          value={query}
          maxLength={1000}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setQuery("");
            if (event.key !== "ArrowDown") return;
            const next = document.querySelector<HTMLElement>('.result, .tree [tabindex="0"]');
            if (!next) return;
            event.preventDefault();
            next.focus();
          }}
        />
        <fieldset class="segments" aria-label="Which sessions">
          {statuses.map((status) => (
            <button
              key={status}
              type="button"
              class="segment"
              aria-pressed={status === shown}
              onClick={() => setShown(status)}
            >
              {status}
            </button>
          ))}
        </fieldset>
      </div>
      {query.trim() === "" ? (
        <SessionTree shown={shown} isWide={isWide} />
      ) : (
        <SearchResults query={query.trim()} />
      )}
    </nav>
  );
}
