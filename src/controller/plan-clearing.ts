import { readCleared } from "../engine/conversation.ts";
import type { State } from "../engine/state.ts";
import { type StoredMessage, toolCallsOf, toolResultsOf } from "./conversation.ts";

/** When old tool results give way to one-line stubs. */
export interface ClearingPolicy {
  /** Tokens from which a single result of a kind is worth clearing. */
  searchTokens: number;
  fileTokens: number;
  otherTokens: number;
  /** The newest results stay. */
  keepLast: number;
  /** Tools whose results are never cleared. */
  exclude: readonly string[];
  /** What a cached input token costs, as a share of a fresh one. */
  cachedPrice: number;
  /** What writing a token into the cache costs, as a share of a fresh one. */
  writePrice: number;
}

export const defaultClearing: ClearingPolicy = {
  searchTokens: 2_000,
  fileTokens: 3_000,
  otherTokens: 2_000,
  keepLast: 3,
  exclude: [],
  cachedPrice: 0.1,
  writePrice: 1.25,
};

export interface ClearableResult {
  id: string;
  message: number;
  tool: string;
  summary: string;
  tokens: number;
}

export interface ClearingInput {
  state: State;
  messages: readonly StoredMessage[];
  /** Model calls still expected in this epoch. */
  callsLeft: number;
  /** Memory tools: their results are short, and a call of one means that something was written down. */
  memoryTools: ReadonlySet<string>;
  countTokens: (text: string) => number;
  policy: ClearingPolicy;
}

/**
 * Results to clear now, or none. Clearing rewrites the prompt from the first cleared result on, so it is done
 * in batches, and only when what it saves over the rest of the epoch is more than that rewriting costs.
 */
export function planClearing({ state, messages, callsLeft, memoryTools, countTokens, policy }: ClearingInput): ClearableResult[] {
  const candidates = findCandidates(state, messages, memoryTools, countTokens, policy);
  if (candidates.length === 0) return [];
  const sizes = messages.map(({ number, message }) => ({ number, tokens: countTokens(JSON.stringify(message.content)) }));
  let best: ClearableResult[] = [];
  let bestGain = 0;
  // Oldest-first prefixes dropped one by one: a later start rewrites less, and saves less.
  for (let start = 0; start < candidates.length; start++) {
    const batch = candidates.slice(start);
    const first = (batch[0] as ClearableResult).message;
    const saved = batch.reduce((sum, { tokens }) => sum + tokens, 0);
    const rewritten = sizes.reduce((sum, { number, tokens }) => (number >= first ? sum + tokens : sum), 0) - saved;
    const gain = saved * callsLeft * policy.cachedPrice - rewritten * (policy.writePrice - policy.cachedPrice);
    if (gain > bestGain) {
      bestGain = gain;
      best = batch;
    }
  }
  return best;
}

function findCandidates(
  state: State,
  messages: readonly StoredMessage[],
  memoryTools: ReadonlySet<string>,
  countTokens: (text: string) => number,
  policy: ClearingPolicy,
): ClearableResult[] {
  const cleared = new Set(readCleared(state).map(([id]) => id));
  const inputs = new Map(messages.flatMap(toolCallsOf).map(({ id, input }) => [id, input]));
  const results = messages.flatMap(toolResultsOf).filter(({ tool }) => !memoryTools.has(tool));
  return results.slice(0, Math.max(0, results.length - policy.keepLast)).flatMap(({ id, tool, text, message }) => {
    if (cleared.has(id) || policy.exclude.includes(tool)) return [];
    const tokens = countTokens(text);
    if (tokens < thresholdFor(tool, policy)) return [];
    return [{ id, message, tool, tokens, summary: describeResult(tool, inputs.get(id), text) }];
  });
}

function thresholdFor(tool: string, policy: ClearingPolicy): number {
  if (/grep|search|find|glob|rg\b/i.test(tool)) return policy.searchTokens;
  if (/read|cat|file|view|open/i.test(tool)) return policy.fileTokens;
  return policy.otherTokens;
}

/** One line that says what the result was, so that the agent knows whether to read it again. */
export function describeResult(tool: string, input: unknown, text: string): string {
  const lines = text.split("\n").length;
  const asked = JSON.stringify(input ?? {});
  return `${tool} ${asked.length > 120 ? `${asked.slice(0, 120).toWellFormed()}…` : asked} gave ${lines} lines, ${text.length} characters.`;
}
