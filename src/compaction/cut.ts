import type { StoredMessage } from "../context/conversation.ts";
import type { CompactionTrigger } from "../engine/records.ts";
import { checkpointTokens } from "./checkpoint.ts";
import { summaryBudget } from "./summary.ts";
import type { CompactionPolicy } from "./usage.ts";

export interface CutInput {
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** Tokens that a message takes in the prompt; 0 for one that is not shown. */
  sizeOf: (message: StoredMessage) => number;
  /** Tokens of the whole prompt. */
  used: number;
  policy: CompactionPolicy;
  trigger: CompactionTrigger;
}

/** Chooses the last message to remove. An overflow, or a compaction by the user or the host, removes at least half. */
export function chooseCut({ messages, sizeOf, used, policy, trigger }: CutInput): number | undefined {
  const { contextWindow, outputReserve, keep: share } = policy;
  const all = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  const room = contextWindow - outputReserve - (used - all) - summaryBudget(contextWindow) - checkpointTokens;
  const isUrgent = trigger === "overflow" || trigger === "manual" || trigger === "host";
  const first = isUrgent ? Math.min(contextWindow * share, all / 2) : contextWindow * share;
  for (let keep = first; keep >= 1; keep /= 2) {
    const to = planCut(messages, keep, sizeOf, room);
    if (to !== undefined) return to;
  }
  // Only the newest exchange is left, and the provider rejects it as too long on its own.
  return trigger === "overflow" ? messages.at(-1)?.number : undefined;
}

/**
 * The last message to remove: keeps the newest messages within a budget, and a result with its call. The newest exchange
 * stays, whatever the budget, if it takes no more than `maxNewest`: the model has yet to answer it.
 */
export function planCut(
  messages: readonly StoredMessage[],
  keepTokens: number,
  countTokens: (message: StoredMessage) => number,
  maxNewest = 0,
): number | undefined {
  let newest = messages.length - 1;
  while (newest > 0 && (messages[newest]?.aside || messages[newest]?.message.role === "tool")) newest--;
  let kept = 0;
  let cut = messages.length;
  while (cut > 0) {
    kept += countTokens(messages[cut - 1] as StoredMessage);
    if (kept > (cut > newest ? Math.max(keepTokens, maxNewest) : keepTokens)) break;
    cut--;
  }
  while (cut < messages.length && messages[cut]?.message.role === "tool") cut++;
  return cut === 0 ? undefined : messages[cut - 1]?.number;
}
