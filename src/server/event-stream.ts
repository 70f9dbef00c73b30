import type { ChangeEvent, StreamEvent } from "./api.ts";
import type { EventHub } from "./events.ts";
import { refuse } from "./refusal.ts";

/** Send a comment this often when idle, so that both sides notice a dead connection (milliseconds). */
const heartbeat = 15_000;
/** A browser opens one per tab. */
const maxStreams = 50;
/** Events per write while a client catches up. */
const maxEventsPerWrite = 100;
/** How soon a browser reconnects (milliseconds). */
const retry = 1_000;

/**
 * A stream of server-sent events. It pulls the next events from the hub when the client can take them, so nothing
 * queues up for a slow client.
 */
export function eventStream(hub: EventHub, lastEventId: string | undefined): Response {
  if (hub.streams >= maxStreams) {
    return refuse(503, "too_many_streams", `${maxStreams} event streams are open. Close some tabs.`);
  }
  const since = positionOf(hub, lastEventId);
  let position = since ?? hub.newest;
  let stopWaiting = () => {};
  let isFirst = true;
  let isOpen = false;
  const bytes = new TextEncoder();
  const free = () => {
    if (!isOpen) return;
    isOpen = false;
    hub.streams--;
    stopWaiting();
  };
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const send = (text: string) => controller.enqueue(bytes.encode(text));
      if (isFirst) {
        isFirst = false;
        isOpen = true;
        hub.streams++;
        const missed = lastEventId !== undefined && since === undefined;
        return send(
          `retry: ${retry}\n${frame(hub, missed ? "reset" : "hello", position, { launch: hub.launch })}`,
        );
      }
      const isQuiet = hub.newest === position && !hub.closed && !(await somethingNew());
      if (!isOpen) return;
      if (hub.closed) {
        free();
        return controller.close();
      }
      if (isQuiet) return send(": still here\n\n");
      const events = hub.after(position)?.slice(0, maxEventsPerWrite);
      position = events ? (events.at(-1)?.number ?? position) : hub.newest;
      if (!events) return send(frame(hub, "reset", position, { launch: hub.launch }));
      send(events.map(({ number, change }) => frame(hub, "change", number, change)).join(""));
    },
    cancel: free,
  };

  /** Resolves to false when the heartbeat is due first. */
  function somethingNew(): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = hub.whenNext(() => finish(true));
      const timer = setTimeout(() => finish(false), heartbeat);
      timer.unref();
      const finish = (isNew: boolean) => {
        clearTimeout(timer);
        leave();
        resolve(isNew);
      };
      stopWaiting = () => finish(true);
    });
  }

  // No read-ahead: the body of a HEAD response is never read and must not open a stream.
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), {
    headers: { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" },
  });
}

/** The position of an event id; undefined when an earlier server issued it or it is too old. */
function positionOf(hub: EventHub, id: string | undefined): number | undefined {
  const [, launch, number] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id ?? "") ?? [];
  if (launch !== hub.launch) return undefined;
  return hub.after(Number(number)) ? Number(number) : undefined;
}

function frame(hub: EventHub, event: string, number: number, data: ChangeEvent | StreamEvent): string {
  return `id: ${hub.launch}-${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
