import { randomBytes } from "node:crypto";
import type { Memory } from "../sessions/memory.ts";
import type { ChangeEvent } from "./api.ts";
import type { SessionDirectory } from "./directory.ts";

/** One event with its place in the order; the id that a client sends after a break is made of it. */
export interface NumberedEvent {
  number: number;
  change: ChangeEvent;
}

const mostEntries = 50;

/**
 * What the journal tells, in one order for all streams. A stream keeps nothing but the number of its last event, so
 * one that reads slowly costs nothing.
 */
export class EventHub {
  /** Another at each start: numbers of an earlier server mean nothing here. */
  readonly launch = randomBytes(6).toString("hex");
  readonly #memory: Memory;
  readonly #directory: SessionDirectory;
  readonly #mostKept: number;
  readonly #kept: NumberedEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** Revisions that have been told of. */
  readonly #told = new Map<string, number>();
  /** Revisions still to be told of. */
  readonly #heard = new Map<string, number>();
  #newest = 0;
  #reading: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #closed = false;
  streams = 0;

  /** So many events can be caught up with; whoever was away for longer loads everything anew. */
  constructor(memory: Memory, directory: SessionDirectory, mostKept = 2_000) {
    this.#memory = memory;
    this.#directory = directory;
    this.#mostKept = mostKept;
  }

  /** Number of the newest event; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  get closed(): boolean {
    return this.#closed;
  }

  async start(): Promise<void> {
    const changedMeanwhile: [string, number][] = [];
    let isReady = false;
    this.#stop = await this.#memory.watch(({ sessionId, revision }) => {
      this.#directory.forget();
      if (isReady) this.#hear(sessionId, revision);
      else changedMeanwhile.push([sessionId, revision]);
    });
    for (const { id, revision } of await this.#directory.all()) this.#told.set(id, revision);
    isReady = true;
    for (const [sessionId, revision] of changedMeanwhile)
      if (revision > (this.#told.get(sessionId) ?? 0)) this.#hear(sessionId, revision);
  }

  /** The events after one, in order; undefined when some of them are not kept any more. */
  after(number: number): NumberedEvent[] | undefined {
    const oldest = this.#newest - this.#kept.length;
    return number < oldest || number > this.#newest ? undefined : this.#kept.slice(number - oldest);
  }

  /** Called once, with the next event or when the hub closes. Gives back how to stop waiting. */
  whenNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    this.#heard.clear();
    this.#wake();
    await this.#reading;
  }

  #hear(sessionId: string, revision: number): void {
    if (this.#told.get(sessionId) === revision || this.#closed) return;
    this.#heard.set(sessionId, revision);
    this.#reading ??= this.#tellAll().finally(() => {
      this.#reading = undefined;
    });
  }

  async #tellAll(): Promise<void> {
    for (;;) {
      const next = this.#heard.entries().next().value;
      if (!next) return;
      const [sessionId, revision] = next;
      this.#heard.delete(sessionId);
      const told = this.#told.get(sessionId) ?? 0;
      // A lower number than before: the session was purged and made again.
      const from = revision < told ? 1 : told + 1;
      const entries = await this.#entries(sessionId, from, revision);
      if (this.#closed) return;
      this.#told.set(sessionId, revision);
      this.#push({ sessionId, from: Math.min(from, revision), revision, entries });
    }
  }

  /** Who wrote; a session that was deleted is told of without. */
  async #entries(sessionId: string, from: number, to: number): Promise<ChangeEvent["entries"]> {
    try {
      const session = await this.#memory.findSession(sessionId);
      const entries = (await session?.history({ from, to, limit: mostEntries })) ?? [];
      return entries.toReversed().map(({ revision, at, actor, surface, operation }) => ({
        revision,
        at,
        actor,
        surface,
        type: operation.type,
      }));
    } catch {
      // That something changed is worth telling even when the store cannot say what.
      return [];
    }
  }

  #push(change: ChangeEvent): void {
    this.#newest++;
    this.#kept.push({ number: this.#newest, change });
    if (this.#kept.length > this.#mostKept) this.#kept.shift();
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
