import { planSessionEnd } from "../compaction/compaction.ts";
import { afterTurn, type NudgeFacts, newNudgeFacts, noNudges, planNudge } from "../compaction/nudges.ts";
import type { Usage } from "../compaction/usage.ts";
import { blocksToFreeze } from "../context/prompt.ts";
import type { Receipt } from "../engine/records.ts";
import { HoldfastError } from "../errors.ts";
import { isMemoryEmpty } from "../surfaces/views.ts";
import { AgentSession } from "./agent-session.ts";
import { evenIfItFails, finishPendingCalls, type TurnRun } from "./answer.ts";
import { Children } from "./children.ts";
import { type AgentEvent, EventStream } from "./events.ts";
import { compactNow } from "./make-room.ts";
import type { AgentOptions } from "./options.ts";
import { placeChanges, tellFullness } from "./place-changes.ts";
import { unlessAborted } from "./run-tools.ts";
import { type AgentSetting, agentSetting, checkToolNames, type Frame, invalidOption } from "./setting.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/** A turn that is under way: read its events, or wait for its result, or both. */
export interface Turn extends AsyncIterable<AgentEvent> {
  result: Promise<TurnResult>;
}

export interface SendOptions {
  signal?: AbortSignal;
}

export interface Agent {
  /** One turn. Turns of one session run one after another. */
  send(sessionId: string, text: string, options?: SendOptions): Turn;
  /** Goes on with a turn that a dead process left unfinished; a finished one is left alone. */
  resume(sessionId: string, options?: SendOptions): Turn;
  /** Compacts now, as `/compact` does. */
  compact(sessionId: string, options?: SendOptions): Turn;
  /** Ends work on the session for now: surfaces that keep something outside it write their hand-over. */
  end(sessionId: string, options?: SendOptions): Turn;
  usage(sessionId: string): Promise<Usage>;
  receipts(sessionId: string): Promise<Receipt[]>;
}

/** Surfaces that an agent adds to a memory that was opened without naming any. */
const agentSurfaces = ["notepad", "notes", "tasks", "results", "sessions"] as const;

/**
 * An agent whose memory survives its context.
 *
 * @example
 * const agent = createAgent({ memory, model, contextWindow: 128_000 });
 * for await (const event of agent.send("audit", "Audit the workbook")) console.log(event);
 */
export function createAgent(options: AgentOptions): Agent {
  return new MemoryAgent(options);
}

/** What the agent keeps of one session while it lives. */
interface Work {
  agent: AgentSession | undefined;
  /** Ends when every turn so far has ended. */
  queue: Promise<unknown>;
  nudges: NudgeFacts;
  /** Whether the surfaces know that work on the session has begun. */
  isStarted: boolean;
}

/** One piece of work on a session, from its own view of it. */
type Task = (run: TurnRun, work: Work) => Promise<TurnResult>;

class MemoryAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #frame: Frame;
  readonly #setting: AgentSetting;
  readonly #children: Children;
  readonly #work = new Map<string, Work>();

  constructor(options: AgentOptions) {
    const { memory, model, system = "", surfaces, ...rest } = options;
    this.#options = options;
    this.#frame = { model, base: system };
    this.#children = new Children(
      memory,
      (id, text, signal) => this.send(id, text, { signal }),
      options.children,
    );
    // A window without end would never be compacted.
    if (!Number.isFinite(options.contextWindow)) throw invalidOption("contextWindow", options.contextWindow);
    if (surfaces) memory.setting.use(surfaces);
    else memory.setting.offer(agentSurfaces);
    this.#setting = agentSetting(memory.setting, rest, { children: this.#children });
    checkToolNames(this.#setting);
  }

  send(sessionId: string, text: string, options: SendOptions = {}): Turn {
    return this.#start(sessionId, options, async (run, work) => {
      if (text.trim() === "")
        throw new HoldfastError("invalid_input", "There is nothing to send: the text is empty.");
      run.steer = await this.#nudge(run, work);
      // No provider takes a user message between a call and its answer.
      await finishPendingCalls(run);
      await evenIfItFails(run, () => placeChanges(run));
      await evenIfItFails(run, () => tellFullness(run));
      await run.agent.add([{ role: "user", content: text }]);
      return this.#take(run, work);
    });
  }

  resume(sessionId: string, options: SendOptions = {}): Turn {
    return this.#start(sessionId, options, async (run, work) => {
      const answered = await run.agent.lastAnswer();
      return answered === undefined ? this.#take(run, work) : nothingDone(answered);
    });
  }

  compact(sessionId: string, options: SendOptions = {}): Turn {
    return this.#start(sessionId, options, async (run, work) => {
      await finishPendingCalls(run);
      const compacted = await compactNow(run, "manual");
      // What happened between two turns counts for the hints before the next one.
      work.nudges.compacted ||= compacted;
      if (run.wroteMemory) work.nudges.turnsSinceWrite = 0;
      const text = compacted ? "" : "There is nothing to compact yet.";
      return { ...nothingDone(text), wroteMemory: run.wroteMemory ?? false, compacted };
    });
  }

  end(sessionId: string, options: SendOptions = {}): Turn {
    return this.#start(sessionId, options, async ({ agent, emit }, work) => {
      const { countTokens } = this.#setting;
      await agent.notify(await planSessionEnd(agent.session, await agent.messages(), countTokens), emit);
      work.isStarted = false;
      return nothingDone("");
    });
  }

  async usage(sessionId: string): Promise<Usage> {
    return (await (await this.#find(sessionId)).prompt(this.#frame)).usage;
  }

  async receipts(sessionId: string): Promise<Receipt[]> {
    return (await this.#find(sessionId)).session.receipts();
  }

  #start(sessionId: string, { signal = new AbortController().signal }: SendOptions, task: Task): Turn {
    const events = new EventStream();
    const emit = (event: AgentEvent) => events.push(event);
    const work = this.#workOn(sessionId);
    const before = work.queue;
    const turn = this.#run(sessionId, task, { before, signal, emit }).finally(() => events.end());
    // A turn that was aborted while it waited does not let the next one overtake.
    work.queue = Promise.allSettled([before, turn]);
    // Who only reads the events has seen the error there.
    turn.catch(() => undefined);
    return { result: turn, [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() };
  }

  async #run(
    sessionId: string,
    task: Task,
    { before, signal, emit }: { before: unknown; signal: AbortSignal; emit: TurnRun["emit"] },
  ): Promise<TurnResult> {
    try {
      await unlessAborted(before, signal);
      signal.throwIfAborted();
      signal.addEventListener("abort", () => this.#children.abortChildrenOf(sessionId), { once: true });
      const agent = await this.#find(sessionId, emit);
      const isOver = () => this.#children.hasReported(sessionId);
      const run = { ...this.#frame, agent, setting: this.#setting, signal, emit, steer: "", isOver };
      return await task(run, this.#workOn(sessionId));
    } catch (error) {
      emit({ type: "error", message: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  /** Runs the turn, and learns from it for the hints before the next one. */
  async #take(run: TurnRun, work: Work): Promise<TurnResult> {
    const result = await runTurn(run);
    const { wroteMemory, text, compacted } = result;
    work.nudges = afterTurn(work.nudges, { wrote: wroteMemory, text, compacted });
    return result;
  }

  /** With `emit`: to work on it, and not only to look. */
  async #find(sessionId: string, emit?: TurnRun["emit"]): Promise<AgentSession> {
    const session = await this.#options.memory.openSession(sessionId);
    const work = this.#workOn(sessionId);
    const agent = work.agent?.session === session ? work.agent : new AgentSession(session, this.#setting);
    work.agent = agent;
    if (emit && !work.isStarted) {
      work.isStarted = true;
      await agent.notify({ kind: "session-start" }, emit);
    }
    await agent.refresh();
    const state = await session.state();
    if (!state.resident.has("epoch/current")) {
      const blocks = blocksToFreeze(this.#setting.toolbox.context(state));
      await session.apply({ type: "context.open", blocks }, { actor: { kind: "system" } });
    }
    return agent;
  }

  #workOn(sessionId: string): Work {
    const known = this.#work.get(sessionId);
    if (known) return known;
    const work: Work = {
      agent: undefined,
      queue: Promise.resolve(),
      nudges: newNudgeFacts(),
      isStarted: false,
    };
    this.#work.set(sessionId, work);
    return work;
  }

  async #nudge({ agent, emit }: TurnRun, work: Work): Promise<string> {
    const isEmpty = isMemoryEmpty(await agent.session.state());
    const policy = { ...noNudges, ...this.#setting.options.nudges };
    const planned = planNudge({ ...work.nudges, isEmpty }, policy);
    if (!planned) return "";
    work.nudges.given = planned.given;
    emit({ type: "nudge", text: planned.text });
    return planned.text;
  }
}

function nothingDone(text: string): TurnResult {
  return { text, steps: 0, end: "done", wroteMemory: false, compacted: false };
}
