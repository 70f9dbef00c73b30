import type { ChangeEvent } from "../../src/server/api.ts";
import { type Connection, connection, recordChange, reloadEverything } from "./live.ts";
import { currentRoute } from "./route.ts";
import { announceCompaction } from "./session/compaction-card.tsx";

/** What the tab with the stream sends to the other tabs. */
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
    announceElsewhere(message.change);
  } else if (message.type === "connection") connection.set(message.state);
  else if (message.type === "reset") reloadEverything();
}

/** The view of a session announces its own compactions. */
function announceElsewhere({ sessionId, entries }: ChangeEvent): void {
  const isCompaction = entries.some(({ type }) => type === "context.compact" || type === "context.receipt");
  if (isCompaction && sessionId !== currentRoute().sessionId) announceCompaction(sessionId);
}

/** Reads the stream, and reconnects when the server is back. */
function openStream(emit: (message: TabMessage) => void): void {
  const source = new EventSource("api/events");
  const setLive = () => emit({ type: "connection", state: "live" });
  source.addEventListener("hello", () => {
    // What was read before the stream began may have changed by then.
    emit({ type: "reset" });
    setLive();
  });
  source.addEventListener("reset", () => {
    emit({ type: "reset" });
    setLive();
  });
  source.addEventListener("change", (event) => emit({ type: "change", change: JSON.parse(event.data) }));
  source.addEventListener("error", async () => {
    const isClosed = source.readyState === EventSource.CLOSED;
    if (isClosed) source.close();
    const state = await probeServer();
    if (source.readyState !== EventSource.OPEN) emit({ type: "connection", state });
    if (isClosed) setTimeout(() => openStream(emit), reconnectDelay);
  });
}

async function probeServer(): Promise<Connection> {
  const status = await fetch("api/health").then(
    (response) => response.status,
    () => 0,
  );
  return status === 401 || status === 403 ? "locked" : "lost";
}
