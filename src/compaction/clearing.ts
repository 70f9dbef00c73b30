import { type StoredMessage, type ToolResult, textOf, toolResultsOf } from "../context/conversation.ts";
import { fenceContent } from "../context/fence.ts";
import { callsOfResults } from "../context/pairs.ts";
import type { ClearingPolicy } from "../engine/clearing-policy.ts";
import { recordId } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { dropTrailing } from "../engine/text.ts";
import { isLongEnough, kindOfResult, type ResultKind } from "./result-kinds.ts";
import { workedIn } from "./worked-in.ts";

export interface ClearableResult {
  /** The result's own number. */
  id: string;
  message: number;
  tool: string;
  summary: string;
  tokens: number;
  /** The line of the agent's notes that covers it, if there is one. */
  finding?: string;
}

export interface ClearingInput {
  /** Records which results are already cleared. */
  state: Pick<State, "resident">;
  messages: readonly StoredMessage[];
  /** The whole text of a result that the messages show only in part. */
  originalOf: (key: string) => string | undefined;
  /** Model calls still expected in this epoch; see `estimateCallsLeft`. */
  callsLeft: number;
  /** Memory tools, whose results are never cleared. */
  memoryTools: ReadonlySet<string>;
  /** The memory tools that write: the input of such a call is saved in memory. */
  writingTools: ReadonlySet<string>;
  countTokens: (text: string) => number;
  policy: ClearingPolicy;
}

/** The tools that write to NOTES.md. */
const projectTools: ReadonlySet<string> = new Set(["log_decision", "log_entry", "log_handoff"]);

/** Size of a stub. */
const stubTokens = 80;

/** Number of recent calls used to estimate how fast the conversation grows. */
const growthCalls = 30;

/**
 * Results to clear now, if any. Clearing invalidates the prompt cache from the first cleared result on, so it runs in
 * batches, and only when the savings over the rest of the epoch exceed the cost of the rewrite.
 */
export function planClearing({
  state,
  messages,
  originalOf,
  callsLeft,
  memoryTools,
  writingTools,
  countTokens,
  policy,
}: ClearingInput): ClearableResult[] {
  const isCleared = ({ key }: ToolResult) => state.resident.has(recordId("cleared", key));
  const calls = callsOfResults(messages);
  const results = messages.flatMap((stored) => factsOf(stored, countTokens).results);
  const covers = workedIn(messages, writingTools);
  const findings = new Map(
    results.map((result) => [result.key, () => covers({ ...result, input: calls.get(result.key)?.input })]),
  );
  const candidates = findCandidates({
    results: results.filter(({ tool }) => !memoryTools.has(tool)),
    isCleared,
    kindOf: ({ key, tool, text }) => kindOfResult(tool, calls.get(key)?.input, text),
    isWorkedIn: ({ key }) => findings.get(key)?.() !== undefined,
    policy,
  });
  let batch = candidates.length;
  let bestGain = 0;
  let saved = 0;
  let behind = 0;
  let next = messages.length - 1;
  // From the newest back: each further candidate saves more, but rewrites more of the prompt.
  for (let start = candidates.length - 1; start >= 0; start--) {
    const { message, tokens } = candidates[start] as MeasuredResult;
    for (let stored = messages[next]; stored && stored.number >= message; stored = messages[--next]) {
      behind += promptTokens(stored, countTokens, isCleared);
    }
    saved += tokens - stubTokens;
    const gain =
      saved * callsLeft * policy.cachedPrice - (behind - saved) * (policy.writePrice - policy.cachedPrice);
    if (gain > bestGain) {
      bestGain = gain;
      batch = start;
    }
  }
  if (batch === candidates.length) return [];
  return candidates.slice(batch).map(({ key, message, tool, tokens, text }) => {
    const found = findings.get(key)?.();
    const summary = found
      ? `${fenceContent(dropTrailing(found.text, "."))}. ${projectTools.has(found.tool) ? "Logged to NOTES.md" : `Saved with ${found.tool}`}.`
      : describeResult(tool, calls.get(key)?.input, originalOf(key) ?? text);
    return { id: key, message, tool, tokens, summary, ...(found ? { finding: found.text } : {}) };
  });
}

/**
 * Estimates the calls left in this epoch from the room left and the growth per recent call. Capped at the number of
 * calls so far, since most conversations end before they fill their window.
 */
export function estimateCallsLeft(
  messages: readonly StoredMessage[],
  room: number,
  countTokens: (text: string) => number,
): number {
  let calls = 0;
  let recent = 0;
  for (const stored of messages.toReversed()) {
    if (calls < growthCalls) recent += factsOf(stored, countTokens).tokens;
    if (stored.message.role === "assistant") calls++;
  }
  const growth = recent / Math.max(1, Math.min(calls, growthCalls));
  return growth > 0 ? Math.floor(Math.max(0, Math.min(room / growth, calls))) : 0;
}

interface MeasuredResult extends ToolResult {
  tokens: number;
}

interface CandidateInput {
  results: readonly MeasuredResult[];
  isCleared: (result: ToolResult) => boolean;
  kindOf: (result: MeasuredResult) => ResultKind;
  isWorkedIn: (result: MeasuredResult) => boolean;
  policy: ClearingPolicy;
}

/** Old results that are large, small ones that have accumulated, and those the notes already cover; oldest first. */
function findCandidates({
  results,
  isCleared,
  kindOf,
  isWorkedIn,
  policy,
}: CandidateInput): MeasuredResult[] {
  const present = results.filter((result) => !isCleared(result));
  const total = present.reduce((sum, { tokens }) => sum + tokens, 0);
  const newest = new Set(results.slice(Math.max(0, results.length - policy.keepLast)));
  const old = present
    .filter(
      (result) =>
        !newest.has(result) && result.tokens >= policy.leastTokens && !policy.exclude.includes(result.tool),
    )
    .map((result) => ({ result, kind: kindOf(result) }));
  const accumulated = { search: 0, file: 0, tree: 0, json: 0, test: 0, other: 0 };
  for (const { result, kind } of old) accumulated[kind] += result.tokens;
  return old
    .filter(
      ({ result, kind }) =>
        result.tokens >= policy[`${kind}Tokens`] ||
        accumulated[kind] >= policy.accumulatedTokens ||
        total >= policy.sessionTokens ||
        (isLongEnough(kind, result.text) && isWorkedIn(result)),
    )
    .map(({ result }) => result);
}

interface MessageFacts {
  tokens: number;
  results: readonly MeasuredResult[];
}

/** Messages never change, so count each once: recounting the whole history on every turn is slow. */
const knownFacts = new WeakMap<(text: string) => number, WeakMap<StoredMessage, MessageFacts>>();

function factsOf(stored: StoredMessage, countTokens: (text: string) => number): MessageFacts {
  const known = knownFacts.get(countTokens) ?? new WeakMap<StoredMessage, MessageFacts>();
  knownFacts.set(countTokens, known);
  const facts = known.get(stored) ?? measure(stored, countTokens);
  known.set(stored, facts);
  return facts;
}

function measure(stored: StoredMessage, countTokens: (text: string) => number): MessageFacts {
  const results = toolResultsOf(stored).map((result) => ({ ...result, tokens: countTokens(result.text) }));
  const tokens =
    stored.message.role === "tool"
      ? results.reduce((sum, result) => sum + result.tokens, 0)
      : countTokens(textOf(stored.message));
  return { tokens, results };
}

/** Tokens of a message in the prompt, with its cleared results as stubs. */
function promptTokens(
  stored: StoredMessage,
  countTokens: (text: string) => number,
  isCleared: (result: ToolResult) => boolean,
): number {
  const { tokens, results } = factsOf(stored, countTokens);
  return results.reduce(
    (sum, result) => (isCleared(result) ? sum - result.tokens + stubTokens : sum),
    tokens,
  );
}

/** Describes a result in one line, so that the agent can decide whether to read it again. */
function describeResult(tool: string, input: unknown, text: string): string {
  const lines = text.split("\n").length;
  const json = JSON.stringify(input ?? {});
  return `${tool} ${json.length > 120 ? `${json.slice(0, 120).toWellFormed()}…` : json} gave ${lines} lines, ${text.length} characters.`;
}
