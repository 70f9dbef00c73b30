import type { ModelMessage, ToolSet } from "ai";
import { jsonSchema, tool } from "ai";
import { type CalibratedTokenizer, cachedTokenizer, calibratedTokenizer } from "../context/tokens.ts";
import { readSpans } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import type { Toolbox } from "../sessions/options.ts";
import type { Session } from "../sessions/session.ts";
import type { Tool } from "../tools/define-tool.ts";
import { schemaOf } from "../tools/dispatch.ts";
import { dotless } from "../tools/toolbox.ts";
import { fromStored, type StoredMessage, toStored } from "./conversation.ts";
import type { AgentOptions } from "./options.ts";
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

/** The conversation of one session as the controller holds it: read once, then only what is new. */
export class AgentSession {
  readonly session: Session;
  readonly #setting: AgentSetting;
  #messages: StoredMessage[] = [];
  /** Messages up to this one are summarised and not held. */
  #summarised = 0;

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
    await this.session.apply({ type: "messages.add", messages: messages.map((message) => fromStored(message, at)) });
  }

  async prompt(steer = ""): Promise<{ prompt: Prompt; usage: Usage; state: State; messages: readonly StoredMessage[] }> {
    const state = await this.session.state();
    const messages = await this.messages(state);
    const { toolbox, base, placement } = this.#setting;
    const prompt = planPrompt({ state, context: toolbox.context(state), messages, base, placement, steer });
    return { prompt, usage: this.usage(prompt), state, messages };
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

/** Memory tools in the AI SDK's form, without dots in their names and without anything to run. */
export function memoryToolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [
      dotless(name),
      tool({ description, inputSchema: jsonSchema(schemaOf(input, "input")) }),
    ]),
  );
}
