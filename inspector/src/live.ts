import type { ChangeEvent, SessionItem } from "../../src/server/api.ts";
import type { Reply } from "./api.ts";
import { describeCompaction } from "./facts.ts";
import { patchCached } from "./load.ts";
import { currentRoute, goTo } from "./route.ts";
import { createStore, useStore } from "./store.ts";
import { showNews } from "./toast.tsx";

/** locked: the server rejects this tab's token. */
export type Connection = "connecting" | "live" | "offline" | "locked";

export const connection = createStore<Connection>("connecting");

interface Activity {
  /** Incremented whenever everything must be reloaded. */
  generation: number;
  /** Newest known revision, by session. */
  revisions: ReadonlyMap<string, number>;
  /** Incremented when a session's memory must be read again, because its change is more than text. */
  stale: ReadonlyMap<string, number>;
  /** Sessions as the newest events have them. */
  items: ReadonlyMap<string, SessionItem>;
}

const activity = createStore<Activity>({
  generation: 0,
  revisions: new Map(),
  stale: new Map(),
  items: new Map(),
});

/** Changes when the memory of the session must be read again. */
export function useMemoryFreshness(id: string): string {
  return useStore(activity, ({ generation, stale }) => `${generation}.${stale.get(id) ?? 0}`);
}

/** Changes with every revision of the session. */
export function useFreshness(id: string): string {
  return useStore(activity, ({ generation, revisions }) => `${generation}.${revisions.get(id) ?? 0}`);
}

/** Changes when lists must be read again; `items` have what changed since. */
export function useActivity(): Activity {
  return useStore(activity);
}

/** A message from the tab with the stream to the other tabs. */
type TabMessage =
  | { type: "change"; change: ChangeEvent }
  | { type: "connection"; state: Connection }
  | { type: "reset" }
  | { type: "ask-connection" };

const reconnectDelay = 1_000;

/**
 * Follows the server until the page closes. A browser opens at most six connections to one server, so all tabs share one
 * stream: the tab that holds the lock reads it and relays it to the others; when it closes, the next one takes over.
 */
export function followServer(): void {
  // Browsers grant locks only in secure contexts, such as localhost.
  if (!navigator.locks || !window.BroadcastChannel) {
    openStream(receive);
    return;
  }
  const channel = new BroadcastChannel("holdfast-events");
  let isLeader = false;
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.type !== "ask-connection") receive(data);
    else if (isLeader)
      channel.postMessage({ type: "connection", state: connection.get() } satisfies TabMessage);
  };
  channel.postMessage({ type: "ask-connection" } satisfies TabMessage);
  void navigator.locks.request("holdfast-events", () => {
    isLeader = true;
    const relay = (message: TabMessage) => {
      receive(message);
      channel.postMessage(message);
    };
    openStream(relay);
    return new Promise(() => {});
  });
}

function receive(message: TabMessage): void {
  if (message.type === "change") {
    recordChange(message.change);
    announce(message.change);
  } else if (message.type === "connection") connection.set(message.state);
  else if (message.type === "reset")
    activity.set({ ...activity.get(), generation: activity.get().generation + 1, items: new Map() });
}

function recordChange(change: ChangeEvent): void {
  const { sessionId: id, revision, item } = change;
  const { revisions, stale, items, generation } = activity.get();
  const isPatched = patchCached("session", { params: { id } }, (data) => patched(data, change));
  const next = new Map(items);
  if (item) next.set(id, item);
  else next.delete(id);
  activity.set({
    generation: item ? generation : generation + 1,
    revisions: new Map(revisions).set(id, revision),
    stale: isPatched ? stale : new Map(stale).set(id, (stale.get(id) ?? 0) + 1),
    items: next,
  });
}

/** The session with the changed texts; undefined when it must be read again. */
function patched(data: Reply<"session">, change: ChangeEvent): Reply<"session"> | undefined {
  const { item, texts, from, revision } = change;
  if (!item || !texts || data.newest !== from - 1 || data.notepad.hidden !== null) return undefined;
  const next = { ...data, session: item, revision, newest: revision, at: item.updatedAt };
  for (const { name, at, removed, inserted } of texts) {
    const { text, authors } = next[name];
    if (text.slice(at, at + removed.length) !== removed || authors.length > 0) return undefined;
    const changed = `${text.slice(0, at)}${inserted}${text.slice(at + removed.length)}`;
    if (name === "notepad") next.notepad = { ...next.notepad, text: changed };
    else next[name] = { ...next[name], text: changed };
  }
  return next;
}

/** Announces the newest event: a warning in the shown session, and a compaction in any. */
function announce({ sessionId, entries, item }: ChangeEvent): void {
  if (!item) return;
  const types = entries.map(({ type }) => type);
  const isShown = currentRoute().sessionId === sessionId;
  const who = isShown ? "" : `${item.name}: `;
  if (item.last && types.some((type) => type === "context.compact" || type === "context.receipt")) {
    const { last } = item;
    const look = () => goTo(sessionId, "history", `c${last.epoch}`);
    showNews(sessionId, `${who}Compacted: ${describeCompaction(last)}.`, { label: "Look", run: look });
  } else if (isShown && types.includes("context.warn"))
    showNews(sessionId, "The agent is warned and writes down what it needs.", undefined);
}

/** Reads the stream, and reconnects when the server is back. */
function openStream(emit: (message: TabMessage) => void): void {
  const source = new EventSource("api/events");
  const start = () => {
    // Data that was read before the stream began may have changed by then.
    emit({ type: "reset" });
    emit({ type: "connection", state: "live" });
  };
  source.addEventListener("hello", start);
  source.addEventListener("reset", start);
  source.addEventListener("change", (event) => emit({ type: "change", change: JSON.parse(event.data) }));
  source.addEventListener("error", async () => {
    const isClosed = source.readyState === EventSource.CLOSED;
    if (isClosed) source.close();
    const { status } = await fetch("api/health").catch(() => ({ status: 0 }));
    const state = status === 401 || status === 403 ? "locked" : "offline";
    if (source.readyState !== EventSource.OPEN) emit({ type: "connection", state });
    if (isClosed) setTimeout(() => openStream(emit), reconnectDelay);
  });
}
