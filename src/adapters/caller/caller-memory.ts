import type { LanguageModel, ModelMessage } from "ai";
import { isOverflow, providerOf } from "../../agent/call.ts";
import { runCompaction } from "../../agent/compact.ts";
import type { PromptNow } from "../../agent/conversation.ts";
import type { AgentEvent, ReportedUsage } from "../../agent/events.ts";
import { recordTurn } from "../../agent/ledger.ts";
import { type AgentConfig, checkAgentOptions } from "../../agent/options.ts";
import { makeRoom, makeRoomFor } from "../../agent/room.ts";
import { refreshWhenCold, showNews } from "../../agent/shown.ts";
import { modelName } from "../../agent/turn.ts";
import { afterTurn, type NudgeFacts, newNudgeFacts, noNudges, planNudge } from "../../compaction/nudges.ts";
import { callKey, type StoredMessage, spokenText, toolCallsOf } from "../../context/conversation.ts";
import { withSystemRole } from "../../context/system-role.ts";
import { readEpoch, readLearned } from "../../engine/conversation.ts";
import type { State } from "../../engine/state.ts";
import type { Session } from "../../sessions/session.ts";
import { dotless, type ToolAnswer } from "../../surfaces/toolbox.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";
import { CallerSession } from "./caller-session.ts";
import {
  adapterConfig,
  type CompactionOptions,
  compactionKinds,
  type Listeners,
  listenersOf,
} from "./options.ts";

/** A model call that a framework is about to make. */
export interface FrameworkCall {
  /** The caller's own system prompt. */
  base: string;
  /** The whole conversation. */
  messages: ModelMessage[];
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

/** What came back, and what the provider counted. */
export interface ModelAnswer extends Partial<ReportedUsage> {
  /** The answer; undefined if the framework passes it in with its next call only. */
  message?: ModelMessage | undefined;
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

/** Everything that the adapter of a framework needs: the framework passes its whole conversation to each model call. */
export class CallerMemory {
  readonly session: Session;
  readonly #agent: CallerSession;
  readonly #setting: AgentConfig;
  readonly #listeners: Listeners;
  readonly #nudge: ReturnType<typeof createNudge>;

  /** `name` is the function that the options were passed to. */
  constructor(name: string, session: Session, options: Omit<CompactionOptions, "session">) {
    checkAgentOptions(name, options, compactionKinds);
    this.session = session;
    this.#setting = adapterConfig(session, options);
    this.#agent = new CallerSession(session, this.#setting);
    this.#listeners = listenersOf(options);
    this.#nudge = createNudge(this.#setting, this.#listeners.emit);
  }

  /** Runs one of memory's tools, once per call id. Never rejects: if memory fails, the answer says so. */
  async run(tool: string, input: unknown, id: string): Promise<ToolAnswer> {
    const { report } = this.#listeners;
    try {
      const { row } = await this.session.state();
      const key = callKey(row.counters.lastMessage, id);
      const answer = await this.#setting.toolbox.dispatch(this.session, tool, input, { key });
      // The model sees every refusal; a store that fails concerns the caller, too.
      if (!answer.ok && answer.code.startsWith("store_")) report(new Error(answer.text));
      return answer;
    } catch (error) {
      report(error);
      return unavailable;
    }
  }

  /**
   * Sends a model call with memory. If memory fails, the call goes out as it is (`send(undefined)`). If the provider
   * rejects it as too long, it is compacted and sent again. Returns what was sent, too.
   */
  async send<T>(
    call: FrameworkCall,
    send: (placed: PlacedCall | undefined) => Promise<T>,
  ): Promise<{ result: T; placed: PlacedCall | undefined }> {
    let placed = await this.prepare(call);
    for (let attempt = 1; ; attempt++) {
      try {
        return { result: await send(placed), placed };
      } catch (error) {
        const mayRetry = placed !== undefined && attempt <= maxRetries;
        const isShorter = mayRetry && (await this.compactRejected(call, error));
        placed = isShorter ? await this.#safely(call, () => this.#place(call)) : undefined;
        if (!placed) throw error;
      }
    }
  }

  /** Makes room and places memory; undefined if memory failed. */
  async prepare(call: FrameworkCall): Promise<PlacedCall | undefined> {
    const { emit } = this.#listeners;
    return this.#safely(call, async () => {
      await makeRoomForCall({ ...call, agent: this.#agent, setting: this.#setting, emit });
      return this.#place(call);
    });
  }

  /** Stores an answer of the model, and learns from the provider's counts. */
  async record(
    placed: PlacedCall | undefined,
    { model, base }: FrameworkCall,
    answer: ModelAnswer,
  ): Promise<void> {
    if (!placed) return;
    const { emit, report } = this.#listeners;
    const { message, inputTokens, outputTokens, cachedTokens, cacheWriteTokens } = answer;
    const reported = { inputTokens, outputTokens, cachedTokens, cacheWriteTokens };
    const [agent, setting] = [this.#agent, this.#setting];
    try {
      await agent.observe(modelName(model), reported.inputTokens);
      const { planned } = placed;
      const usage = agent.usage(planned.prompt, base);
      emit({ type: "usage", usage, reported });
      const now = { ...planned, usage, prompt: { ...planned.prompt, system: placed.system } };
      const run = { agent, setting, emit, model, base };
      const isRecorded = setting.options.ledger !== false;
      const call = isRecorded ? await recordTurn(run, now, "turn", reported) : undefined;
      await agent.receiptCheck.check({ call, body: [placed.system, placed.messages] }, emit);
      if (message) await agent.store([message]);
    } catch (error) {
      report(error);
    }
  }

  /** Compacts a call that the provider rejected as too long; false if that was not the reason, or nothing can go. */
  async compactRejected(call: FrameworkCall, error: unknown): Promise<boolean> {
    if (!isOverflow(error)) return false;
    const { signal = new AbortController().signal, base, model } = call;
    const { emit } = this.#listeners;
    const run = { agent: this.#agent, setting: this.#setting, signal, emit, model, base };
    const skipped = "the provider refused the prompt as too long";
    const done = await this.#safely(call, () => runCompaction({ ...run, skipped, trigger: "overflow" }));
    return done ?? false;
  }

  async #place({ messages, base, model }: FrameworkCall): Promise<PlacedCall> {
    const [agent, { emit }] = [this.#agent, this.#listeners];
    const parts = { agent, setting: this.#setting, emit, nudge: this.#nudge };
    const planned = await planCall(parts, messages, base);
    agent.conversation.placed++;
    const { prompt } = planned;
    return {
      planned,
      system: [base, prompt.system].filter((text) => text !== "").join("\n\n"),
      messages: withSystemRole(prompt, providerOf(model)).map((message) =>
        agent.conversation.bytes.with(message),
      ),
    };
  }

  async #safely<T>({ signal }: FrameworkCall, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#agent.exclusive(work);
    } catch (error) {
      // The framework handles aborts itself.
      if (!signal?.aborted) this.#listeners.report(error);
      return undefined;
    }
  }
}

interface Parts {
  agent: CallerSession;
  setting: AgentConfig;
  emit: (event: AgentEvent) => void;
}

/** Before a model call: stores the caller's new messages, then clears, warns and compacts as needed. */
export async function makeRoomForCall({
  messages,
  signal = new AbortController().signal,
  ...frame
}: Parts & {
  base: string;
  messages: readonly ModelMessage[];
  /** Answers the warning and writes the summary. */
  model: LanguageModel;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const { agent, setting, base, emit, model } = frame;
  const run = { ...frame, signal, steer: "", isOver: () => false };
  const learned = readLearned(await agent.session.state(), modelName(model));
  if (learned) setting.tokenizer.start(learned.ratio);
  await agent.follow(messages, base, emit, (message) => makeRoomFor(run, message));
  await makeRoom(run);
  agent.conversation.expected = (await agent.prompt({ base })).usage.total;
}

/** The prompt of a model call, with memory in it. `base`, the caller's own system prompt, is not part of it. */
export async function planCall(
  { agent, setting, emit, nudge }: Parts & { nudge: ReturnType<typeof createNudge> },
  messages: readonly ModelMessage[],
  base: string,
): Promise<Omit<PromptNow, "usage">> {
  await agent.refresh();
  await agent.follow(messages, base, emit);
  await showNews({ agent, setting });
  await refreshWhenCold({ agent, setting });
  return agent.plan({ steer: nudge(agent, await agent.session.state()), base: "" });
}

/** The hint for the current turn, or "": chosen at the start of the turn and kept until it ends. */
export function createNudge(setting: AgentConfig, emit: (event: AgentEvent) => void) {
  const policy = { ...noNudges, ...setting.options.nudges };
  let given: NudgeFacts["given"] = {};
  let turn = { message: 0, epoch: 0, hint: "" };
  return (agent: CallerSession, state: State): string => {
    const message = agent.list.findLast((stored) => stored.message.role === "user")?.number ?? 0;
    if (message === turn.message) return turn.hint;
    const epoch = readEpoch(state).number;
    const compacted = turn.epoch !== 0 && epoch !== turn.epoch;
    const facts = { ...factsOf(agent.list, message, writingTools(setting)), compacted, given };
    const planned = planNudge({ ...facts, isEmpty: isMemoryEmpty(state) }, policy);
    turn = { message, epoch, hint: planned?.text ?? "" };
    if (planned) {
      given = planned.given;
      emit({ type: "nudge", text: planned.text });
    }
    return turn.hint;
  };
}

function writingTools({ toolbox }: AgentConfig): ReadonlySet<string> {
  return new Set(toolbox.tools.flatMap(({ name, readOnly }) => (readOnly ? [] : [dotless(name)])));
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
