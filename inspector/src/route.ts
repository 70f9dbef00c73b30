import { createStore, useStore } from "./store.ts";

export const tabs = ["memory", "window", "history"] as const;
export type Tab = (typeof tabs)[number];

/** The view of the page. Kept in the URL, so that it can be bookmarked, shared and navigated back from. */
export interface Route {
  sessionId: string | undefined;
  tab: Tab;
  /** A message in the window, or a revision or compaction ("c2") in the history. */
  item: string | undefined;
  /** The time that all views show: a revision. Undefined: now. */
  at: number | undefined;
  /** The call of that time. */
  call: number | undefined;
  /** A text to find and highlight in the view. */
  find: string;
}

/** The parts of a route that a link may set besides session, tab and item. */
export type RouteDetail = Partial<Pick<Route, "find" | "at" | "call">>;

const route = createStore<Route>(read());

addEventListener("hashchange", () => route.set(read()));

export function useRoute(): Route {
  return useStore(route);
}

export function currentRoute(): Route {
  return route.get();
}

export function hrefTo(
  id: string,
  tab: Tab = "memory",
  item?: string | number,
  detail: RouteDetail = {},
): string {
  const pairs = Object.entries(detail).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  const query = pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  return `#/${encodeURIComponent(id)}/${tab}${item === undefined ? "" : `/${item}`}${query}`;
}

export function goTo(id: string, tab?: Tab, item?: string | number, detail?: RouteDetail): void {
  location.hash = hrefTo(id, tab, item, detail);
}

/** Without a new entry in the browser's history: for steps through a list. */
export function replaceWith(id: string, tab: Tab, item?: string | number, detail?: RouteDetail): void {
  history.replaceState(null, "", hrefTo(id, tab, item, detail));
  route.set(read());
}

function read(): Route {
  const [path = "", query = ""] = location.hash.split("?");
  const [, id = "", tab = "", item = ""] = path.split("/");
  const details = new URLSearchParams(query);
  return {
    sessionId: id === "" ? undefined : decode(id),
    tab: tabs.find((each) => each === tab) ?? "memory",
    item: /^c?\d{1,15}$/.test(item) ? item : undefined,
    at: numberIn(details.get("at")),
    call: numberIn(details.get("call")),
    find: details.get("find") ?? "",
  };
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
