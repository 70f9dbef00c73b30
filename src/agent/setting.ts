import type { LanguageModel, ModelMessage } from "ai";
import type { CompactionPolicy } from "../compaction/usage.ts";
import type { Placement } from "../context/placement.ts";
import { type CalibratedTokenizer, cachedTokenizer, calibratedTokenizer } from "../context/tokens.ts";
import { agentDefaults } from "../engine/agent-defaults.ts";
import { HoldfastError } from "../errors.ts";
import type { MemoryConfig } from "../sessions/options.ts";
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

export function agentSetting(
  memory: Pick<MemoryConfig, "countTokens" | "clock" | "handoff">,
  toolbox: Toolbox,
  options: AgentSetting["options"],
  call: CallSetting = {},
): AgentSetting {
  const { countTokens, clock } = memory;
  const { contextWindow, placement = "epoch" } = options;
  const tokenizer = calibratedTokenizer(cachedTokenizer({ name: "agent", count: countTokens }));
  const { memoryShare = agentDefaults.memoryShare } = options;
  return {
    options,
    toolbox: toolbox.readAs({ shown: placement, keepsConversation: true, dotless: true }),
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
