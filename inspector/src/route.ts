import { createStore, useStore } from "./store.ts";

export const tabs = ["memory", "context", "compaction", "conversation", "timeline"] as const;
export type Tab = (typeof tabs)[number];

/** What the page shows. Kept in the URL, so that it can be bookmarked, shared and navigated back from. */
export interface Route {
  sessionId: string | undefined;
  /** The figures of the last days, instead of a session. */
  isWeek: boolean;
  tab: Tab;
  /** A call, an epoch, a message or a revision. */
  item: number | undefined;
  /** A text to find and highlight in the view. */
  find: string;
  /** The call to compare with. */
  against: number | undefined;
}

/** The address of the figures of the last days. */
export const weekHref = "#week";

/** The parts of a route that a link may set besides session, tab and item. */
export type RouteDetail = Partial<Pick<Route, "find" | "against">>;

const route = createStore<Route>(read());

addEventListener("hashchange", () => route.set(read()));

export function useRoute(): Route {
  return useStore(route);
}

export function currentRoute(): Route {
  return route.get();
}

/** Whether the URL names what to show. */
export function isPlaceInUrl(): boolean {
  const { sessionId, isWeek } = read();
  return isWeek || sessionId !== undefined;
}

export function hrefTo(
  sessionId: string,
  tab: Tab = "memory",
  item?: number,
  detail: RouteDetail = {},
): string {
  const pairs = Object.entries(detail).flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  const query = pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  return `#/${encodeURIComponent(sessionId)}/${tab}${item === undefined ? "" : `/${item}`}${query}`;
}

export function goTo(sessionId: string, tab?: Tab, item?: number, detail?: RouteDetail): void {
  location.hash = hrefTo(sessionId, tab, item, detail);
}

/** Without a new history entry: for steps through a list. */
export function replaceWith(sessionId: string, tab: Tab, item?: number, detail?: RouteDetail): void {
  history.replaceState(null, "", hrefTo(sessionId, tab, item, detail));
  route.set(read());
}

function read(): Route {
  const [path = "", query = ""] = location.hash.split("?");
  const [, id = "", tab = "", item = ""] = path.split("/");
  const details = new URLSearchParams(query);
  return {
    sessionId: id === "" ? undefined : decode(id),
    isWeek: path === weekHref,
    tab: tabs.find((each) => each === tab) ?? "memory",
    item: numberIn(item),
    find: details.get("find") ?? "",
    against: numberIn(details.get("against") ?? ""),
  };
}

function numberIn(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
