import { Queue } from "../engine/queue.ts";
import { isHoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { ReadConversation } from "../surfaces/surface.ts";
import type { ToolAnswer } from "../surfaces/toolbox.ts";
import { changedResources, parseResourceUri, resourceUri } from "./resources.ts";

/** The origin of a request. */
export interface Caller {
  /** The client's name for itself; "" if it has not given one. */
  client: string;
  /** The request's `_meta`, in which some clients name their conversation. */
  meta: Readonly<Record<string, unknown>>;
}

/** Where one client's memory comes from. */
export interface MemorySource {
  /** Called for every request, so a failed open is retried. */
  openMemory(): Promise<Memory>;
  /** The session to work on. Called for every request, because the host may have switched sessions. */
  resolveSession(caller: Caller): Promise<string>;
  /** The session of the sub-agent that sends a request, and that of the agent that it works for. */
  subAgentOf?(caller: Caller): { session: string; parent: string } | undefined;
  /** The session of an earlier conversation that a session with nothing in it could continue. */
  earlierSession?(memory: Memory, own: string): Promise<Session | undefined>;
  /** Where to read what an earlier conversation saved. */
  earlierHint?(earlier: Session): string;
  /** Reads the conversations that coding agents keep themselves. */
  conversation?: ReadConversation | undefined;
}

/** Sends notifications to the client. */
export interface Announcer {
  resourceUpdated(uri: string): void;
  /** The host has switched to another session. */
  sessionChanged(): void;
  /** Something was written, here or by another process. */
  memoryChanged(): void;
}

/** One client's view of the memory: its current session and its subscriptions. */
export class Connection {
  readonly #source: MemorySource;
  readonly #announcer: Announcer;
  /** The URIs that the client has subscribed to. */
  readonly #subscribed = new Set<string>();
  /** The last revision seen of each session with a subscription. */
  readonly #seen = new Map<string, number>();
  #current: string | undefined;
  #lastCaller: Caller = { client: "", meta: {} };
  #watching: Promise<() => void> | undefined;
  #watched: Memory | undefined;
  readonly #writes = new Queue();
  readonly #announcements = new Queue();
  #closed = false;

  constructor(source: MemorySource, announcer: Announcer) {
    this.#source = source;
    this.#announcer = announcer;
  }

  /** Writes, subscriptions and notices that the tools have changed run in the order of their arrival. */
  inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#writes.run(work);
  }

  /** A read or a program sees every write that arrived before it. Nothing waits for it. */
  async afterWrites<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#writes.run(() => undefined);
    return work();
  }

  /** The session of a request (default: of the last one). */
  async sessionId(caller = this.#lastCaller): Promise<string> {
    this.#lastCaller = caller;
    const id = await this.#source.resolveSession(caller);
    const changed = this.#current !== undefined && this.#current !== id;
    this.#current = id;
    if (changed && !this.#closed) this.#announcer.sessionChanged();
    return id;
  }

  /** The current session, created if it does not exist yet. */
  async openSession(caller?: Caller): Promise<Session> {
    const child = caller && this.#source.subAgentOf?.(caller);
    if (child) return this.#openChild(child);
    const id = await this.sessionId(caller);
    return (await this.#memory()).openSession(id);
  }

  /** A sub-agent's memory starts empty. */
  async #openChild({ session: id, parent }: { session: string; parent: string }): Promise<Session> {
    const memory = await this.#memory();
    const known = await memory.findSession(id);
    if (known) return known;
    await memory.openSession(parent);
    return memory.spawnSession(parent, { id });
  }

  /** A session by id; undefined if nothing was ever written to it. */
  async findSession(id: string): Promise<Session | undefined> {
    return (await this.#memory()).findSession(id);
  }

  /** The earlier conversation to continue, while nothing was saved in this one. */
  async earlierSession(caller: Caller): Promise<Session | undefined> {
    return this.#source.earlierSession?.(await this.#memory(), await this.sessionId(caller));
  }

  /** Where to read what an earlier conversation saved, while nothing was ever saved in this one; "" for a sub-agent. */
  async earlierHint(caller: Caller): Promise<string> {
    if (this.#source.subAgentOf?.(caller)) return "";
    const own = await this.findSession(await this.sessionId(caller));
    // The first revision is its creation.
    if (own && (await own.state()).row.revision > 1) return "";
    const earlier = await this.earlierSession(caller);
    return earlier ? (this.#source.earlierHint?.(earlier) ?? "") : "";
  }

  /** `key`: the same call sent again changes nothing. */
  async call(
    tool: string,
    input: unknown,
    { caller, key }: { caller: Caller; key: string | undefined },
  ): Promise<ToolAnswer> {
    const actor = caller.client === "" ? {} : { actor: { kind: "agent" as const, name: caller.client } };
    const once = { ...actor, ...(key === undefined ? {} : { key }) };
    try {
      return await (await this.openSession(caller)).call(tool, input, {
        ...once,
        conversation: this.#source.conversation,
      });
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
    // Catch up on writes since the revision was read.
    this.#enqueueAnnouncement(parsed.session);
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
      if (memory !== this.#watched) this.#switchTo(memory);
      this.#watching ??= this.#watch(memory);
      await this.#watching.catch(() => {
        this.#watching = undefined;
      });
    }
    return memory;
  }

  /** The memory was reopened: forget what was seen in the old one. */
  #switchTo(memory: Memory): void {
    void this.#watching?.then((stop) => stop()).catch(() => undefined);
    this.#watching = undefined;
    this.#watched = memory;
    for (const id of this.#seen.keys()) this.#seen.set(id, 0);
  }

  /** Knowledge, including an agent's own tools, is not part of a session, so it has its own watcher. */
  async #watch(memory: Memory): Promise<() => void> {
    const stops = await Promise.all([
      memory.watch(({ sessionId }) => this.#enqueueAnnouncement(sessionId)),
      memory.watchKnowledge(() => {
        if (!this.#closed) this.#announcer.memoryChanged();
      }),
    ]);
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Queued, so that the client is notified of each change once, however many commits it took. */
  #enqueueAnnouncement(sessionId: string): void {
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

/** If memory is unavailable, the agent gets the reason and continues without it. */
export function unavailable(what: string, error: unknown): Extract<ToolAnswer, { ok: false }> {
  const message = (error instanceof Error ? error.message : String(error)).replace(/(?<![.!?])$/, ".");
  if (isHoldfastError(error) && error.code === "store_unknown") {
    return {
      ok: false,
      code: error.code,
      text: `${what}: the outcome is unknown. ${message} Or read your memory to see whether the change is there, and continue.`,
      data: {},
    };
  }
  return {
    ok: false,
    code: "store_failed",
    text: `${what}: memory is unavailable. ${message} Nothing was changed. Continue without it; the next call tries again.`,
    data: {},
  };
}
