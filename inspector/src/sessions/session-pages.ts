import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, callApi, type Reply } from "../api.ts";
import { markAtWork, useAnyFreshness } from "../live.ts";
import { asApiError } from "../load.ts";

export type SessionItem = Reply<"listSessions">["sessions"][number];
export type Shown = "active" | "archived" | "deleted";

const pageSize = 100;
const maxChildren = 2_000;

export interface SessionPages {
  /** Roots of the tree on all pages; undefined until the first response. */
  total: number | undefined;
  root(index: number): SessionItem | undefined;
  children(id: string): readonly SessionItem[];
  error: ApiError | undefined;
  /** Loads the missing and stale items in this range. */
  request(first: number, last: number, open: ReadonlySet<string>): void;
  reload(): void;
}

interface PageCache {
  status: Shown;
  pages: Map<number, SessionItem[]>;
  children: Map<string, SessionItem[]>;
  /** Requests made since the last change. */
  requested: Set<string>;
  total: number | undefined;
  error: ApiError | undefined;
  range: [number, number, ReadonlySet<string>];
}

/** How long to collect changes before reloading the list (milliseconds). */
const reloadDelay = 300;

/** The sessions, page by page: loads only what is visible, and reloads it after changes. */
export function useSessionPages(status: Shown): SessionPages {
  const [, draw] = useState(0);
  const cache = useRef<PageCache>(emptyPages(status));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const freshness = useAnyFreshness();

  const load = (
    key: string,
    query: { parent: string; offset: number },
    keep: (page: Reply<"listSessions">) => void,
  ) => {
    const current = cache.current;
    if (current.requested.has(key)) return;
    current.requested.add(key);
    callApi("listSessions", { query: { ...query, status: current.status, limit: pageSize } })
      .then(
        (page) => {
          current.error = undefined;
          markAtWork(page.sessions.filter(({ live }) => live === "writing").map(({ id }) => id));
          keep(page);
        },
        (error) => {
          // Retried after a change, a reconnect, or when the person asks.
          current.error = asApiError(error);
        },
      )
      .then(() => {
        if (cache.current === current) draw((count) => count + 1);
      });
  };

  /** Loads all children, because the position of the next row depends on their number. */
  const loadChildren = (id: string, offset: number, before: readonly SessionItem[]) => {
    load(`children ${id} ${offset}`, { parent: id, offset }, ({ sessions, nextOffset }) => {
      const all = [...before, ...sessions];
      if (nextOffset === null || all.length >= maxChildren) cache.current.children.set(id, all);
      else loadChildren(id, nextOffset, all);
    });
  };

  const request = (first: number, last: number, open: ReadonlySet<string>) => {
    const current = cache.current;
    current.range = [first, last, open];
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      load(`page ${page}`, { parent: "none", offset: page * pageSize }, ({ sessions, total }) => {
        current.pages.set(page, sessions);
        current.total = total;
      });
    }
    for (const id of open) loadChildren(id, 0, []);
  };

  const reload = () => {
    cache.current.requested.clear();
    request(...cache.current.range);
  };

  useEffect(() => {
    cache.current = emptyPages(status);
    reload();
  }, [status]);
  useEffect(() => {
    // Do not restart the timer on further changes: a session may be written to constantly.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      reload();
    }, reloadDelay);
  }, [freshness.generation, freshness.revisions]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const { pages, children, total, error } = cache.current;
  return {
    total,
    error,
    root: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    children: (id) => children.get(id) ?? [],
    request,
    reload,
  };
}

function emptyPages(status: Shown): PageCache {
  return {
    status,
    pages: new Map(),
    children: new Map(),
    requested: new Set(),
    total: undefined,
    error: undefined,
    range: [0, 0, new Set()],
  };
}
