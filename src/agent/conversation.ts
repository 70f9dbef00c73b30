import type { ModelMessage } from "ai";
import { learnFrom, type Usage } from "../compaction/usage.ts";
import { warningStart } from "../compaction/warning.ts";
import type { Context } from "../context/blocks.ts";
import {
  fromStored,
  isFinalAnswer,
  pairCalls,
  type StoredMessage,
  spokenText,
  toStored,
} from "../context/conversation.ts";
import { type FittedContext, fitBlocks } from "../context/memory-share.ts";
import { type Prompt, planPrompt } from "../context/prompt.ts";
import { blocksOf } from "../context/shown-memory.ts";
import { readEpoch, readLearned, readShownChanges, summarisedUpTo } from "../engine/conversation.ts";
import type { Json } from "../engine/json.ts";
import type { MessageOperation } from "../engine/messages.ts";
import type { Learned, ShownChange } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import type { LifecycleEvent, Tool } from "../surfaces/surface.ts";
import { dotless } from "../surfaces/toolbox.ts";
import type { AgentEvent } from "./events.ts";
import { CallRecorder, ReceiptCheck } from "./ledger.ts";
import type { AgentConfig } from "./options.ts";
import { asSystem } from "./run.ts";
import { UnseenWrites } from "./shown.ts";
import { definitionsText, memoryToolSet } from "./tools.ts";

/** The inputs of a prompt besides the session. */
export interface PromptView {
  /** The base prompt. */
  base: string;
  /** Hints placed before the newest user message, for this turn only. */
  steer?: string;
}

export interface PromptNow {
  view: Required<PromptView>;
  /** The blocks of the surfaces, within memory's share of the window. */
  context: FittedContext;
  prompt: Prompt;
  usage: Usage;
  state: State;
  messages: readonly StoredMessage[];
}

/** The controller's view of one session's conversation: read once, then updated with new messages only. */
export class AgentSession {
  readonly session: Session;
  readonly unseen: UnseenWrites;
  readonly recorder: CallRecorder;
  readonly receiptCheck: ReceiptCheck;
  readonly #config: AgentConfig;
  #tools: readonly Tool[];
  #messages: StoredMessage[] = [];
  /** Messages up to this one are summarized and not kept here. */
  #summarised = 0;
  #prompt: PromptNow | undefined;
  /** Tokens of messages added since the prompt was last counted. */
  #sinceCounted = 0;
  /** The measurements of the last call. Stored with the next messages. */
  #learned: ({ model: string } & Learned) | undefined;
  #fitted: { context: Context; room: number; fitted: FittedContext } | undefined;

  constructor(session: Session, config: AgentConfig) {
    this.session = session;
    this.#config = config;
    this.#tools = config.toolbox.tools;
    this.unseen = new UnseenWrites(session);
    this.receiptCheck = new ReceiptCheck(session);
    this.recorder = new CallRecorder(session, config, config.clock);
  }

  /** Reloads what is kept outside the session, including the tools that the agent made itself. */
  async refresh(): Promise<void> {
    const { toolbox } = this.#config;
    if (toolbox.changeable.size === 0) return;
    await toolbox.refresh(this.session);
    const own = this.#config.options.tools ?? {};
    // A tool that the agent made must not replace one of its given tools.
    const extra = toolbox
      .extraTools((await this.session.state()).row)
      .filter(({ name }) => !Object.hasOwn(own, dotless(name)));
    const isSame =
      this.#tools.length === toolbox.tools.length + extra.length &&
      extra.every((tool, index) => this.#tools[toolbox.tools.length + index] === tool);
    if (!isSame) this.#tools = [...toolbox.tools, ...extra];
  }

  /** Notifies the surfaces of a lifecycle event of the conversation; failures are emitted as error events. */
  async notify(event: LifecycleEvent, emit: (event: AgentEvent) => void): Promise<void> {
    for (const message of await this.#config.toolbox.notify(this.session, event))
      emit({ type: "error", message });
  }

  /** Memory's tools, as of the last refresh. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** The messages since the last summary, in order. */
  async messages(state?: State): Promise<readonly StoredMessage[]> {
    const now = state ?? (await this.session.state());
    const { row } = now;
    const first = summarisedUpTo(now) + 1;
    if (first !== this.#summarised + 1) {
      this.#summarised = first - 1;
      this.#messages = this.#messages.filter(({ number }) => number >= first);
    }
    const next = (this.#messages.at(-1)?.number ?? this.#summarised) + 1;
    if (next <= row.counters.lastMessage) {
      const values = await this.session.messages(next, row.counters.lastMessage);
      values.forEach((value, index) => void this.#messages.push(toStored(next + index, value)));
    }
    return inPrompt(this.#messages, now);
  }

  /** The agent's last answer; undefined while the user is waiting for one. */
  async lastAnswer(): Promise<string | undefined> {
    const { row } = await this.session.state();
    for (let number = row.counters.lastMessage; number > 0; number--) {
      const [value] = await this.session.messages(number, number);
      const stored = value === undefined ? undefined : toStored(number, value);
      if (stored?.inWarning) continue;
      return stored && isFinalAnswer(stored) ? spokenText(stored.message) : undefined;
    }
    return "";
  }

  async add(messages: readonly ModelMessage[], inWarning = false): Promise<void> {
    if (messages.length === 0) return;
    const at = this.#config.clock();
    const values = messages.map((message) => fromStored(message, at, inWarning));
    const { result, revision, state } = await this.session.apply(this.addOperation(values));
    this.unseen.skipOwnWrite(state, revision);
    for (const message of messages) this.#sinceCounted += this.#config.messageTokens(message);
    const next = (this.#messages.at(-1)?.number ?? this.#summarised) + 1;
    if (result.first === next)
      values.forEach((value, index) => void this.#messages.push(toStored(next + index, value)));
  }

  /** Adds messages, and what the last call has shown. */
  protected addOperation(messages: Json[]): MessageOperation {
    const learned = this.#learned;
    this.#learned = undefined;
    return { type: "messages.add", messages, ...(learned ? { learned } : {}) };
  }

  /** Corrects the token counts by what the provider reports of a call, and stores that with the next messages. */
  async learn(model: string, counted: number, reported: number | undefined): Promise<void> {
    const { tokenizer } = this.#config;
    if (reported !== undefined) tokenizer.observe(counted, reported);
    const state = await this.session.state();
    const call = { ratio: tokenizer.ratio, total: reported ?? counted, epoch: readEpoch(state).number };
    this.#learned = { model, ...learnFrom(readLearned(state, model), call) };
  }

  /** The blocks of the surfaces, shortened to memory's share of the window. */
  context(state: State): FittedContext {
    const context = this.#config.toolbox.context(state);
    const room = this.#config.memoryRoom(context.guidance);
    const known = this.#fitted;
    // The room changes slightly with every count that the provider reports.
    const isWhole = known?.fitted.shortened.length === 0 && known.fitted.tokens <= room;
    if (known?.context === context && (isWhole || known.room === room)) return known.fitted;
    const fitted = fitBlocks(context, room, this.#config.countTokens);
    this.#fitted = { context, room, fitted };
    return fitted;
  }

  /** Takes the first snapshot of the memory, for the system prompt. */
  async openSnapshot(): Promise<void> {
    if ((await this.session.state()).resident.has("epoch/current")) return;
    await this.session.change(
      (now) => ({ type: "context.open" as const, blocks: blocksOf(this.context(now)) }),
      () => false,
      asSystem,
    );
  }

  /** Rough prompt size: the last count plus the messages added since; undefined before the first count. */
  get roughTotal(): number | undefined {
    return this.#prompt && this.#prompt.usage.total + this.#sinceCounted * this.#config.tokenizer.ratio;
  }

  /** The prompt for a model call now, computed once per state. */
  async prompt({ base, steer = "" }: PromptView): Promise<PromptNow> {
    const state = await this.session.state();
    const { placement } = this.#config;
    const context = this.context(state);
    const known = this.#prompt;
    const isSameView = known?.view.base === base && known.view.steer === steer;
    if (isSameView && known.state === state && known.context === context) return known;
    const messages = await this.messages(state);
    const paired = pairCalls(messages);
    const prompt = planPrompt({ state, context, messages: paired, base, placement, steer });
    this.#sinceCounted = 0;
    this.#prompt = {
      view: { base, steer },
      context,
      prompt,
      usage: this.usage(prompt, base),
      state,
      messages,
    };
    return this.#prompt;
  }

  /** Tokens of a prompt by part; the parts add up to the total. */
  usage({ system, messages, parts: kinds, added }: Prompt, base: string): Usage {
    const { tokenizer, policy, options, messageTokens } = this.#config;
    const count = (text: string) => tokenizer.count(text);
    const tokens = { memory: 0, summaries: 0, history: 0, results: 0 };
    for (const [index, message] of messages.entries())
      tokens[kinds[index] ?? "history"] += messageTokens(message) * tokenizer.ratio;
    // Text that memory put before a user message is part of that message, so move its tokens to memory.
    const before = Math.min(
      Math.round(tokens.history),
      Math.max(0, added.reduce((sum, text) => sum + count(text), 0) - Math.round(tokens.memory)),
    );
    const parts = {
      system: count(base),
      tools: count(definitionsText(memoryToolSet(this.#tools))) + count(definitionsText(options.tools ?? {})),
      memory: Math.max(0, count(system) - count(base)) + Math.round(tokens.memory) + before,
      summaries: Math.round(tokens.summaries),
      history: Math.round(tokens.history) - before,
      results: Math.round(tokens.results),
    };
    const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
    return { ...parts, free: Math.max(0, policy.contextWindow - total), total };
  }
}

/** The messages that no summary replaces. A warning turn is part of them until its compaction has ended. */
export function inPrompt(messages: readonly StoredMessage[], state: State): StoredMessage[] {
  const to = summarisedUpTo(state);
  const warned = warningIn(state)?.before ?? Number.POSITIVE_INFINITY;
  return messages.filter(({ inWarning, number }) => number > to && (!inWarning || number >= warned));
}

/** The warning of the compaction that comes next, once it was given. */
export function warningIn(state: State): ShownChange | undefined {
  return readShownChanges(state).find(({ text }) => text.startsWith(warningStart));
}

/** Tokens that providers take for an image or a page; what a file takes follows from its size. */
const mediaTokens = 1_500;
const mediaBytes = 100_000;

/** Characters of encrypted thinking per token of it. */
const opaqueCharacters = 5;

/** Counts each message once: stored messages never change. */
export function messageCounter(countTokens: (text: string) => number): (message: ModelMessage) => number {
  const sizes = new WeakMap<ModelMessage, number>();
  return (message) => {
    const known = sizes.get(message);
    if (known !== undefined) return known;
    const { content } = message;
    const tokens = typeof content === "string" ? countTokens(content) : countParts(content, countTokens);
    sizes.set(message, tokens + 4);
    return tokens + 4;
  };
}

type Part = Exclude<ModelMessage["content"], string>[number];

/** Most parts are text or JSON and are counted together, as one text. */
function countParts(parts: readonly Part[], countTokens: (text: string) => number): number {
  const plain: unknown[] = [];
  let tokens = 0;
  for (const part of parts) {
    if (part.type === "reasoning") tokens += countTokens(part.text) + opaqueTokens(part.providerOptions);
    else if (part.type === "image") tokens += tokensOfMedia(part.image);
    else if (part.type === "file") tokens += tokensOfMedia(part.data);
    else if (part.type === "tool-result" && part.output.type === "content") {
      const media = part.output.value.filter(({ type }) => type !== "text");
      tokens += media.length * mediaTokens;
      plain.push({ ...part, output: part.output.value.filter(({ type }) => type === "text") });
    } else plain.push(part);
  }
  return plain.length === 0 ? tokens : tokens + countTokens(JSON.stringify(plain));
}

function tokensOfMedia(data: unknown): number {
  const text = typeof data === "string" ? data : "";
  const bytes = data instanceof Uint8Array ? data.byteLength : (text.length * 3) / 4;
  return Math.max(1, Math.ceil(bytes / mediaBytes)) * mediaTokens;
}

/** Thinking that only the provider can read. A signature only proves thinking whose text is there. */
function opaqueTokens(options: Record<string, Record<string, unknown> | undefined> | undefined): number {
  const hidden = [options?.openai?.reasoningEncryptedContent, options?.anthropic?.redactedData];
  const characters = hidden.reduce<number>(
    (sum, text) => sum + (typeof text === "string" ? text.length : 0),
    0,
  );
  return Math.ceil(characters / opaqueCharacters);
}
