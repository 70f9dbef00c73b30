import type { LanguageModel, ModelMessage } from "ai";
import { isOverflow, providerOf } from "../../agent/call.ts";
import { runCompaction } from "../../agent/compact.ts";
import type { PromptNow } from "../../agent/conversation.ts";
import type { AgentEvent, ReportedUsage } from "../../agent/events.ts";
import { recordTurn } from "../../agent/ledger.ts";
import type { AgentConfig } from "../../agent/options.ts";
import { makeRoom, makeRoomFor } from "../../agent/room.ts";
import { modelName, type TurnRun } from "../../agent/run.ts";
import { refreshWhenCold, showNews } from "../../agent/shown.ts";
import { planSessionEnd } from "../../compaction/compaction.ts";
import { afterTurn, type NudgeFacts, newNudgeFacts, noNudges, planNudge } from "../../compaction/nudges.ts";
import {
  callKey,
  type StoredMessage,
  spokenText,
  toolCallsOf,
  toStored,
} from "../../context/conversation.ts";
import { withSystemRole } from "../../context/prompt.ts";
import { readEpoch, readLearned, summarisedUpTo } from "../../engine/conversation.ts";
import type { State } from "../../engine/state.ts";
import type { Session } from "../../sessions/session.ts";
import type { Tool } from "../../surfaces/surface.ts";
import { dotless, type ToolAnswer } from "../../surfaces/toolbox.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";
import { type CallerConversation, CallerSession, conversationOf } from "./caller-session.ts";
import { adapterConfig, type CallerOptions, type Listeners, listenersOf } from "./options.ts";

/** A model call that a framework is about to make. */
export interface FrameworkCall {
  /** The caller's own system prompt. */
  base: string;
  /** The whole conversation. */
  messages: readonly ModelMessage[];
  /** Answers warnings and writes summaries. */
  model: LanguageModel;
  signal?: AbortSignal | undefined;
}

/** The call with memory. */
export interface PlacedCall {
  /** The caller's own system prompt, followed by memory. */
  system: string;
  messages: ModelMessage[];
  planned: Omit<PromptNow, "usage">;
}

/** The answer, and the provider's counts. */
export interface FrameworkAnswer extends Partial<ReportedUsage> {
  /** The answer; undefined if the framework passes it in with its next call only. */
  message?: ModelMessage | undefined;
  /** The request's body if the provider reports it. */
  body?: unknown;
}

/** The answer of a memory tool while the memory cannot be read. */
export const unavailable: ToolAnswer = {
  ok: false,
  code: "store_failed",
  text: "The memory is not available now, and nothing was written. Continue without it and try again later.",
  data: {},
};

/** How often a call that is too long is compacted and sent again. */
export const maxRetries = 3;

/**
 * The memory of a conversation that a framework owns and passes whole to each model call. An adapter converts messages and
 * calls this. A memory failure is reported and never stops the framework.
 */
export class CallerMemory {
  readonly session: Session;
  readonly report: Listeners["report"];
  readonly #emit: Listeners["emit"];
  readonly #agent: CallerSession;
  readonly #config: AgentConfig;
  readonly #nudge: (state: State) => string;

  constructor(session: Session, options: CallerOptions) {
    const { emit, report } = listenersOf(options);
    this.session = session;
    this.report = report;
    this.#emit = emit;
    this.#config = adapterConfig(session, options);
    this.#agent = new CallerSession(session, this.#config);
    this.#nudge = createNudge(this.#agent, this.#config, emit);
  }

  /** Shared by all that is made for the session. */
  get conversation(): CallerConversation {
    return this.#agent.conversation;
  }

  /** Memory's tools, as of the last refresh. */
  get tools(): readonly Tool[] {
    return this.#agent.tools;
  }

  /** Memory's tools now, with the ones that the agent has made. */
  async refreshTools(): Promise<readonly Tool[]> {
    await this.#agent.refresh();
    return this.#agent.tools;
  }

  /** Runs one of memory's tools, once per call id. Never rejects: if memory fails, the answer reports it. */
  async run(tool: string, input: unknown, id: string): Promise<ToolAnswer> {
    try {
      const { row } = await this.session.state();
      const key = callKey(row.counters.lastMessage, id).slice(0, 255);
      const answer = await this.#config.toolbox.dispatch(this.session, tool, input, { key });
      // The model sees every refusal; a store that fails concerns the caller, too.
      if (!answer.ok && answer.code.startsWith("store_")) this.report(new Error(answer.text));
      return answer;
    } catch (error) {
      this.report(error);
      return unavailable;
    }
  }

  /** Before a call: stores the caller's new messages, then clears, warns and compacts as needed. */
  async makeRoom(call: FrameworkCall): Promise<void> {
    await this.#safely(call, () => this.#makeRoom(call));
  }

  /** The call with memory; undefined if memory fails. */
  place(call: FrameworkCall): Promise<PlacedCall | undefined> {
    return this.#safely(call, () => this.#place(call));
  }

  /** Makes room and places memory; undefined if memory fails. */
  prepare(call: FrameworkCall): Promise<PlacedCall | undefined> {
    return this.#safely(call, async () => {
      await this.#makeRoom(call);
      return this.#place(call);
    });
  }

  /**
   * Sends a call with memory. If memory fails, the call goes out as it is (`send(undefined)`). If the provider rejects it
   * as too long, it is compacted and sent again. Returns what was sent, too.
   */
  async send<T>(
    call: FrameworkCall,
    send: (placed: PlacedCall | undefined) => PromiseLike<T>,
    prepared?: PlacedCall,
  ): Promise<{ result: T; placed: PlacedCall | undefined }> {
    let placed = prepared ?? (await this.prepare(call));
    for (let attempt = 1; ; attempt++) {
      try {
        return { result: await send(placed), placed };
      } catch (error) {
        const mayRetry = placed !== undefined && attempt <= maxRetries;
        const isShorter = mayRetry && (await this.compactRejected(call, error));
        placed = isShorter ? await this.place(call) : undefined;
        if (!placed) throw error;
      }
    }
  }

  /** Compacts a call that the provider rejected as too long; false if that was not the reason, or nothing can go. */
  async compactRejected(call: FrameworkCall, error: unknown): Promise<boolean> {
    // Without a window, memory is placed and nothing is compacted.
    if (!isOverflow(error) || !Number.isFinite(this.#config.policy.contextWindow)) return false;
    const skipped = "the provider refused the prompt as too long";
    const isCompacted = await this.#safely(call, async () => {
      const run = this.#runOf(call);
      // Another call on this conversation may have run in the meantime.
      await this.#agent.follow(run, call.messages);
      return runCompaction({ ...run, skipped, trigger: "overflow" });
    });
    return isCompacted ?? false;
  }

  /** Stores an answer of the model, and learns from the provider's counts. */
  async record(
    { system, messages, planned }: PlacedCall,
    framework: FrameworkCall,
    { message, body, ...counts }: FrameworkAnswer,
  ): Promise<void> {
    const run = this.#runOf(framework);
    const { agent, config, emit, base, model } = run;
    const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = counts;
    const reported = { inputTokens, outputTokens, cachedTokens, cacheWriteTokens };
    try {
      const { expected } = this.conversation;
      if (inputTokens !== undefined && expected > 0)
        await agent.learn(modelName(model), expected, inputTokens);
      if (inputTokens !== undefined) this.conversation.expected = 0;
      // Without a window nothing is counted.
      if (Number.isFinite(config.policy.contextWindow)) {
        const usage = agent.usage(planned.prompt, base);
        emit({ type: "usage", usage, reported });
        const now = { ...planned, usage, prompt: { ...planned.prompt, system } };
        const isRecorded = config.options.ledger !== false;
        const call = isRecorded ? await recordTurn(run, now, "turn", reported) : undefined;
        await agent.receiptCheck.check({ call, body: body ?? [system, messages] }, emit);
      }
      if (message) await this.#agent.store([message]);
    } catch (error) {
      this.report(error);
    }
  }

  #runOf({ base, model, signal = new AbortController().signal }: FrameworkCall): TurnRun {
    const [agent, config, emit] = [this.#agent, this.#config, this.#emit];
    return { agent, config, emit, base, model, signal, steer: "", isOver: () => false };
  }

  async #makeRoom(call: FrameworkCall): Promise<void> {
    const run = this.#runOf(call);
    const { agent, config, model, base } = run;
    const learned = readLearned(await agent.session.state(), modelName(model));
    if (learned) config.tokenizer.start(learned.ratio);
    await this.#agent.follow(run, call.messages, (message) => makeRoomFor(run, message));
    await makeRoom(run);
    this.conversation.expected = (await agent.prompt({ base })).usage.total;
  }

  async #place(call: FrameworkCall): Promise<PlacedCall> {
    const agent = this.#agent;
    const { base, model } = call;
    const run = this.#runOf(call);
    await agent.refresh();
    await agent.follow(run, call.messages);
    await showNews(run);
    await refreshWhenCold(run);
    // The caller's own system prompt is not part of the plan.
    const planned = await agent.plan({ steer: this.#nudge(await agent.session.state()), base: "" });
    const { prompt } = planned;
    return {
      planned,
      system: [base, prompt.system].filter((text) => text !== "").join("\n\n"),
      messages: withSystemRole(prompt, providerOf(model)).map((message) =>
        this.conversation.bytes.with(message),
      ),
    };
  }

  async #safely<T>({ signal }: FrameworkCall, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.conversation.queue.run(work);
    } catch (error) {
      // The framework handles aborts itself.
      if (!signal?.aborted) this.report(error);
      return undefined;
    }
  }
}

/**
 * Ends work on a session for now: surfaces that store data outside the session write their handoff. Frameworks have
 * no hook for this, so call it when your conversation is over.
 */
export async function holdfastEnd(
  session: Session,
  options: Pick<CallerOptions, "onEvent"> = {},
): Promise<void> {
  const conversation = conversationOf(session);
  const { toolbox = session.setting.toolbox } = conversation;
  const to = summarisedUpTo(await session.state());
  const values = await session.messages(to + 1);
  const messages = values.map((value, index) => toStored(to + 1 + index, value));
  const end = await planSessionEnd(session, messages, session.setting.countTokens);
  conversation.isStarted = false;
  for (const message of await toolbox.notify(session, end))
    listenersOf(options).emit({ type: "error", message });
}

/** The hint for the current turn, or "": chosen at the start of the turn and kept until it ends. */
function createNudge(agent: CallerSession, config: AgentConfig, emit: (event: AgentEvent) => void) {
  const policy = { ...noNudges, ...config.options.nudges };
  const writes = new Set(
    config.toolbox.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [dotless(name)])),
  );
  let given: NudgeFacts["given"] = {};
  let turn = { message: 0, epoch: 0, hint: "" };
  return (state: State): string => {
    const message = agent.list.findLast((stored) => stored.message.role === "user")?.number ?? 0;
    if (message === turn.message) return turn.hint;
    const epoch = readEpoch(state).number;
    const compacted = turn.epoch !== 0 && epoch !== turn.epoch;
    const facts = { ...factsOf(agent.list, message, writes), compacted, given };
    const planned = planNudge({ ...facts, isEmpty: isMemoryEmpty(state) }, policy);
    turn = { message, epoch, hint: planned?.text ?? "" };
    if (planned) {
      given = planned.given;
      emit({ type: "nudge", text: planned.text });
    }
    return turn.hint;
  };
}

/** The facts of the turns before the newest user message. */
function factsOf(
  messages: readonly StoredMessage[],
  newest: number,
  writes: ReadonlySet<string>,
): NudgeFacts {
  let facts = newNudgeFacts();
  let turn: { wrote: boolean; text: string } | undefined;
  for (const stored of messages) {
    const { message, number } = stored;
    if (message.role === "user") {
      if (turn) facts = afterTurn(facts, { ...turn, compacted: false });
      if (number === newest) break;
      turn = { wrote: false, text: "" };
    } else if (!turn) continue;
    else if (toolCallsOf(stored).some(({ tool }) => writes.has(tool))) turn.wrote = true;
    else if (message.role === "assistant") turn.text = spokenText(message);
  }
  return facts;
}
