import { planCheckpoint } from "../compaction/checkpoint.ts";
import { fieldsOf, pathsIn } from "../compaction/facts/call-input.ts";
import { isKept } from "../compaction/kept-messages.ts";
import { type FindNames, findNeeded, nameFinder } from "../compaction/need/later-use.ts";
import { inContext } from "../compaction/place-needs.ts";
import { type StoredMessage, toolCallsOf, toolResultsOf } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Checkpoint } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { findHost } from "../hosts/hosts.ts";
import { calibrate } from "./calibrate.ts";
import { type CompactionPlace, findCompactions } from "./compaction-places.ts";
import { builtInPrices, type PriceTable, pricesFor } from "./prices.ts";
import { guessWindow } from "./replay.ts";
import type { Transcript } from "./transcript.ts";

export interface SurvivalOptions {
  /** A session without memory, to plan checkpoints for. */
  state: State;
  /** Default: what the session recorded, or 200,000, or 1,000,000 if a prompt was longer. */
  contextWindow?: number | undefined;
  prices?: PriceTable | undefined;
}

/** What the compactions of a session lost, in order. */
export interface Survival {
  contextWindow: number;
  /** The tokens of context beyond which the host compacts, and the longest context of the session. */
  compactsAt: number;
  largestContext: number;
  cuts: SurvivalCut[];
}

/** What a compaction lost, or would have lost, of what the agent used later. */
export interface SurvivalCut {
  kind: "recorded" | "simulated";
  /** Messages of the session before it, and how many of those stay in the context. */
  messages: number;
  keptMessages: number;
  /** Tokens of context before it. */
  contextTokens: number;
  /** Names that the agent wrote into later calls and could no longer see. */
  needed: number;
  /** How many of them the recorded summary has; undefined for a simulated compaction. */
  inSummary: number | undefined;
  /** How many of them Holdfast's checkpoint has. */
  inCheckpoint: number;
  checkpointTokens: number;
  /** Files read again, although they were unchanged since they were read before; `cost` in dollars. */
  readAgain: { calls: number; tokens: number; cost: number };
  /** The needed names that the recorded summary lost and the checkpoint has, most needed first. */
  rescued: string[];
}

/** What a hook may show of a checkpoint. */
const budget = { bytes: 8_300 };

const maxRescued = 8;

/**
 * Measures every compaction of a recorded session, and each that its host would have made otherwise. Nothing is asked of
 * a model.
 */
export function measureSurvival(transcript: Transcript, options: SurvivalOptions): Survival {
  const contextWindow = options.contextWindow ?? transcript.contextWindow ?? guessWindow(transcript);
  const { places, limit, largest } = findCompactions(transcript, {
    host: findHost(transcript.format)?.compaction ?? {},
    contextWindow,
    isChosen: options.contextWindow !== undefined,
  });
  const find = nameFinder({ certain: true });
  const priceOf = priceOfTokens(transcript, options.prices);
  /** The last checkpoint of any kind, and of the recorded compactions, which know nothing of the simulated ones. */
  let [last, lastRecorded]: (Checkpoint | undefined)[] = [];
  const cuts = places.map((place) => {
    const { kind, span: messages, kept } = place;
    const earlier = kind === "recorded" ? lastRecorded : last;
    const plan = { state: options.state, messages, ...kept, budget, earlier, countTokens: estimateTokens };
    const checkpoint = planCheckpoint(plan);
    last = checkpoint;
    if (kind === "recorded") lastRecorded = checkpoint;
    return measureCut(transcript, place, checkpoint, { find, priceOf });
  });
  return {
    contextWindow,
    compactsAt: Math.round(limit),
    largestContext: Math.round(largest),
    cuts,
  };
}

/** Recorded tokens and dollars of a text that is sent again: it is written to the cache. */
type PriceOf = (text: string) => { tokens: number; cost: number };

function priceOfTokens(transcript: Transcript, prices = builtInPrices): PriceOf {
  const { cacheWrite } = pricesFor(transcript.calls.at(-1)?.model ?? "", prices);
  const ratio = (transcript.calls.length > 0 && calibrate(transcript).ratio) || 1;
  return (text) => {
    const tokens = Math.round(estimateTokens(text) * ratio);
    return { tokens, cost: (tokens * cacheWrite) / 1e6 };
  };
}

function measureCut(
  { messages }: Transcript,
  { kind, span, kept, at, end, context, summary }: CompactionPlace,
  { text, identifiers }: Checkpoint,
  { find, priceOf }: { find: FindNames; priceOf: PriceOf },
): SurvivalCut {
  const stays = span.filter((stored) => isKept(kept, stored));
  const removed = span.filter((stored) => !isKept(kept, stored));
  const later = messages.slice(at, end);
  const needed = [...findNeeded({ removed, kept: stays, later, find })];
  const inSummary = tellsName(needed, summary);
  const inCheckpoint = tellsName(needed, text);
  const rank = (name: string) => identifiers.indexOf(name) >>> 0;
  const again = readAgain(removed, stays, later).map((read) => priceOf(read));
  return {
    kind,
    messages: at,
    keptMessages: stays.length,
    contextTokens: Math.round(context),
    needed: needed.length,
    inSummary: kind === "recorded" ? needed.filter(inSummary).length : undefined,
    inCheckpoint: needed.filter(inCheckpoint).length,
    checkpointTokens: estimateTokens(text),
    readAgain: {
      calls: again.length,
      tokens: again.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: again.reduce((sum, { cost }) => sum + cost, 0),
    },
    rescued: needed
      .filter((name) => inCheckpoint(name) && !inSummary(name))
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, maxRescued),
  };
}

/** Tests for names as a receipt does. */
function tellsName(names: readonly string[], text: string): (name: string) => boolean {
  const asNeed = (name: string) => ({ kind: "name" as const, text: name });
  const isTold = inContext(names.map(asNeed), text);
  return (name) => isTold(asNeed(name));
}

/** The results of reads that the agent had lost, and that are the same as before: what it knew was fetched again. */
function readAgain(
  removed: readonly StoredMessage[],
  stays: readonly StoredMessage[],
  later: readonly StoredMessage[],
): string[] {
  const before = new Map(readsIn(removed).map(({ path, text }) => [path, text]));
  for (const { path } of readsIn(stays)) before.delete(path);
  const again = readsIn(later).filter(({ path, text }) => before.get(path) === text);
  // After the first time it is in the context again.
  return [...new Map(again.map(({ path, text }) => [path, text])).values()];
}

function readsIn(messages: readonly StoredMessage[]): { path: string; text: string }[] {
  const calls = new Map(messages.flatMap(toolCallsOf).map((call) => [call.id, call]));
  return messages.flatMap(toolResultsOf).flatMap(({ id, text, isError }) => {
    const call = calls.get(id);
    const [path, ...more] = pathsIn(fieldsOf(call?.input));
    const isRead = call !== undefined && /read|view|cat|open/i.test(call.tool);
    return path !== undefined && more.length === 0 && isRead && !isError && text !== ""
      ? [{ path: `${path} ${JSON.stringify(call.input)}`, text }]
      : [];
  });
}
