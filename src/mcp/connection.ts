import { Queue } from "../engine/queue.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { ToolAnswer } from "../surfaces/toolbox.ts";
import { changedResources, parseResourceUri, resourceUri } from "./resources.ts";

/** Where one client's memory comes from. */
export interface MemorySource {
  /** Called again after it failed. */
  openMemory(): Promise<Memory>;
  /** The session to work on, asked before each call: a host may have gone on to another one. */
  resolveSession(): Promise<string>;
}

/** What a client is told without having asked. */
export interface Announcer {
  resourceUpdated(uri: string): void;
  /** The host has gone on to another session. */
  sessionChanged(): void;
  /** Somebody wrote something. */
  memoryChanged(): void;
}

/** One client's view of the memory: the session it works on now, and what it wants to hear of. */
export class Connection {
  readonly #source: MemorySource;
  readonly #announcer: Announcer;
  /** The resources that were subscribed to, and the revision up to which their sessions were looked at. */
  readonly #subscribed = new Set<string>();
  readonly #seen = new Map<string, number>();
  #current: string | undefined;
  #watching: Promise<() => void> | undefined;
  #watched: Memory | undefined;
  readonly #requests = new Queue();
  readonly #announcements = new Queue();
  #closed = false;

  constructor(source: MemorySource, announcer: Announcer) {
    this.#source = source;
    this.#announcer = announcer;
  }

  /** Requests are worked on in the order they came, so that one that reads sees what the one before it wrote. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#requests.run(work);
  }

  async sessionId(): Promise<string> {
    const id = await this.#source.resolveSession();
    const changed = this.#current !== undefined && this.#current !== id;
    this.#current = id;
    if (changed && !this.#closed) this.#announcer.sessionChanged();
    return id;
  }

  /** The session to work on; made when there is none yet. */
  async openSession(): Promise<Session> {
    const id = await this.sessionId();
    return (await this.#memory()).openSession(id);
  }

  /** A session of this memory, the current one unless named; undefined when nothing was ever written to it. */
  async findSession(id?: string): Promise<Session | undefined> {
    const wanted = id ?? (await this.sessionId());
    return (await this.#memory()).findSession(wanted);
  }

  async call(tool: string, input: unknown): Promise<ToolAnswer> {
    try {
      return await (await this.openSession()).call(tool, input);
    } catch (error) {
      return unavailable(tool, error);
    }
  }

  async subscribe(uri: string): Promise<void> {
    const parsed = parseResourceUri(uri);
    if (!parsed) return;
    const session = await this.findSession(parsed.session);
    const revision = session ? (await session.state()).row.revision : 0;
    this.#subscribed.add(uri);
    if (this.#seen.has(parsed.session)) return;
    this.#seen.set(parsed.session, revision);
    // What was written since the revision was read.
    this.#hear(parsed.session);
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const stop = await this.#watching?.catch(() => undefined);
    stop?.();
  }

  async #memory(): Promise<Memory> {
    const memory = await this.#source.openMemory();
    if (!this.#closed) {
      if (memory !== this.#watched) this.#forget(memory);
      this.#watching ??= this.#watch(memory);
      await this.#watching.catch(() => {
        this.#watching = undefined;
      });
    }
    return memory;
  }

  /** The memory was opened anew: nothing that was seen of the old one holds. */
  #forget(memory: Memory): void {
    void this.#watching?.then((stop) => stop()).catch(() => undefined);
    this.#watching = undefined;
    this.#watched = memory;
    for (const id of this.#seen.keys()) this.#seen.set(id, 0);
  }

  /** What an agent knows, its own tools among it, is no session: it is listened to besides them. */
  async #watch(memory: Memory): Promise<() => void> {
    const stops = await Promise.all([
      memory.watch(({ sessionId }) => this.#hear(sessionId)),
      memory.watchKnowledge(() => {
        if (!this.#closed) this.#announcer.memoryChanged();
      }),
    ]);
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Told of one after the other: a client hears of a change once, however many commits it came in. */
  #hear(sessionId: string): void {
    this.#announcements.run(() => this.#announce(sessionId)).catch(() => undefined);
  }

  async #announce(sessionId: string): Promise<void> {
    if (this.#closed) return;
    await this.sessionId();
    this.#announcer.memoryChanged();
    const seen = this.#seen.get(sessionId);
    const session = seen === undefined ? undefined : await this.findSession(sessionId);
    if (seen === undefined || !session) return;
    const entries = await session.history({ from: seen + 1, newestFirst: false });
    this.#seen.set(sessionId, entries.at(-1)?.revision ?? seen);
    for (const kind of changedResources(entries)) {
      const uri = resourceUri(sessionId, kind);
      if (this.#subscribed.has(uri)) this.#announcer.resourceUpdated(uri);
    }
  }
}

/** Memory that cannot be reached stops no agent: it is told what is wrong and goes on. */
export function unavailable(what: string, error: unknown): Extract<ToolAnswer, { ok: false }> {
  const message = (error instanceof Error ? error.message : String(error)).replace(/(?<![.!?])$/, ".");
  return {
    ok: false,
    code: "store_failed",
    text: `${what}: the memory could not be used. ${message} Nothing was changed. Go on without it; the next call tries again.`,
    data: {},
  };
}
