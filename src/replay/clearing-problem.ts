import { describeResult } from "../compaction/clearing.ts";
import { toolResultsOf } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { callsOfResults } from "../context/pairs.ts";
import { stubText } from "../context/shown.ts";
import type { Calibration } from "./calibrate.ts";
import type { Prices } from "./prices.ts";
import type { ConversationPart } from "./prompt-layout.ts";
import type { SimulatedCall } from "./simulate.ts";
import type { Transcript } from "./transcript.ts";

/** A result that could be cleared in an epoch. */
export interface Clearable {
  /** Index of the message that holds it. */
  message: number;
  /** The first moment at which it can be cleared. */
  from: number;
  /** Dollars saved from each moment to the end by clearing then, plus a final 0 for the end itself. */
  saving: readonly number[];
}

/** The clearing problem of one epoch. Results are in prompt order, which is also the order of `from`. */
export interface ClearingProblem {
  /** The calls before which clearing is worth considering. */
  moments: readonly number[];
  results: readonly Clearable[];
  /** Dollars for rewriting the prompt from this result on at this moment, after clearing everything clearable in it. */
  rewriting(moment: number, result: number): number;
}

export interface ClearingInput {
  transcript: Transcript;
  calibration: Calibration;
  parts: readonly ConversationPart[];
  /** The same policy without clearing. */
  calls: readonly SimulatedCall[];
  /** One per call. */
  prices: readonly Prices[];
  /** How many of the newest results stay uncleared, as in the compared policy. */
  keepLast: number;
}

/** A result in one epoch: its position in each prompt, and since when it could have been cleared. */
interface TrackedResult {
  message: number;
  /** The first call at which it was no longer among the newest. */
  eligible: number;
  /** Tokens beyond those of its stub. */
  spare: number;
  /** Tokens before it in the prompt, by call. */
  starts: Map<number, number>;
}

/** The clearing problem of the epoch of calls [start, end). */
export function buildClearingProblem(input: ClearingInput, start: number, end: number): ClearingProblem {
  const results = trackResults(input, start, end);
  const moments = chooseMoments(input.calls, results, start, end);
  const prices = Array.from({ length: end - start }, (_, offset) => priceAt(input, start + offset));
  const costs = moments.map((call) =>
    rewritingCosts(input.calls[call] as SimulatedCall, results, call, prices[call - start] as CallPrice),
  );
  return {
    moments,
    results: results.map((result) => toClearable(result, input.calls, moments, prices, start)),
    rewriting: (moment, result) => costs[moment]?.[result] ?? 0,
  };
}

interface CallPrice {
  read: number;
  write: number;
}

/** Dollars per token. */
function priceAt({ transcript, prices }: ClearingInput, call: number): CallPrice {
  const { cacheRead = 0, cacheWrite = 0, input = 0 } = prices[call] ?? {};
  const writes = (transcript.calls[call]?.usage.cacheWrite ?? 0) > 0;
  return { read: cacheRead / 1e6, write: (writes ? cacheWrite : input) / 1e6 };
}

function trackResults(
  { transcript, calibration, calls, keepLast }: ClearingInput,
  start: number,
  end: number,
): TrackedResult[] {
  const tracked = new Map<number, TrackedResult>();
  const stubs = stubSizes(transcript, calibration);
  for (let call = start; call < end; call++) {
    const present: { message: number; tokens: number; at: number }[] = [];
    let at = 0;
    for (const { message, tokens } of calls[call]?.segments ?? []) {
      if (message !== undefined && stubs.has(message)) present.push({ message, tokens, at });
      at += tokens;
    }
    for (const { message, tokens, at: before } of present.slice(0, Math.max(0, present.length - keepLast))) {
      const spare = tokens - (stubs.get(message) ?? 0);
      if (spare <= 0) continue;
      const known = tracked.get(message) ?? { message, eligible: call, spare, starts: new Map() };
      known.starts.set(call, before);
      tracked.set(message, known);
    }
  }
  return [...tracked.values()].sort((left, right) => left.message - right.message);
}

/** Tokens of Holdfast's stub for each result, by the message's index. */
function stubSizes({ messages }: Transcript, { ratio }: Calibration): Map<number, number> {
  const sources = callsOfResults(messages);
  const results = messages.flatMap(toolResultsOf);
  return new Map(
    results.map(({ key, tool, text, message }) => [
      message - 1,
      estimateTokens(stubText(key, describeResult(tool, sources.get(key)?.input, text))) * ratio,
    ]),
  );
}

/** Waiting makes rewriting more expensive, so consider calls where a result becomes old or the cache is lost anyway. */
function chooseMoments(
  calls: readonly SimulatedCall[],
  results: readonly TrackedResult[],
  start: number,
  end: number,
): number[] {
  const newlyEligible = new Set(results.map(({ eligible }) => eligible));
  const moments: number[] = [];
  let sent = 0;
  for (let call = start; call < end; call++) {
    const { counts, common, warmth } = calls[call] as SimulatedCall;
    if (newlyEligible.has(call) || warmth.share < 0.999 || common < sent - 1) moments.push(call);
    sent = counts.input + counts.cacheRead + counts.cacheWrite;
  }
  return moments;
}

function toClearable(
  { message, eligible, spare, starts }: TrackedResult,
  calls: readonly SimulatedCall[],
  moments: readonly number[],
  prices: readonly CallPrice[],
  start: number,
): Clearable {
  const from = moments.findIndex((call) => call >= eligible);
  const later = new Float64Array(prices.length + 1);
  for (let offset = prices.length - 1; offset >= 0; offset--) {
    const { common, warmth } = calls[start + offset] as SimulatedCall;
    const { read, write } = prices[offset] as CallPrice;
    const at = starts.get(start + offset);
    const price = at !== undefined && at < common ? warmth.share * read + (1 - warmth.share) * write : write;
    later[offset] = (later[offset + 1] ?? 0) + (at === undefined ? 0 : spare * price);
  }
  return { message, from, saving: [...moments.map((call) => later[call - start] ?? 0), 0] };
}

/** Per result: the cost of rewriting the cached prompt after it, once everything clearable there is cleared. */
function rewritingCosts(
  { common, warmth }: SimulatedCall,
  results: readonly TrackedResult[],
  call: number,
  { read, write }: CallPrice,
): Float64Array {
  const costs = new Float64Array(results.length);
  let spared = 0;
  for (let index = results.length - 1; index >= 0; index--) {
    const { starts, spare } = results[index] as TrackedResult;
    const at = starts.get(call);
    if (at === undefined || at >= common) continue;
    spared += spare;
    costs[index] = Math.max(0, common - at - spared) * warmth.share * (write - read);
  }
  return costs;
}
