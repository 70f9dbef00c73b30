import type { LanguageModel, ModelMessage } from "ai";
import type { PromptNow } from "../../agent/agent-session.ts";
import { modelName } from "../../agent/answer.ts";
import { providerOf } from "../../agent/call-model.ts";
import { checkAgentOptions } from "../../agent/check-options.ts";
import { runCompaction } from "../../agent/compact.ts";
import type { ReportedUsage } from "../../agent/events.ts";
import { recordTurn } from "../../agent/ledger.ts";
import { isOverflow } from "../../agent/overflow.ts";
import type { AgentSetting } from "../../agent/setting.ts";
import { callKey } from "../../context/conversation.ts";
import { withSystemRole } from "../../context/system-role.ts";
import type { Session } from "../../sessions/session.ts";
import type { ToolAnswer } from "../../surfaces/toolbox.ts";
import { CallerSession } from "./caller-session.ts";
import { createNudge } from "./nudge-turn.ts";
import {
  adapterSetting,
  type CompactionOptions,
  compactionKinds,
  type Listeners,
  listenersOf,
} from "./options.ts";
import { makeRoomForCall, planCall } from "./plan-call.ts";

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
  readonly #setting: AgentSetting;
  readonly #listeners: Listeners;
  readonly #nudge: ReturnType<typeof createNudge>;

  /** `name` is the function that the options were passed to. */
  constructor(name: string, session: Session, options: Omit<CompactionOptions, "session">) {
    checkAgentOptions(name, options, compactionKinds);
    this.session = session;
    this.#setting = adapterSetting(session, options);
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
