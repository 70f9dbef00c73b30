import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, ask, type Reply } from "../api.ts";
import { noteWriting, useAnyFreshness } from "../live.ts";
import { asApiError } from "../load.ts";

export type SessionItem = Reply<"listSessions">["sessions"][number];
export type Shown = "active" | "archived" | "deleted";

const pageSize = 100;
const mostChildren = 2_000;

export interface SessionPages {
  /** Roots of the tree on all pages; undefined until the first answer. */
  total: number | undefined;
  root(index: number): SessionItem | undefined;
  children(id: string): readonly SessionItem[];
  error: ApiError | undefined;
  /** Loads what lies in this range and is not there or not fresh. */
  want(first: number, last: number, open: ReadonlySet<string>): void;
  reload(): void;
}

interface Kept {
  status: Shown;
  pages: Map<number, SessionItem[]>;
  children: Map<string, SessionItem[]>;
  /** What was asked for since the last change. */
  asked: Set<string>;
  total: number | undefined;
  error: ApiError | undefined;
  range: [number, number, ReadonlySet<string>];
}

/** How long news are gathered before the list is asked for again. */
const gathering = 300;

/** The sessions, page by page: only what can be seen is asked for, and asked for again when something changes. */
export function useSessionPages(status: Shown): SessionPages {
  const [, draw] = useState(0);
  const kept = useRef<Kept>(emptyPages(status));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const freshness = useAnyFreshness();

  const load = (
    key: string,
    query: { parent: string; offset: number },
    keep: (page: Reply<"listSessions">) => void,
  ) => {
    const mine = kept.current;
    if (mine.asked.has(key)) return;
    mine.asked.add(key);
    ask("listSessions", { query: { ...query, status: mine.status, limit: pageSize } })
      .then(
        (page) => {
          mine.error = undefined;
          noteWriting(page.sessions.filter(({ live }) => live === "writing").map(({ id }) => id));
          keep(page);
        },
        (error) => {
          // Asked for again when something changes, the server comes back, or the person says so.
          mine.error = asApiError(error);
        },
      )
      .then(() => {
        if (kept.current === mine) draw((count) => count + 1);
      });
  };

  /** All of them: the row below the last child has to know its place. */
  const loadChildren = (id: string, offset: number, before: readonly SessionItem[]) => {
    load(`children ${id} ${offset}`, { parent: id, offset }, ({ sessions, nextOffset }) => {
      const all = [...before, ...sessions];
      if (nextOffset === null || all.length >= mostChildren) kept.current.children.set(id, all);
      else loadChildren(id, nextOffset, all);
    });
  };

  const want = (first: number, last: number, open: ReadonlySet<string>) => {
    const mine = kept.current;
    mine.range = [first, last, open];
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      load(`page ${page}`, { parent: "none", offset: page * pageSize }, ({ sessions, total }) => {
        mine.pages.set(page, sessions);
        mine.total = total;
      });
    }
    for (const id of open) loadChildren(id, 0, []);
  };

  const reload = () => {
    kept.current.asked.clear();
    want(...kept.current.range);
  };

  useEffect(() => {
    kept.current = emptyPages(status);
    reload();
  }, [status]);
  useEffect(() => {
    // Not put off by what comes meanwhile: a session may be written to all the time.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      reload();
    }, gathering);
  }, [freshness.generation, freshness.revisions]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const { pages, children, total, error } = kept.current;
  return {
    total,
    error,
    root: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    children: (id) => children.get(id) ?? [],
    want,
    reload,
  };
}

function emptyPages(status: Shown): Kept {
  return {
    status,
    pages: new Map(),
    children: new Map(),
    asked: new Set(),
    total: undefined,
    error: undefined,
    range: [0, 0, new Set()],
  };
}
