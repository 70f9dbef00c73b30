import type {
  LanguageModel,
  LanguageModelCallOptions,
  RequestOptions,
  TelemetryOptions,
  ToolChoice,
  ToolSet,
} from "ai";
import type { NudgePolicy } from "../compaction/nudges.ts";
import type { Placement } from "../context/placement.ts";
import type { ChildLimits } from "../engine/agent-defaults.ts";
import type { ClearingPolicy } from "../engine/clearing-policy.ts";
import type { Memory } from "../sessions/memory.ts";
import type { SurfaceChoice } from "../sessions/options.ts";

/** Settings of the model's calls, as in the AI SDK. */
export interface ModelSettings
  extends LanguageModelCallOptions,
    Pick<RequestOptions<ToolSet>, "headers" | "maxRetries" | "timeout"> {
  providerOptions?: SharedOptions;
  telemetry?: TelemetryOptions;
}

/** Their names. */
export const modelSettings = [
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
] as const satisfies readonly (keyof ModelSettings)[];

type SharedOptions = NonNullable<ToolSet[string]["providerOptions"]>;

export interface AgentOptions extends ModelSettings {
  memory: Memory;
  model: LanguageModel;
  /** Writes the summaries (default: `model`). */
  summaryModel?: LanguageModel;
  /**
   * Whether `model` writes a summary at the end of its own prompt, which the provider reads from its cache, or in a
   * request of its own (default: true). With a `summaryModel`, always in a request of its own.
   */
  summaryInPlace?: boolean;
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
  /**
   * Minutes without a model call after which the provider's prompt cache has expired. The changes of an epoch are then
   * folded into a fresh snapshot at no extra cost. Default: 5. 0 turns folding off.
   */
  foldAfter?: number;
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
