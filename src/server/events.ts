import { randomBytes } from "node:crypto";
import type { Memory } from "../sessions/memory.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { ChangeEvent, SessionItem, StreamEvent } from "./api.ts";
import { isMemoryOperation } from "./describe-entry.ts";
import type { SessionDirectory } from "./directory.ts";
import { targets } from "./edits.ts";
import { refuse } from "./refusal.ts";

/** An event with its sequence number, which is part of the id a client sends when it reconnects. */
export interface NumberedEvent {
  number: number;
  change: ChangeEvent;
}

const maxEntries = 50;

/**
 * The journal's changes, in the same order for all streams. A stream keeps only the number of its last event, so a
 * slow reader costs nothing.
 */
export class EventHub {
  /** Differs at each start, because event numbers of an earlier server are meaningless here. */
  readonly launch = randomBytes(6).toString("hex");
  readonly #memory: Memory;
  readonly #directory: SessionDirectory;
  readonly #maxKept: number;
  /** The session as a list has it; null when it is deleted. */
  #describe: (sessionId: string) => Promise<SessionItem | null> = async () => null;
  readonly #kept: NumberedEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** The last published revision of each session. */
  readonly #published = new Map<string, number>();
  /** The revisions still to publish. */
  readonly #pending = new Map<string, number>();
  #newest = 0;
  #reading: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #closed = false;
  streams = 0;

  /** `maxKept`: how many events a client can catch up on; a client that missed more reloads everything. */
  constructor(memory: Memory, directory: SessionDirectory, maxKept = 2_000) {
    this.#memory = memory;
    this.#directory = directory;
    this.#maxKept = maxKept;
  }

  /** Number of the newest event; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  get closed(): boolean {
    return this.#closed;
  }

  async start(describe: (sessionId: string) => Promise<SessionItem | null>): Promise<void> {
    this.#describe = describe;
    const changedMeanwhile: [string, number][] = [];
    let isReady = false;
    this.#stop = await this.#memory.watch(({ sessionId, revision }) => {
      this.#directory.forget();
      if (isReady) this.#enqueue(sessionId, revision);
      else changedMeanwhile.push([sessionId, revision]);
    });
    for (const { id, revision } of await this.#directory.all()) this.#published.set(id, revision);
    isReady = true;
    for (const [sessionId, revision] of changedMeanwhile)
      if (revision > (this.#published.get(sessionId) ?? 0)) this.#enqueue(sessionId, revision);
  }

  /** The events after `number`, in order; undefined when some of them are already dropped. */
  after(number: number): NumberedEvent[] | undefined {
    const oldest = this.#newest - this.#kept.length;
    return number < oldest || number > this.#newest ? undefined : this.#kept.slice(number - oldest);
  }

  /** Calls `wake` once, on the next event or when the hub closes. Returns a function that cancels the wait. */
  whenNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    this.#pending.clear();
    this.#wake();
    await this.#reading;
  }

  #enqueue(sessionId: string, revision: number): void {
    if (this.#published.get(sessionId) === revision || this.#closed) return;
    this.#pending.set(sessionId, revision);
    this.#reading ??= this.#publishPending().finally(() => {
      this.#reading = undefined;
    });
  }

  async #publishPending(): Promise<void> {
    for (;;) {
      const next = this.#pending.entries().next().value;
      if (!next) return;
      const [sessionId, revision] = next;
      this.#pending.delete(sessionId);
      const published = this.#published.get(sessionId) ?? 0;
      // A lower revision than before: the session was purged and recreated.
      const from = revision < published ? 1 : published + 1;
      const change = await this.#read(sessionId, Math.min(from, revision), revision);
      if (this.#closed) return;
      this.#published.set(sessionId, revision);
      this.#push(change);
    }
  }

  /** The change, so that a page does not have to ask. */
  async #read(sessionId: string, from: number, revision: number): Promise<ChangeEvent> {
    try {
      const session = await this.#memory.findSession(sessionId);
      const read = (await session?.history({ from, to: revision, limit: maxEntries })) ?? [];
      const entries = read.toReversed();
      return {
        sessionId,
        from,
        revision,
        item: session ? await this.#describe(sessionId) : null,
        entries: entries.map(({ revision: number, at, actor, surface, operation }) => ({
          revision: number,
          at,
          actor,
          surface,
          type: operation.type,
        })),
        texts: entries.length === revision - from + 1 ? textsOf(entries) : null,
      };
    } catch {
      // Publish the change even when the store cannot say what changed.
      return { sessionId, from, revision, item: null, entries: [], texts: null };
    }
  }

  #push(change: ChangeEvent): void {
    this.#newest++;
    this.#kept.push({ number: this.#newest, change });
    if (this.#kept.length > this.#maxKept) this.#kept.shift();
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

/** The changes of texts, if memory has no other change. */
function textsOf(entries: readonly JournalEntry[]): ChangeEvent["texts"] {
  const written = entries.filter(({ operation }) => isMemoryOperation(operation.type));
  const changes = written.flatMap((entry) => entry.changes);
  const texts = changes.flatMap((change) => {
    const name = change.type === "text" ? names.find((each) => targets[each] === change.target) : undefined;
    return change.type === "text" && name
      ? [{ name, at: change.at, removed: change.removed, inserted: change.inserted }]
      : [];
  });
  return texts.length === changes.length && written.every(({ actor }) => actor.kind === "agent")
    ? texts
    : null;
}

const names = ["notepad", "notes", "plan"] as const;

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
