import type { ModelMessage, ToolSet } from "ai";
import { jsonSchema, tool } from "ai";
import { type CalibratedTokenizer, cachedTokenizer, calibratedTokenizer } from "../context/tokens.ts";
import { readEpoch, readSpans } from "../engine/conversation.ts";
import { revertChanges, type State } from "../engine/state.ts";
import type { Toolbox } from "../sessions/options.ts";
import type { Session } from "../sessions/session.ts";
import type { Tool } from "../tools/define-tool.ts";
import { schemaOf } from "../tools/dispatch.ts";
import { dotless } from "../tools/toolbox.ts";
import { fromStored, type StoredMessage, toStored } from "./conversation.ts";
import type { AgentOptions } from "./options.ts";
import { type MemoryView, viewOf } from "./plan-changes.ts";
import { type Placement, planPrompt, type Prompt } from "./plan-prompt.ts";
import type { CompactionPolicy, Usage } from "./plan-usage.ts";

/** What every part of a turn needs of the agent. */
export interface AgentSetting {
  options: AgentOptions;
  toolbox: Toolbox & { tools: readonly Tool[] };
  placement: Placement;
  policy: CompactionPolicy;
  base: string;
  tokenizer: CalibratedTokenizer;
  countTokens: (text: string) => number;
  clock: () => number;
}

export function makeTokenizer(countTokens: (text: string) => number): CalibratedTokenizer {
  return calibratedTokenizer(cachedTokenizer({ name: "agent", count: countTokens }));
}

export interface PromptNow {
  steer: string;
  prompt: Prompt;
  usage: Usage;
  state: State;
  messages: readonly StoredMessage[];
}

/** The conversation of one session as the controller holds it: read once, then only what is new. */
export class AgentSession {
  readonly session: Session;
  readonly #setting: AgentSetting;
  #messages: StoredMessage[] = [];
  /** Messages up to this one are summarised and not held. */
  #summarised = 0;
  #prompt: PromptNow | undefined;
  #shown: { epoch: number; placed: number; view: MemoryView } | undefined;
  /** The revision up to which others' edits have been looked for. */
  #asked = 0;

  constructor(session: Session, setting: AgentSetting) {
    this.session = session;
    this.#setting = setting;
  }

  /** The messages since the last summary, in order. */
  async messages(state?: State): Promise<readonly StoredMessage[]> {
    const { row, ...rest } = state ?? (await this.session.state());
    const summary = readSpans({ row, ...rest }).find(([, { kind }]) => kind === "summary")?.[1];
    const first = (summary?.to ?? 0) + 1;
    if (first !== this.#summarised + 1) {
      this.#summarised = first - 1;
      this.#messages = this.#messages.filter(({ number }) => number >= first);
    }
    const next = (this.#messages.at(-1)?.number ?? this.#summarised) + 1;
    if (next <= row.counters.lastMessage) {
      const values = await this.session.messages(next, row.counters.lastMessage);
      values.forEach((value, index) => void this.#messages.push(toStored(next + index, value)));
    }
    return this.#messages;
  }

  async add(messages: readonly ModelMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const at = this.#setting.clock();
    const values = messages.map((message) => fromStored(message, at));
    const { result } = await this.session.apply({ type: "messages.add", messages: values });
    const next = (this.#messages.at(-1)?.number ?? this.#summarised) + 1;
    if (result.first === next) values.forEach((value, index) => void this.#messages.push(toStored(next + index, value)));
  }

  /** What the model has been shown of the memory; worked out from the journal only by a process that did not show it. */
  async shown(state: State): Promise<MemoryView> {
    const { placed, number } = readEpoch(state);
    if (this.#shown?.epoch === number && this.#shown.placed === placed) return this.#shown.view;
    let past = state;
    for (const entry of await this.session.history({ from: placed + 1, to: state.row.revision })) past = revertChanges(past, entry.changes);
    this.#shown = { epoch: number, placed, view: this.view(past) };
    return this.#shown.view;
  }

  view(state: State): MemoryView {
    return viewOf(this.#setting.toolbox.context(state), state.row.notepad ?? "");
  }

  /** Whether anybody but the agent has written since the last time this was asked. */
  async othersWrote(state: State): Promise<boolean> {
    const from = Math.max(readEpoch(state).placed, this.#asked) + 1;
    this.#asked = state.row.revision;
    if (from > state.row.revision) return false;
    const entries = await this.session.history({ from, to: state.row.revision });
    return entries.some(({ actor }) => actor.kind !== "agent" && actor.kind !== "system");
  }

  /** What a model call would be given now. Worked out once for each state. */
  async prompt(steer = ""): Promise<PromptNow> {
    const state = await this.session.state();
    if (this.#prompt?.state === state && this.#prompt.steer === steer) return this.#prompt;
    const messages = await this.messages(state);
    const { toolbox, base, placement } = this.#setting;
    const prompt = planPrompt({ state, context: toolbox.context(state), messages, base, placement, steer });
    this.#prompt = { steer, prompt, usage: this.usage(prompt), state, messages };
    return this.#prompt;
  }

  usage({ system, messages }: Prompt): Usage {
    const { tokenizer, policy, base, toolbox } = this.#setting;
    const count = (text: string) => tokenizer.count(text);
    const systemTokens = count(base);
    const memory = Math.max(0, count(system) - systemTokens);
    let history = 0;
    let results = 0;
    for (const message of messages) {
      const tokens = messageTokens(message, this.#setting.countTokens) * tokenizer.ratio;
      if (message.role === "tool") results += tokens;
      else history += tokens;
    }
    const tools = count(definitionsText(toolbox.tools)) + count(Object.keys(this.#setting.options.tools ?? {}).join(" ")) * 20;
    const total = Math.ceil(systemTokens + memory + history + results + tools);
    return {
      system: systemTokens,
      tools,
      memory,
      history: Math.ceil(history),
      results: Math.ceil(results),
      free: Math.max(0, policy.contextWindow - total),
      total,
    };
  }
}

const messageSizes = new WeakMap<object, number>();

/** Counted once per message: stored messages never change. */
export function messageTokens(message: ModelMessage, countTokens: (text: string) => number): number {
  const known = messageSizes.get(message);
  if (known !== undefined) return known;
  const tokens = countTokens(typeof message.content === "string" ? message.content : JSON.stringify(message.content)) + 4;
  messageSizes.set(message, tokens);
  return tokens;
}

const definitions = new WeakMap<readonly Tool[], string>();

function definitionsText(tools: readonly Tool[]): string {
  let text = definitions.get(tools);
  if (text === undefined) {
    text = tools.map(({ name, description, input }) => `${name} ${description} ${JSON.stringify(schemaOf(input, "input"))}`).join("\n");
    definitions.set(tools, text);
  }
  return text;
}

const toolSets = new WeakMap<readonly Tool[], ToolSet>();

/** Memory tools in the AI SDK's form, without dots in their names and without anything to run. */
export function memoryToolSet(tools: readonly Tool[]): ToolSet {
  let set = toolSets.get(tools);
  if (!set) {
    set = Object.fromEntries(
      tools.map(({ name, description, input }) => [dotless(name), tool({ description, inputSchema: jsonSchema(schemaOf(input, "input")) })]),
    );
    toolSets.set(tools, set);
  }
  return set;
}
