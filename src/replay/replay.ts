import { checkpointTokens } from "../compaction/budget.ts";
import { estimateCallsLeft, planClearing } from "../compaction/clearing.ts";
import type { CompactionPolicy } from "../compaction/usage.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { type ClearingPolicy, defaultClearing } from "../engine/clearing-policy.ts";
import { type RecordId, recordId } from "../engine/records.ts";
import type { TokenCounts } from "../hosts/transcript/recording.ts";
import { findBestClearing } from "./best-clearing.ts";
import { type Calibration, calibrate } from "./calibrate.ts";
import { divideEpochCost, type EpochCost } from "./epoch-cost.ts";
import { defaultMemory, type MemoryOptions } from "./memory-model.ts";
import { addCounts, builtInPrices, costOf, type Prices, pricesFor } from "./prices.ts";
import { type CompactionMode, type ConversationPart, layOutConversation } from "./prompt-layout.ts";
import type { PolicyRow, ReplayOptions, Report } from "./report.ts";
import {
  type CacheWarmth,
  type DecideClearing,
  idleBefore,
  measureCacheWarmth,
  type SimulatedCall,
  simulate,
} from "./simulate.ts";
import { summaryCost } from "./summary-cost.ts";
import type { Transcript } from "./transcript.ts";
import { writingCost } from "./writing-cost.ts";

/** The provider's prompt cache expires after this long withoutCompaction a call. */
const cacheLifetime = 5 * 60_000;

/** No model accepts more, so the cost of a longer prompt is not worth computing. */
const maxContextWindow = 1_000_000;

/**
 * Computes what each policy would have cost on a recorded session.
 *
 * @example replay(await readTranscript(text)).rows.find(({ placement, clearing }) => placement === "epoch" && clearing)?.cost
 */
export function replay(transcript: Transcript, options: ReplayOptions = {}): Report {
  const { prices: table = builtInPrices } = options;
  const memory = { ...defaultMemory, ...options.memory };
  const prices = transcript.calls.map(({ model }) => pricesFor(model, table));
  const contextWindow = options.contextWindow ?? guessWindow(transcript);
  const policy = compactionPolicy(contextWindow);
  const calibration = calibrate(transcript);
  const recorded = layOutConversation(transcript, calibration, "recorded", policy);
  const mode = recorded.some(({ compacted }) => compacted) ? "recorded" : "planned";
  const clearing = { ...defaultClearing, ...options.clearing };
  const setting = { transcript, calibration, recorded, prices, memory, policy, clearing };
  const withCompaction = runMode(setting, mode);
  const uncompacted = largestPrompt(layOutConversation(transcript, calibration, "none", policy), calibration);
  const withoutCompaction = uncompacted <= maxContextWindow ? runMode(setting, "none").rows : [];
  const costs = transcript.calls.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  return {
    format: transcript.format,
    calls: transcript.calls.length,
    messages: transcript.messages.length,
    prices: Object.fromEntries(transcript.calls.map(({ model }, call) => [model, prices[call] as Prices])),
    recorded: costs.length < transcript.calls.length ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    reproduced: transcript.calls.reduce(
      (sum, { usage }, call) => sum + costOf(usage, prices[call] as Prices),
      0,
    ),
    contextWindow,
    memory,
    compaction: {
      mode,
      beforeCalls: withCompaction.parts.flatMap(({ compacted }, call) => (compacted ? [call + 1] : [])),
    },
    uncompacted,
    rows: [...withCompaction.rows, ...withoutCompaction],
    writing: writingCost(withCompaction.bare, withCompaction.parts, prices, memory),
    epoch: epochCost(setting, mode, checkpointTokens(contextWindow)),
    checkpoints: {
      compactions: withCompaction.parts.filter(({ compacted }) => compacted).length,
      tokens: checkpointTokens(contextWindow),
    },
    summaries: summaryCost(transcript, calibration, withCompaction.parts, prices, contextWindow),
    warnings: transcript.warnings,
  };
}

interface Setting {
  transcript: Transcript;
  calibration: Calibration;
  recorded: readonly ConversationPart[];
  prices: readonly Prices[];
  memory: MemoryOptions;
  policy: CompactionPolicy;
  clearing: ClearingPolicy;
}

function runMode(
  setting: Setting,
  mode: CompactionMode,
): { rows: PolicyRow[]; parts: ConversationPart[]; bare: SimulatedCall[] } {
  const { transcript, calibration, prices, memory, policy, clearing } = setting;
  const parts = layOutConversation(transcript, calibration, mode, policy);
  const warmth = warmthFor(setting, mode);
  const limit = mode === "none" ? Number.POSITIVE_INFINITY : policy.contextWindow * policy.compactAt;
  const decide = clearAsHoldfast(limit, clearing);
  const rows: PolicyRow[] = [];
  let bare: SimulatedCall[] = [];
  for (const placement of ["none", "system", "message", "epoch"] as const) {
    const scenario = { transcript, calibration, parts, warmth, placement, memory };
    const on = describe(simulate({ ...scenario, clearing: decide }), parts, prices);
    const calls = simulate({ ...scenario, clearing: undefined });
    if (placement === "none") bare = calls;
    const off = describe(calls, parts, prices);
    const { keepLast } = clearing;
    const { saving, exact } = findBestClearing({ transcript, calibration, parts, calls, prices, keepLast });
    const compaction = mode !== "none";
    const base = rows[0]?.cost ?? off.cost;
    const clearedBase = rows[1]?.cost ?? on.cost;
    rows.push({
      placement,
      clearing: false,
      compaction,
      ...off,
      vsNoMemory: share(off.cost, base),
      vsNoClearing: 1,
      bound: undefined,
    });
    rows.push({
      placement,
      clearing: true,
      compaction,
      ...on,
      vsNoMemory: share(on.cost, clearedBase),
      vsNoClearing: share(on.cost, off.cost),
      bound: { cost: off.cost - saving, exact },
    });
  }
  return { rows, parts, bare };
}

/** Where the cost of `epoch` comes from; each run has one more part of the memory than the one before it. */
function epochCost(setting: Setting, mode: CompactionMode, checkpoint: number): EpochCost {
  const { transcript, calibration, prices, memory, policy } = setting;
  const parts = layOutConversation(transcript, calibration, mode, policy);
  const warmth = warmthFor(setting, mode);
  const scenario = { transcript, calibration, parts, warmth, memory, clearing: undefined };
  const unchanging = { ...memory, editEvery: Number.POSITIVE_INFINITY };
  const runs = {
    bare: simulate({ ...scenario, placement: "none" }),
    unchanged: simulate({ ...scenario, placement: "epoch", memory: unchanging }),
    epoch: simulate({ ...scenario, placement: "epoch" }),
    checkpointed: simulate({ ...scenario, placement: "epoch", checkpoint }),
  };
  return divideEpochCost(runs, prices);
}

/** Every policy loses the cache where the recording did, except at compactions the policy does not make. */
function warmthFor({ transcript, calibration, recorded }: Setting, mode: CompactionMode): CacheWarmth[] {
  const measured = measureCacheWarmth(transcript, calibration, recorded);
  if (mode === "recorded") return measured;
  return measured.map((warmth, call) => {
    if (!recorded[call]?.compacted) return warmth;
    return { share: idleBefore(transcript.calls, call) > cacheLifetime ? 0 : 1, extra: 0 };
  });
}

/** Plans clearing as Holdfast does, with only what it would know at that point. */
function clearAsHoldfast(limit: number, policy: ClearingPolicy): DecideClearing {
  const none = new Set<string>();
  return ({ messages, cleared, total }) => {
    const resident = new Map<RecordId, number>();
    for (const [id, tokens] of cleared) resident.set(recordId("cleared", id), tokens);
    const callsLeft = estimateCallsLeft(messages, limit - total, estimateTokens);
    return planClearing({
      state: { resident },
      messages,
      originalOf: () => undefined,
      callsLeft,
      memoryTools: none,
      writingTools: none,
      countTokens: estimateTokens,
      policy,
    });
  };
}

function describe(
  calls: readonly SimulatedCall[],
  parts: readonly ConversationPart[],
  prices: readonly Prices[],
) {
  let tokens: TokenCounts = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  let cost = 0;
  let peak = 0;
  for (const [call, { counts }] of calls.entries()) {
    const { summarising } = parts[call] as ConversationPart;
    const all = summarising ? addCounts(counts, summarising) : counts;
    tokens = addCounts(tokens, all);
    cost += costOf(all, prices[call] as Prices);
    peak = Math.max(peak, counts.input + counts.cacheRead + counts.cacheWrite);
  }
  return {
    tokens,
    cost,
    peak,
    hits: tokens.cacheRead / Math.max(1, tokens.input + tokens.cacheRead + tokens.cacheWrite),
    cleared: calls.reduce((sum, { cleared }) => sum + cleared.length, 0),
    batches: calls.filter(({ cleared }) => cleared.length > 0).length,
  };
}

/** 1 when both cost nothing. */
function share(cost: number, base: number): number {
  return base > 0 ? cost / base : 1;
}

function largestPrompt(parts: readonly ConversationPart[], { system }: Calibration): number {
  return parts.reduce((largest, { summary, sizes }) => {
    return Math.max(
      largest,
      sizes.reduce((sum, tokens) => sum + tokens, system + summary),
    );
  }, 0);
}

export function guessWindow({ calls }: Transcript): number {
  const isLong = calls.some(({ usage }) => usage.input + usage.cacheRead + usage.cacheWrite > 200_000);
  return isLong ? maxContextWindow : 200_000;
}

/** Holdfast's defaults. */
function compactionPolicy(contextWindow: number): CompactionPolicy {
  return {
    contextWindow,
    compactAt: 0.8,
    keep: 0.25,
    outputReserve: Math.min(4_000, Math.floor(contextWindow * 0.1)),
  };
}
