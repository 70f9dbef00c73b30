import type {
  LanguageModel,
  LanguageModelCallOptions,
  ModelMessage,
  RequestOptions,
  TelemetryOptions,
  ToolChoice,
  ToolSet,
} from "ai";
import { type NudgePolicy, noNudges } from "../compaction/nudges.ts";
import type { CompactionPolicy } from "../compaction/usage.ts";
import { type Placement, placements } from "../context/blocks.ts";
import { type CalibratedTokenizer, cachedTokenizer, calibratedTokenizer } from "../context/tokens.ts";
import {
  agentDefaults,
  type ChildLimits,
  type ClearingPolicy,
  defaultChildLimits,
  defaultClearing,
} from "../engine/agent-defaults.ts";
import {
  amount,
  anything,
  checkOptions,
  listOf,
  type OptionKind,
  type OptionKinds,
  oneOf,
  share,
  someShare,
  text,
  threshold,
  toggle,
  wholeNumber,
} from "../engine/options.ts";
import { HoldfastError } from "../errors.ts";
import type { Memory } from "../sessions/memory.ts";
import type { MemoryConfig, SurfaceChoice } from "../sessions/options.ts";
import type { CallOptions } from "../surfaces/surface.ts";
import { dotless, type Toolbox } from "../surfaces/toolbox.ts";
import { messageCounter } from "./conversation.ts";

/** Settings of the model's calls, as in the AI SDK. */
export interface ModelOptions
  extends LanguageModelCallOptions,
    Pick<RequestOptions<ToolSet>, "headers" | "maxRetries" | "timeout"> {
  providerOptions?: SharedOptions;
  telemetry?: TelemetryOptions;
}

/** Their names. */
export const modelOptionNames = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "seed",
  "reasoning",
  "headers",
  "maxRetries",
  "timeout",
  "providerOptions",
  "telemetry",
] as const satisfies readonly (keyof ModelOptions)[];

type SharedOptions = NonNullable<ToolSet[string]["providerOptions"]>;

export interface AgentOptions extends ModelOptions {
  memory: Memory;
  model: LanguageModel;
  /**
   * Writes the summaries, in requests of its own. Default: `model`, at the end of its own prompt, which the provider reads
   * from its cache.
   */
  summaryModel?: LanguageModel;
  /** The agent's own tools, in the AI SDK's form. */
  tools?: ToolSet;
  /** A forced choice holds for the first call of each turn: otherwise a turn could not end. */
  toolChoice?: ToolChoice<ToolSet>;
  /**
   * Whether to ask the provider to cache the prompt: breakpoints on Anthropic, a key per session on OpenAI (default:
   * true).
   */
  promptCache?: boolean;
  /**
   * Forms of memory for this agent (default: those of `openMemory`; without any there,
   * `notepad`, `notes`, `tasks`, `results`, `recall`, `sessions` and `pins`).
   */
  surfaces?: readonly SurfaceChoice[];
  /** The base prompt; memory's guidance follows it. */
  system?: string;
  /** The model's context window in tokens, prompt and answer together. */
  contextWindow: number;
  placement?: Placement;
  /** Share of the window at which the conversation is compacted. */
  compactAt?: number;
  /** Share of the window kept for the newest messages in a compaction. */
  keep?: number;
  /**
   * Tokens reserved for an answer and the model's thinking. Default: `maxOutputTokens` and the thinking budget in
   * `providerOptions`, at most half of the window; without them a tenth of the window, at most 4,000.
   */
  outputReserve?: number;
  /** Share of the window that memory may take; beyond it, memory is shown shortened (default: 0.4). */
  memoryShare?: number;
  /** Compacts at the end of a turn once this many tasks were closed since the last compaction (default: 0, never). */
  compactAfterTasks?: number;
  /** Max model calls in one turn. */
  maxSteps?: number;
  /** Whether to record the prompt of every model call (default: true). */
  ledger?: boolean;
  nudges?: Partial<NudgePolicy>;
  clearing?: Partial<ClearingPolicy> | false;
  /** Limits on sub-sessions. */
  children?: Partial<ChildLimits>;
}

const tokens: OptionKind<number> = {
  ...amount,
  expected: "a number of tokens above 0",
  read: (value) => amount.read(value) || undefined,
};

/** One kind for every key of an object of defaults. */
function each<Name extends string>(
  defaults: Record<Name, unknown>,
  kind: OptionKind,
): Record<Name, OptionKind> {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, kind])) as Record<Name, OptionKind>;
}

/** The kinds of an agent's options. Adapters share most of them. */
export const agentOptionKinds = {
  // The AI SDK checks these itself.
  ...(Object.fromEntries(modelOptionNames.map((name) => [name, anything])) as Record<
    (typeof modelOptionNames)[number],
    OptionKind
  >),
  toolChoice: anything,
  promptCache: toggle,
  memory: anything,
  model: anything,
  summaryModel: anything,
  tools: anything,
  surfaces: listOf(anything),
  system: text,
  contextWindow: tokens,
  placement: oneOf(placements),
  compactAt: someShare,
  keep: share,
  outputReserve: amount,
  memoryShare: someShare,
  compactAfterTasks: threshold,
  maxSteps: wholeNumber(1),
  ledger: toggle,
  nudges: each(noNudges, threshold),
  clearing: anything,
  children: each(defaultChildLimits, { ...tokens, expected: "a number above 0" }),
} satisfies Record<keyof AgentOptions, OptionKind | OptionKinds>;

const clearingKinds = {
  ...each(defaultClearing, wholeNumber(0)),
  exclude: listOf(text),
};

/** Throws on an option that does not exist or has a bad value: with NaN, for example, nothing would ever be compacted. */
export function checkAgentOptions(
  owner: string,
  options: object,
  kinds: OptionKinds = agentOptionKinds,
): void {
  checkOptions(owner, options, kinds);
  const {
    clearing,
    outputReserve = 0,
    contextWindow = Number.POSITIVE_INFINITY,
  } = options as Partial<AgentOptions>;
  // `false` turns clearing off.
  if (clearing !== false) checkOptions(owner, clearing, clearingKinds, ["clearing"]);
  if (outputReserve < contextWindow) return;
  throw new HoldfastError(
    "invalid_input",
    `The option "outputReserve" of ${owner} must be less than the contextWindow of ${contextWindow} tokens (got ${outputReserve}).`,
    { data: { option: "outputReserve" } },
  );
}

/** The configuration that each part of a turn needs. Fixed for the agent's lifetime. */
export interface AgentConfig {
  options: Omit<AgentOptions, "memory" | "model" | "system" | "surfaces">;
  /** The surfaces, settled when the driver was made. */
  toolbox: Toolbox;
  placement: Placement;
  policy: CompactionPolicy;
  tokenizer: CalibratedTokenizer;
  countTokens: (text: string) => number;
  /** Counted once per message: stored messages never change. */
  messageTokens: (message: ModelMessage) => number;
  /** Tokens that the blocks of memory may take together, as `countTokens` counts. */
  memoryRoom: (guidance: string) => number;
  clock: () => number;
  /** Passed to every model call. */
  modelOptions: ModelOptions;
  /** Passed to every tool call. */
  call: CallOptions;
}

export function agentConfig(
  memory: Pick<MemoryConfig, "countTokens" | "clock" | "handoff">,
  toolbox: Toolbox,
  options: AgentConfig["options"],
  call: CallOptions = {},
): AgentConfig {
  const { countTokens, clock } = memory;
  const { contextWindow, placement = "epoch" } = options;
  const tokenizer = calibratedTokenizer(cachedTokenizer({ name: "agent", count: countTokens }));
  const { memoryShare = agentDefaults.memoryShare } = options;
  return {
    options,
    toolbox: toolbox.presentAs({ shown: placement, keepsConversation: true, dotless: true }),
    placement,
    policy: {
      contextWindow,
      compactAt: options.compactAt ?? agentDefaults.compactAt,
      // Without a handoff the next context is the summary, the memory and what is still to be answered.
      keep: options.keep ?? (memory.handoff === false ? 0 : agentDefaults.keep),
      outputReserve: options.outputReserve ?? reserveFor(options),
    },
    tokenizer,
    countTokens,
    messageTokens: messageCounter(countTokens),
    memoryRoom: (guidance) => {
      const share = (contextWindow * memoryShare) / tokenizer.ratio;
      // Guidance is part of the share, but leaves something for what the agent wrote.
      return Math.max(share - countTokens(guidance), share / 4);
    },
    clock,
    modelOptions: modelOptionsOf(options),
    call: { ...call, taken: Object.keys(options.tools ?? {}) },
  };
}

/** Tokens for the longest answer that the options allow, thinking included. */
function reserveFor({ contextWindow, maxOutputTokens, providerOptions }: AgentConfig["options"]): number {
  const { anthropic, google } = (providerOptions ?? {}) as ThinkingOptions;
  const thinking = anthropic?.thinking?.budgetTokens ?? google?.thinkingConfig?.thinkingBudget ?? 0;
  const usual = Math.min(4_000, Math.floor(contextWindow * 0.1));
  return Math.min((maxOutputTokens ?? usual) + Math.max(0, thinking), Math.floor(contextWindow / 2));
}

/** Where providers take the budget for thinking. */
interface ThinkingOptions {
  anthropic?: { thinking?: { budgetTokens?: number } };
  google?: { thinkingConfig?: { thinkingBudget?: number } };
}

/** Rejects two tools with the same name: one would hide the other. */
export function checkToolNames({ toolbox, options }: AgentConfig): void {
  const taken = toolbox.tools.find(({ name }) => Object.hasOwn(options.tools ?? {}, dotless(name)));
  if (!taken) return;
  throw new HoldfastError(
    "duplicate_tool",
    `The agent's own tool "${dotless(taken.name)}" has the name of a memory tool. Rename it, or leave that surface out.`,
    { data: { tool: taken.name } },
  );
}

/** The options that every call of an agent has. A tool choice is only for calls that answer the user. */
function modelOptionsOf(options: ModelOptions): ModelOptions {
  return Object.fromEntries(
    modelOptionNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}
