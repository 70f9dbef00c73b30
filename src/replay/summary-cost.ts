import { summaryInstructions, transcriptOf } from "../compaction/summary.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Calibration } from "./calibrate.ts";
import { costOf, type Prices } from "./prices.ts";
import type { ConversationPart } from "./prompt-layout.ts";
import type { Transcript } from "./transcript.ts";

/** What writing the summaries costs, in dollars. */
export interface SummaryCost {
  summaries: number;
  /** At the end of the agent's own prompt, which the provider reads from its cache. */
  inPlace: number;
  /** In requests of their own, which have the removed messages as fresh text. */
  separate: number;
  /** Share of the removed messages that a separate request has room for; in place, the model has read all of them. */
  separateShare: number;
}

/** Tokens of the instructions at the end of a prompt. */
const instructionTokens = 250;

export function summaryCost(
  { messages }: Transcript,
  { system, ratio }: Calibration,
  parts: readonly ConversationPart[],
  prices: readonly Prices[],
  contextWindow: number,
): SummaryCost {
  const cost: SummaryCost = { summaries: 0, inPlace: 0, separate: 0, separateShare: 1 };
  let removedTokens = 0;
  let readTokens = 0;
  for (const [call, part] of parts.entries()) {
    const before = parts[call - 1];
    const price = prices[call];
    if (!part.compacted || !before || !price) continue;
    cost.summaries++;
    const prompt = before.sizes.reduce((sum, tokens) => sum + tokens, system + before.summary);
    const output = part.summary;
    cost.inPlace += costOf({ input: instructionTokens, cacheWrite: 0, cacheRead: prompt, output }, price);
    const removed = estimateTokens(transcriptOf(messages.slice(before.from, part.from))) * ratio;
    const framing = before.summary + estimateTokens(summaryInstructions) * ratio;
    const read = Math.min(removed, Math.max(0, contextWindow * 0.9 - framing - output));
    cost.separate += costOf({ input: framing + read, cacheWrite: 0, cacheRead: 0, output }, price);
    removedTokens += removed;
    readTokens += read;
  }
  if (removedTokens > 0) cost.separateShare = readTokens / removedTokens;
  return cost;
}
