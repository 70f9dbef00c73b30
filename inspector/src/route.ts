import { createStore, useStore } from "./store.ts";

export const tabs = ["memory", "context", "compaction", "timeline"] as const;
export type Tab = (typeof tabs)[number];

/** What the page shows. Kept in the URL, so that it can be bookmarked, shared and navigated back from. */
export interface Route {
  sessionId: string | undefined;
  tab: Tab;
  /** A call, an epoch or a revision. */
  item: number | undefined;
}

const route = createStore<Route>(read());

addEventListener("hashchange", () => route.set(read()));

export function useRoute(): Route {
  return useStore(route);
}

export function currentRoute(): Route {
  return route.get();
}

export function hrefTo(sessionId: string, tab: Tab = "memory", item?: number): string {
  return `#/${encodeURIComponent(sessionId)}/${tab}${item === undefined ? "" : `/${item}`}`;
}

export function goTo(sessionId: string, tab?: Tab, item?: number): void {
  location.hash = hrefTo(sessionId, tab, item);
}

/** Without a new history entry: for steps through a list. */
export function replaceWith(sessionId: string, tab: Tab, item?: number): void {
  history.replaceState(null, "", hrefTo(sessionId, tab, item));
  route.set(read());
}

function read(): Route {
  const [, id = "", tab = "", item = ""] = location.hash.split("/");
  return {
    sessionId: id === "" ? undefined : decode(id),
    tab: tabs.find((each) => each === tab) ?? "memory",
    item: /^\d{1,15}$/.test(item) ? Number(item) : undefined,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
