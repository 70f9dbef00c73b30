import type { ClearableResult } from "../compaction/clearing.ts";
import type { StoredMessage } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Placement } from "../context/placement.ts";
import { stubText } from "../context/shown.ts";
import type { TokenCounts } from "../hosts/transcript/recording.ts";
import { commonPrefix, createPromptBuilder, type Segment, totalOf } from "./build-prompt.ts";
import type { Calibration } from "./calibrate.ts";
import { createMemoryModel, type MemoryOptions, withCheckpoint } from "./memory-model.ts";
import type { ConversationPart } from "./prompt-layout.ts";
import type { RecordedCall, Transcript } from "./transcript.ts";

/** How much of the cacheable prefix the recording read from the cache. */
export interface CacheWarmth {
  /** From 0 (the cache had expired, or the agent changed its system prompt) to 1. */
  share: number;
  /** Tokens read beyond the previous call's prompt, cached by an earlier session. */
  extra: number;
}

export interface SimulatedCall {
  counts: TokenCounts;
  segments: readonly Segment[];
  /** Tokens at the start of the prompt that are the same as in the previous call. */
  common: number;
  warmth: CacheWarmth;
  /** Results cleared directly before this call. */
  cleared: readonly string[];
}

/** Decides before every call which results to clear. */
export type DecideClearing = (now: {
  messages: readonly StoredMessage[];
  cleared: ReadonlyMap<string, number>;
  /** Tokens of the prompt before this clearing. */
  total: number;
}) => readonly ClearableResult[];

export interface Scenario {
  transcript: Transcript;
  calibration: Calibration;
  parts: readonly ConversationPart[];
  warmth: readonly CacheWarmth[];
  placement: Placement | "none";
  memory: MemoryOptions;
  /** Tokens of the checkpoint after each compaction (default: no checkpoint). */
  checkpoint?: number;
  clearing: DecideClearing | undefined;
}

/** Replays the calls of a transcript under one policy, with a cache of the previous call's prompt. */
export function simulate({
  transcript,
  calibration,
  parts,
  warmth,
  placement,
  memory,
  checkpoint = 0,
  clearing,
}: Scenario): SimulatedCall[] {
  const { messages, calls } = transcript;
  const notepad = placement === "none" ? undefined : createMemoryModel(placement, memory);
  const model = notepad && checkpoint > 0 ? withCheckpoint(notepad, checkpoint) : notepad;
  const buildPrompt = createPromptBuilder(messages, calibration.system);
  const stubs = new Map<string, number>();
  let before: readonly Segment[] = [];
  let seen = 0;
  return parts.map((part, index) => {
    const call = calls[index] as RecordedCall;
    const asks = userMessages(messages, part.from, call.messages);
    const newAsk = asks.find((at) => at >= seen);
    const turn = {
      call: index,
      compacted: part.compacted,
      idle: idleBefore(calls, index),
      newAsk,
      newestAsk: asks.at(-1) ?? part.from,
    };
    const pieces = model?.place(turn) ?? [];
    seen = call.messages;
    let segments = buildPrompt(part, pieces, stubs);
    const inPrompt = messages.slice(part.from, call.messages);
    const cleared = clearing?.({ messages: inPrompt, cleared: stubs, total: totalOf(segments) }) ?? [];
    for (const { id, summary } of cleared)
      stubs.set(id, estimateTokens(stubText(id, summary)) * calibration.ratio);
    if (cleared.length > 0) segments = buildPrompt(part, pieces, stubs);
    const common = commonPrefix(before, segments);
    before = segments;
    const callWarmth = warmth[index] ?? { share: 1, extra: 0 };
    const counts = countCall(call, totalOf(segments), common, callWarmth);
    return { counts, segments, common, warmth: callWarmth, cleared: cleared.map(({ id }) => id) };
  });
}

/** Compares the recording's cache reads with those of a cache that never expires. */
export function measureCacheWarmth(
  { calls, messages }: Transcript,
  { system }: Calibration,
  parts: readonly ConversationPart[],
): CacheWarmth[] {
  const buildPrompt = createPromptBuilder(messages, system);
  let before: readonly Segment[] = [];
  return parts.map((part, index) => {
    const { cacheRead } = (calls[index] as RecordedCall).usage;
    const segments = buildPrompt(part, [], new Map());
    const common = commonPrefix(before, segments);
    before = segments;
    return {
      share: common > 0 ? Math.min(1, cacheRead / common) : 1,
      extra: Math.max(0, cacheRead - common),
    };
  });
}

/** Milliseconds between the previous answer and this call; 0 when the transcript does not record it. */
export function idleBefore(calls: readonly RecordedCall[], index: number): number {
  const before = calls[index - 1]?.answeredAt ?? 0;
  const askedAt = calls[index]?.askedAt ?? 0;
  return before > 0 && askedAt > before ? askedAt - before : 0;
}

function countCall(
  { usage }: RecordedCall,
  total: number,
  common: number,
  { share, extra }: CacheWarmth,
): TokenCounts {
  const cacheRead = Math.min(total, common * share + extra);
  const rest = total - cacheRead;
  // A provider without cache writes counts everything not read from the cache as input.
  const input = usage.cacheWrite === 0 ? rest : Math.min(rest, usage.input);
  return { input, cacheWrite: rest - input, cacheRead, output: usage.output };
}

function userMessages(messages: readonly StoredMessage[], from: number, to: number): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at++) if (messages[at]?.message.role === "user") found.push(at);
  return found;
}
