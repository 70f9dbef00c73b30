import type { StoredMessage } from "../context/conversation.ts";
import { toolCallsOf } from "../context/conversation.ts";
import type { CompactionTrigger } from "../engine/records.ts";
import { handoffTokens } from "./handoff.ts";
import { summaryBudget } from "./summary.ts";
import { type CompactionPolicy, warningRoom } from "./usage.ts";

export interface CutInput {
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** Tokens that a message takes in the prompt; 0 for one that is not shown. */
  sizeOf: (message: StoredMessage) => number;
  /** Tokens of the whole prompt. */
  used: number;
  policy: CompactionPolicy;
  trigger: CompactionTrigger;
  /** Tokens by which the prompt is expected to grow with each call. */
  growth?: number;
  /** Tokens of a message that is about to be added. */
  incoming?: number;
}

/**
 * The last message to remove: keeps the newest messages, as many as leave room for what comes next. An overflow, or a
 * compaction by the user or the host, removes at least half.
 */
export function chooseCut(input: CutInput): number | undefined {
  const { messages, sizeOf, used, policy, trigger, growth = 0, incoming = 0 } = input;
  const { contextWindow, outputReserve, keep: share } = policy;
  const all = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  const written = summaryBudget(contextWindow) + handoffTokens(contextWindow);
  const after = used - all + written + incoming;
  // Below two steps of growth the next compaction would follow at once.
  const room = contextWindow - outputReserve - warningRoom(policy) - after - 2 * growth;
  const isUrgent = ["overflow", "manual", "tasks", "host"].includes(trigger);
  const wanted = isUrgent ? Math.min(contextWindow * share, all / 2) : contextWindow * share;
  for (let keep = Math.max(0, Math.min(wanted, room)); ; keep /= 2) {
    const to = planCut(messages, keep, sizeOf);
    if (to !== undefined || keep < 1) return to;
  }
}

/**
 * The last message to remove: keeps the newest messages within a budget, and a result with its call. An unanswered message
 * stays, whatever its size.
 */
export function planCut(
  messages: readonly StoredMessage[],
  keepTokens: number,
  countTokens: (message: StoredMessage) => number,
): number | undefined {
  const newest = firstUnanswered(messages);
  let kept = 0;
  let cut = messages.length;
  while (cut > 0) {
    kept += countTokens(messages[cut - 1] as StoredMessage);
    if (kept > keepTokens && cut <= newest) break;
    cut--;
  }
  while (cut < newest && messages[cut]?.message.role === "tool") cut++;
  return cut === 0 ? undefined : messages[cut - 1]?.number;
}

/** Where the exchange begins that the model has yet to answer: a prompt, or calls with their results. */
export function firstUnanswered(messages: readonly StoredMessage[]): number {
  let at = messages.length - 1;
  while (at >= 0 && messages[at]?.inWarning) at--;
  while (at > 0 && messages[at]?.message.role === "tool") at--;
  const first = messages[at];
  const isOpen = first && (first.message.role !== "assistant" || toolCallsOf(first).length > 0);
  return isOpen ? at : messages.length;
}
