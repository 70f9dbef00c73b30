import type { MemoryOptions } from "./memory-model.ts";
import type { Prices } from "./prices.ts";
import type { ConversationPart } from "./prompt-layout.ts";
import type { SimulatedCall } from "./simulate.ts";

/** The cost of the agent's edits, independent of where the notepad is placed. */
export interface WritingCost {
  edits: number;
  /** Dollars: the tool calls as output, then as part of the prompt until the epoch ends. */
  cost: number;
}

/** Tokens of a tool call around the text it carries, and of the tool's answer. */
const callTokens = 40;
const answerTokens = 30;

/** Assumes that the agent edits along with other tool calls, so an edit needs no extra model call. */
export function writingCost(
  calls: readonly SimulatedCall[],
  parts: readonly ConversationPart[],
  prices: readonly Prices[],
  { editEvery, editTokens }: MemoryOptions,
): WritingCost {
  let edits = 0;
  let cost = 0;
  let held = 0;
  let fresh = 0;
  for (const [index, { warmth }] of calls.entries()) {
    const { cacheRead = 0, cacheWrite = 0, output = 0 } = prices[index] ?? {};
    if (parts[index]?.compacted) held = fresh = 0;
    cost += held * (warmth.share * cacheRead + (1 - warmth.share) * cacheWrite) + fresh * cacheWrite;
    held += fresh;
    fresh = 0;
    // The next call is the first to see this edit.
    if ((index + 1) % editEvery !== 0 || index + 1 === calls.length) continue;
    edits++;
    cost += (editTokens + callTokens) * output;
    fresh = editTokens + callTokens + answerTokens;
  }
  return { edits, cost: cost / 1_000_000 };
}
