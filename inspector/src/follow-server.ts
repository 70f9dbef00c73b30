import type { ChangeEvent } from "../../src/server/api.ts";
import { type Connection, connection, hearChange, startAnew } from "./live.ts";

/** What the tab with the stream tells the others. */
type News =
  | { type: "change"; change: ChangeEvent }
  | { type: "connection"; state: Connection }
  | { type: "anew" }
  | { type: "who" };

const pause = 1_000;

/**
 * Follows the server until the page is closed. A browser opens no more than six connections to one server, so all tabs
 * share one stream: the tab that holds the lock reads it and tells the others; when it is closed, the next one takes over.
 */
export function followServer(): void {
  // Browsers give locks only to pages that they trust, such as those of this machine.
  if (!navigator.locks || !window.BroadcastChannel) {
    openStream(hear, false);
    return;
  }
  const channel = new BroadcastChannel("holdfast-events");
  let isLeader = false;
  channel.onmessage = ({ data }: MessageEvent<News>) => {
    if (data.type !== "who") hear(data);
    else if (isLeader) channel.postMessage({ type: "connection", state: connection.get() } satisfies News);
  };
  channel.postMessage({ type: "who" } satisfies News);
  void navigator.locks.request("holdfast-events", () => {
    isLeader = true;
    const relay = (news: News) => {
      hear(news);
      channel.postMessage(news);
    };
    // What came between two leaders was heard by nobody.
    openStream(relay, connection.get() !== "connecting");
    return new Promise(() => {});
  });
}

function hear(news: News): void {
  if (news.type === "change") hearChange(news.change);
  else if (news.type === "connection") connection.set(news.state);
  else if (news.type === "anew") startAnew();
}

/** Reads the stream, and comes back by itself when the server does. */
function openStream(tell: (news: News) => void, hasMissed: boolean): void {
  const source = new EventSource("/api/events");
  const beLive = () => tell({ type: "connection", state: "live" });
  source.addEventListener("hello", () => {
    if (hasMissed) tell({ type: "anew" });
    beLive();
  });
  source.addEventListener("reset", () => {
    tell({ type: "anew" });
    beLive();
  });
  source.addEventListener("change", (event) => tell({ type: "change", change: JSON.parse(event.data) }));
  source.addEventListener("error", async () => {
    const isClosed = source.readyState === EventSource.CLOSED;
    if (isClosed) source.close();
    const state = await findOutWhy();
    if (source.readyState !== EventSource.OPEN) tell({ type: "connection", state });
    if (isClosed) setTimeout(() => openStream(tell, true), pause);
  });
}

async function findOutWhy(): Promise<Connection> {
  const status = await fetch("/api/health").then(
    (response) => response.status,
    () => 0,
  );
  return status === 401 || status === 403 ? "locked" : "lost";
}
