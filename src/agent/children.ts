import { fromStored, toolCallsOf, toStored } from "../context/conversation.ts";
import { type ChildLimits, defaultChildLimits } from "../engine/agent-defaults.ts";
import type { Child } from "../engine/records.ts";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import { readChildren } from "../surfaces/sessions/operations.ts";
import type { CallResult, ChildRequest, ChildRunner } from "../surfaces/surface.ts";
import type { AgentEvent } from "./events.ts";
import { asSystem } from "./run.ts";
import { resultsMessage } from "./tools.ts";
import type { TurnResult } from "./turn.ts";

/** Starts a turn in a session, like `agent.send`. */
type Send = (
  sessionId: string,
  text: string,
  signal: AbortSignal,
) => AsyncIterable<AgentEvent> & { result: Promise<TurnResult> };

interface Running {
  parent: string;
  abort: AbortController;
  ended: Promise<void>;
  /** The child's report, once it has reported. */
  report?: string;
}

/** Runs sub-sessions concurrently, within limits, and keeps the parent's record of each up to date. */
export class Children implements ChildRunner {
  readonly #memory: Memory;
  readonly #send: Send;
  readonly #limits: ChildLimits;
  readonly #running = new Map<string, Running>();

  constructor(memory: Memory, send: Send, limits: Partial<ChildLimits> = {}) {
    this.#memory = memory;
    this.#send = send;
    this.#limits = { ...defaultChildLimits, ...limits };
  }

  /** A child is done once it has reported. */
  hasReported(sessionId: string): boolean {
    return this.#running.get(sessionId)?.report !== undefined;
  }

  abortChildrenOf(parent: string): void {
    for (const [id, child] of this.#running) {
      if (child.parent !== parent) continue;
      child.abort.abort(new ChildEnd("aborted", "The parent was aborted."));
      this.abortChildrenOf(id);
    }
  }

  async start(parent: Session, request: ChildRequest): Promise<string> {
    await this.#checkLimits(parent);
    const { kind, task } = request;
    const child =
      kind === "fork"
        ? await this.#fork(parent, request.answered)
        : await this.#memory.spawnSession(parent.id, { copyNotepad: request.copyNotepad ?? false });
    const record: Child = { task, kind, status: "running", result: "", tokens: 0 };
    await parent.apply({ type: "children.set", id: child.id, child: record }, asSystem);
    const abort = new AbortController();
    const running: Running = { parent: parent.id, abort, ended: Promise.resolve() };
    this.#running.set(child.id, running);
    running.ended = this.#follow(
      parent,
      child.id,
      record,
      running,
      Math.min(request.tokenLimit ?? this.#limits.tokens, this.#limits.tokens),
    );
    return child.id;
  }

  async wait(
    parent: Session,
    ids: readonly string[] | undefined,
    seconds = this.#limits.seconds,
  ): Promise<[string, Child][]> {
    const known = new Map(readChildren(await parent.state()));
    for (const id of ids ?? []) {
      if (known.has(id)) continue;
      throw new HoldfastError(
        "not_found",
        `${JSON.stringify(id)} is not a sub-session of this session. Its sub-sessions: ${[...known.keys()].join(", ") || "none"}.`,
      );
    }
    const awaited = ids ?? [...known.keys()];
    const all = Promise.all(awaited.map((id) => this.#running.get(id)?.ended));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([all, new Promise((proceed) => (timer = setTimeout(proceed, seconds * 1_000)))]);
    clearTimeout(timer);
    await this.#markLost(parent, awaited);
    return readChildren(await parent.state()).filter(([id]) => awaited.includes(id));
  }

  async report(child: Session, result: string): Promise<void> {
    const running = this.#running.get(child.id);
    if (!running)
      throw new HoldfastError(
        "invalid_input",
        "This is not a sub-session, and only sub-sessions can report a result. Answer the user instead.",
      );
    running.report = result;
  }

  /** A child whose process died while it ran never ends by itself, so mark it as lost. */
  async #markLost(parent: Session, ids: readonly string[]): Promise<void> {
    for (const [id, child] of readChildren(await parent.state())) {
      if (!ids.includes(id) || child.status !== "running" || this.#running.has(id)) continue;
      const lost: Child = {
        ...child,
        status: "lost",
        result: "Its process died before it reported. Its notepad and messages are kept in its session.",
      };
      await parent.apply({ type: "children.set", id, child: lost }, asSystem);
    }
  }

  async #checkLimits(parent: Session): Promise<void> {
    if (this.#running.size >= this.#limits.running) {
      throw new HoldfastError(
        "over_limit",
        `${this.#running.size} sub-sessions are running, which is the limit. Call wait_for_sessions first.`,
      );
    }
    let depth = 1;
    for (let { parent: above } = (await parent.state()).row; above; depth++) {
      above = (await (await this.#memory.resumeSession(above)).state()).row.parent;
    }
    if (depth > this.#limits.depth) {
      throw new HoldfastError(
        "over_limit",
        `Sub-sessions can be nested ${this.#limits.depth} deep, and this session is already at that depth. Do the work in this session.`,
      );
    }
  }

  /** A fork is taken in the middle of the call that made it, so add the result of that call, and of those next to it, here. */
  async #fork(parent: Session, answered: readonly CallResult[] = []): Promise<Session> {
    const child = await this.#memory.forkSession(parent.id);
    // They report to the parent.
    for (const [id] of readChildren(await child.state()))
      await child.apply({ type: "children.set", id, child: null }, asSystem);
    const { row } = await child.state();
    const [last] = await child.messages(row.counters.lastMessage);
    const calls = last === undefined ? [] : toolCallsOf(toStored(row.counters.lastMessage, last));
    if (calls.length === 0) return child;
    const own = { text: "This is the forked sub-session. Its task follows.", isError: false };
    const later = { text: "Not run here: the session that you were forked from runs it.", isError: true };
    const results = calls.map((_, index) => answered[index] ?? (index === answered.length ? own : later));
    const message = resultsMessage(calls, results);
    await child.apply({ type: "messages.add", messages: [fromStored(message, row.updatedAt)] }, asSystem);
    return child;
  }

  async #follow(
    parent: Session,
    id: string,
    record: Child,
    running: Running,
    tokenLimit: number,
  ): Promise<void> {
    const { abort } = running;
    const timer = setTimeout(
      () => abort.abort(new ChildEnd("time_limit", `It ran longer than ${this.#limits.seconds} seconds.`)),
      this.#limits.seconds * 1_000,
    );
    let tokens = 0;
    let ended: Child;
    try {
      const turn = this.#send(id, record.task, abort.signal);
      for await (const event of turn) {
        if (event.type !== "usage") continue;
        tokens += (event.reported.inputTokens ?? event.usage.total) + (event.reported.outputTokens ?? 0);
        if (tokens > tokenLimit)
          abort.abort(new ChildEnd("token_limit", `It used more than ${tokenLimit} tokens.`));
      }
      const { text, end, steps } = await turn.result;
      const isCutOff = end === "steps" && running.report === undefined;
      ended = isCutOff
        ? {
            ...record,
            status: "error",
            result: `It was cut off after ${steps} steps without a result.`,
            tokens,
          }
        : { ...record, status: "completed", result: running.report ?? text, tokens };
    } catch (error) {
      const end = abort.signal.reason instanceof ChildEnd ? abort.signal.reason : undefined;
      ended =
        running.report === undefined
          ? {
              ...record,
              status: end?.status ?? "error",
              result: end?.message ?? (error instanceof Error ? error.message : String(error)),
              tokens,
            }
          : { ...record, status: "completed", result: running.report, tokens };
    }
    clearTimeout(timer);
    this.abortChildrenOf(id);
    await parent
      .apply({ type: "children.set", id, child: ended }, { actor: { kind: "sub-session", name: id } })
      .catch(() => undefined);
    this.#running.delete(id);
  }
}

/** Why a child was stopped from outside. */
class ChildEnd extends Error {
  readonly status: "aborted" | "token_limit" | "time_limit";

  constructor(status: ChildEnd["status"], message: string) {
    super(message);
    this.status = status;
  }
}
