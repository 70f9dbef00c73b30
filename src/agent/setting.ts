import type { LanguageModel, ModelMessage } from "ai";
import type { CompactionPolicy } from "../compaction/usage.ts";
import { type Placement, placements } from "../context/prompt.ts";
import { type CalibratedTokenizer, cachedTokenizer, calibratedTokenizer } from "../context/tokens.ts";
import { HoldfastError } from "../errors.ts";
import type { DriverSetting } from "../sessions/options.ts";
import type { CallSetting } from "../surfaces/surface.ts";
import { dotless, type Toolbox } from "../surfaces/toolbox.ts";
import { callSettings } from "./call-model.ts";
import { messageCounter } from "./count-message.ts";
import type { AgentOptions, ModelSettings } from "./options.ts";

/** What every part of a turn needs from the agent. Fixed for the agent's lifetime. */
export interface AgentSetting {
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
  settings: ModelSettings;
  /** Passed to every tool call. */
  call: CallSetting;
}

/** The base prompt and the model that answers it. */
export interface Frame {
  model: LanguageModel;
  /** The base prompt; memory's guidance follows it. */
  base: string;
}

export const defaultMemoryShare = 0.4;

export function agentSetting(
  memory: Pick<DriverSetting, "countTokens" | "clock">,
  toolbox: Toolbox,
  options: AgentSetting["options"],
  call: CallSetting = {},
): AgentSetting {
  const { countTokens, clock } = memory;
  const { contextWindow } = options;
  checkOptions(options);
  const tokenizer = calibratedTokenizer(cachedTokenizer({ name: "agent", count: countTokens }));
  const { memoryShare = defaultMemoryShare } = options;
  return {
    options,
    toolbox,
    placement: options.placement ?? "epoch",
    policy: {
      contextWindow,
      compactAt: options.compactAt ?? 0.8,
      keep: options.keep ?? 0.25,
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
    settings: callSettings(options),
    call: { ...call, taken: Object.keys(options.tools ?? {}) },
  };
}

/** Tokens for the longest answer that the settings allow, thinking included. */
function reserveFor({ contextWindow, maxOutputTokens, providerOptions }: AgentSetting["options"]): number {
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

/** Rejects invalid numbers: with NaN, for example, nothing would ever be compacted. */
function checkOptions(options: AgentSetting["options"]): void {
  const {
    contextWindow,
    compactAt = 1,
    keep = 0,
    outputReserve = 0,
    maxSteps = 1,
    memoryShare = 1,
  } = options;
  const { placement = "epoch" } = options;
  const isShare = (value: number) => value >= 0 && value <= 1;
  for (const [name, value, isFine] of [
    ["contextWindow", contextWindow, contextWindow > 0],
    ["outputReserve", outputReserve, outputReserve >= 0 && outputReserve < contextWindow],
    ["compactAt", compactAt, isShare(compactAt) && compactAt > 0],
    ["keep", keep, isShare(keep)],
    ["memoryShare", memoryShare, isShare(memoryShare) && memoryShare > 0],
    ["maxSteps", maxSteps, maxSteps >= 1],
    ["placement", placement, placements.includes(placement)],
  ] as const) {
    if (!isFine) throw invalidOption(name, value);
  }
}

export function invalidOption(name: string, value: unknown): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `The agent's option "${name}" cannot be ${value}. contextWindow and outputReserve are tokens, compactAt, keep and memoryShare are shares of the window from 0 to 1, maxSteps is at least 1, placement is one of ${placements.join(", ")}.`,
  );
}

/** Rejects two tools with the same name: one would hide the other. */
export function checkToolNames({ toolbox, options }: AgentSetting): void {
  const taken = toolbox.tools.find(({ name }) => Object.hasOwn(options.tools ?? {}, dotless(name)));
  if (!taken) return;
  throw new HoldfastError(
    "duplicate_tool",
    `The agent's own tool "${dotless(taken.name)}" has the name of a memory tool. Rename it, or leave that surface out.`,
    { data: { tool: taken.name } },
  );
}
