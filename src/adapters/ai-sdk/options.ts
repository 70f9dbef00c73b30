import type { LanguageModel, ToolSet } from "ai";
import { type AgentSetting, makeTokenizer } from "../../agent/agent-session.ts";
import type { AgentEvent } from "../../agent/events.ts";
import type { AgentOptions } from "../../agent/options.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { cachedTokenizer, type Tokenizer } from "../../context/tokens.ts";
import type { Limits } from "../../engine/limits.ts";
import { HoldfastError } from "../../errors.ts";
import { mergeLimits } from "../../sessions/options.ts";
import type { Session } from "../../sessions/session.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { findSurfaces, type SurfaceName } from "../../surfaces/surfaces.ts";
import { createToolbox } from "../../surfaces/toolbox.ts";

/** What the memory offers and within which budgets. */
export interface ToolOptions {
  /** Forms of memory; `notepad`, `notes`, `tasks` and `results` unless given. */
  surfaces?: readonly (SurfaceName | Surface)[];
  /** The limits that the memory was opened with, if it was with any. */
  limits?: Partial<Limits>;
  /** The tokenizer that the memory was opened with, if it was with one. */
  tokenizer?: Tokenizer;
}

/** Where memory stands before the model. */
export interface PlacementOptions
  extends ToolOptions,
    Pick<AgentOptions, "placement" | "nudges" | "foldAfter"> {
  /** Hears of warnings, checkpoints, compactions, receipts and failures. */
  onEvent?: (event: AgentEvent) => void;
}

/** When and how the conversation is compacted. */
export interface CompactionOptions
  extends PlacementOptions,
    Pick<
      AgentOptions,
      "contextWindow" | "summaryModel" | "compactAt" | "keep" | "outputReserve" | "clearing"
    > {
  session: Session;
}

export function toolboxFor({
  surfaces = ["notepad", "notes", "tasks", "results"],
  limits,
  tokenizer,
}: ToolOptions) {
  if (surfaces.includes("sessions")) {
    throw new HoldfastError(
      "invalid_input",
      `The surface "sessions" needs an agent that Holdfast runs itself: use createAgent from "holdfast/agent", or leave it out here.`,
    );
  }
  return createToolbox(findSurfaces(surfaces), {
    limits: mergeLimits(limits),
    countTokens: countTokensOf(tokenizer),
  });
}

/** Without a context window nothing is ever compacted, and the model is never called from here. */
export function agentSetting(
  options: PlacementOptions & Partial<CompactionOptions>,
  model: LanguageModel = "none",
  tools?: ToolSet,
): AgentSetting {
  const contextWindow = options.contextWindow ?? Number.POSITIVE_INFINITY;
  if (!(contextWindow > 0)) {
    throw new HoldfastError(
      "invalid_input",
      `contextWindow must be a positive number of tokens (got ${contextWindow}).`,
    );
  }
  const countTokens = countTokensOf(options.tokenizer);
  return {
    options: { ...options, contextWindow, model, ...(tools ? { tools } : {}) },
    toolbox: toolboxFor(options),
    placement: options.placement ?? "epoch",
    policy: {
      contextWindow,
      compactAt: options.compactAt ?? 0.8,
      keep: options.keep ?? 0.25,
      outputReserve: options.outputReserve ?? Math.min(4_000, Math.floor(contextWindow * 0.1)),
    },
    base: "",
    tokenizer: makeTokenizer(countTokens),
    countTokens,
    clock: () => Date.now(),
  };
}

function countTokensOf(
  tokenizer: Tokenizer = { name: "estimate", count: estimateTokens },
): (text: string) => number {
  const cached = cachedTokenizer(tokenizer);
  return (text) => cached.count(text);
}

/** Who hears of what happens; a failure of the memory never blocks the agent, and is never silent. */
export interface Listeners {
  emit: (event: AgentEvent) => void;
  report: (error: unknown) => void;
}

export function listenersOf({ onEvent }: Pick<PlacementOptions, "onEvent">): Listeners {
  return {
    emit: (event) => onEvent?.(event),
    report: (error) => {
      const message = `Memory failed, and the agent goes on without it: ${error instanceof Error ? error.message : String(error)}`;
      if (onEvent) onEvent({ type: "error", message });
      else console.warn(`holdfast: ${message}`);
    },
  };
}
