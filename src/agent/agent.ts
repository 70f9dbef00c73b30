import type { UserContent, UserModelMessage } from "ai";
import { planSessionEnd } from "../compaction/compaction.ts";
import { afterTurn, type NudgeFacts, newNudgeFacts, noNudges, planNudge } from "../compaction/nudges.ts";
import type { Usage } from "../compaction/usage.ts";
import { readLearned, readSpans } from "../engine/conversation.ts";
import type { Receipt } from "../engine/records.ts";
import { HoldfastError } from "../errors.ts";
import { toolboxFor } from "../sessions/options.ts";
import { defaultSurfaces } from "../surfaces/surfaces.ts";
import { isMemoryEmpty } from "../surfaces/views.ts";
import { finishPendingCalls } from "./answer.ts";
import { Children } from "./children.ts";
import { AgentSession } from "./conversation.ts";
import { type AgentEvent, EventStream } from "./events.ts";
import {
  type AgentConfig,
  type AgentOptions,
  agentConfig,
  checkAgentOptions,
  checkToolNames,
} from "./options.ts";
import { compactNow, makeRoomFor } from "./room.ts";
import { continueOnFailure, modelName, type TurnRun } from "./run.ts";
import { showChanges } from "./shown.ts";
import { unlessAborted } from "./tools.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/** A running turn: read its events, await its result, or both. */
export interface Turn extends AsyncIterable<AgentEvent> {
  result: Promise<TurnResult>;
}

export interface SendOptions {
  signal?: AbortSignal;
}

export interface TurnOptions extends SendOptions {
  /** Text of the host for this turn only, before memory and the user's message. It is not stored. */
  steer?: string;
}

export interface Agent {
  /** Runs one turn with a text, or with texts, images and files. Turns of one session run one after another. */
  send(sessionId: string, input: string | UserContent, options?: TurnOptions): Turn;
  /** Continues a turn that a dead process left unfinished; does nothing if the last turn is finished. */
  resume(sessionId: string, options?: SendOptions): Turn;
  /** Compacts now, as `/compact` does. */
  compact(sessionId: string, options?: SendOptions): Turn;
  /** Ends work on the session for now: surfaces that store data outside the session write their handoff. */
  end(sessionId: string, options?: SendOptions): Turn;
  usage(sessionId: string): Promise<Usage>;
  receipts(sessionId: string): Promise<Receipt[]>;
}

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

/** The agent's in-process state for one session. */
interface Work {
  agent: AgentSession | undefined;
  /** Settles when every turn so far has ended. */
  queue: Promise<unknown>;
  nudges: NudgeFacts;
  /** Whether the surfaces know that work on the session has begun. */
  isStarted: boolean;
}

/** One queued piece of work on a session. */
type Task = (run: TurnRun, work: Work) => Promise<TurnResult>;

class MemoryAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #frame: Pick<TurnRun, "model" | "base">;
  readonly #config: AgentConfig;
  readonly #children: Children;
  readonly #work = new Map<string, Work>();

  constructor(options: AgentOptions) {
    checkAgentOptions("createAgent", options);
    // An agent without a window would never compact.
    if (options.contextWindow === undefined)
      throw new HoldfastError(
        "invalid_input",
        `createAgent needs a "contextWindow": the model's window in tokens.`,
      );
    const { memory, model, system = "", surfaces, ...rest } = options;
    this.#options = options;
    this.#frame = { model, base: system };
    this.#children = new Children(
      memory,
      (id, text, signal) => this.send(id, text, { signal }),
      options.children,
    );
    const toolbox = toolboxFor(memory.setting, surfaces, defaultSurfaces.agent);
    this.#config = agentConfig(memory.setting, toolbox, rest, { children: this.#children });
    checkToolNames(this.#config);
  }

  send(sessionId: string, input: string | UserContent, options: TurnOptions = {}): Turn {
    return this.#start(sessionId, options, async (run, work) => {
      const message = userMessage(input);
      const hint = await this.#nudge(run, work);
      run.steer = [options.steer ?? "", hint].filter((part) => part !== "").join("\n\n");
      // Providers reject a user message between a tool call and its result.
      await finishPendingCalls(run);
      await continueOnFailure(run, () => showChanges(run));
      const compacted = (await continueOnFailure(run, () => makeRoomFor(run, message))) ?? false;
      await run.agent.add([message]);
      const result = await this.#take(run, work);
      return { ...result, compacted: result.compacted || compacted };
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
      // The next turn's hints take this compaction into account.
      work.nudges.compacted ||= compacted;
      if (run.wroteMemory) work.nudges.turnsSinceWrite = 0;
      const text = compacted ? "" : "There is nothing to compact yet.";
      return { ...nothingDone(text), wroteMemory: run.wroteMemory ?? false, compacted };
    });
  }

  end(sessionId: string, options: SendOptions = {}): Turn {
    return this.#start(sessionId, options, async ({ agent, emit }, work) => {
      const { countTokens } = this.#config;
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
    // If this turn is aborted while it waits, the next one must still wait for the earlier turns.
    work.queue = Promise.allSettled([before, turn]);
    // Callers that only read the events see the error there.
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
      const run = { ...this.#frame, agent, config: this.#config, signal, emit, steer: "", isOver };
      return await task(run, this.#workOn(sessionId));
    } catch (error) {
      emit({ type: "error", message: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  /** Runs the turn and updates the facts for the next turn's hints. */
  async #take(run: TurnRun, work: Work): Promise<TurnResult> {
    const turn = await runTurn(run);
    const endedSprint = (await continueOnFailure(run, () => this.#endSprint(run))) ?? false;
    const result = { ...turn, compacted: turn.compacted || endedSprint };
    const { wroteMemory, text, compacted } = result;
    work.nudges = afterTurn(work.nudges, { wrote: wroteMemory, text, compacted });
    return result;
  }

  /** Compacts if enough tasks were closed: the whole sprint is over, not only one tool result. */
  async #endSprint(run: TurnRun): Promise<boolean> {
    const { compactAfterTasks = 0 } = this.#config.options;
    if (compactAfterTasks === 0) return false;
    const closed = readSpans(await run.agent.session.state()).filter(([, { kind }]) => kind !== "summary");
    return closed.length >= compactAfterTasks && compactNow(run, "tasks");
  }

  /** With `emit`, starts work on the session; without it, only reads. */
  async #find(sessionId: string, emit?: TurnRun["emit"]): Promise<AgentSession> {
    const session = await this.#options.memory.openSession(sessionId);
    const work = this.#workOn(sessionId);
    const agent = work.agent?.session === session ? work.agent : new AgentSession(session, this.#config);
    work.agent = agent;
    if (emit && !work.isStarted) {
      work.isStarted = true;
      await agent.notify({ kind: "session-start" }, emit);
    }
    await agent.refresh();
    const state = await session.state();
    const learned = readLearned(state, modelName(this.#frame.model));
    if (learned) this.#config.tokenizer.start(learned.ratio);
    if (!state.resident.has("epoch/current")) {
      await agent.openSnapshot();
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
    const policy = { ...noNudges, ...this.#config.options.nudges };
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

/** A message of the user that can be stored: images and files as text, so that they survive a restart. */
function userMessage(input: string | UserContent): UserModelMessage {
  const parts = typeof input === "string" ? [{ type: "text" as const, text: input }] : input;
  const isEmpty = parts.every((part) => part.type === "text" && part.text.trim() === "");
  if (isEmpty) throw new HoldfastError("invalid_input", "The message to send is empty. Pass a text.");
  if (typeof input === "string") return { role: "user", content: input };
  return {
    role: "user",
    content: input.map((part) => {
      if (part.type === "image") return { ...part, image: storable(part.image) };
      return part.type === "file" ? { ...part, data: storable(part.data) } : part;
    }),
  };
}

/** Bytes as base64 and addresses as text; anything else is JSON already. */
function storable<T>(data: T): T | string {
  if (data instanceof URL) return data.href;
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString("base64");
  return data instanceof Uint8Array ? Buffer.from(data).toString("base64") : data;
}
