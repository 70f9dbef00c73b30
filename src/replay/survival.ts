import { planCheckpoint } from "../compaction/checkpoint.ts";
import { fieldsOf, pathsIn } from "../compaction/facts/call-input.ts";
import { type FindNames, findNeeded, nameFinder } from "../compaction/need/later-use.ts";
import { type StoredMessage, toolCallsOf, toolResultsOf } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { Checkpoint } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { estimateMessage } from "./calibrate.ts";
import { builtInPrices, type PriceTable, pricesFor } from "./prices.ts";
import type { Transcript } from "./transcript.ts";

export interface SurvivalOptions {
  /** A session without memory, to plan checkpoints for. */
  state: State;
  /** Default: 200,000. */
  contextWindow?: number | undefined;
  prices?: PriceTable | undefined;
}

/** What a compaction lost, or would have lost, of what the agent used later. */
export interface SurvivalCut {
  kind: "recorded" | "simulated";
  /** Messages of the session before it. */
  messages: number;
  /** Names that the agent wrote into later calls and could no longer see. */
  needed: number;
  /** How many of them the recorded summary has; undefined for a simulated compaction. */
  inSummary: number | undefined;
  /** How many of them Holdfast's checkpoint has. */
  inCheckpoint: number;
  checkpointTokens: number;
  /** Files read again, although they were unchanged since they were read before. */
  readAgain: { calls: number; tokens: number; cost: number };
  /** The needed names that the recorded summary lost and the checkpoint has, most needed first. */
  rescued: string[];
}

/** A host compacts when this much of the window is used. */
const threshold = 0.8;

const usualWindow = 200_000;

/** What a hook may show of a checkpoint. */
const budget = { bytes: 8_300 };

const maxRescued = 8;

interface Place {
  kind: SurvivalCut["kind"];
  start: number;
  /** Index of the first kept message, and of the first message after the compaction. */
  keptFrom: number;
  at: number;
  end: number;
  summary: string;
}

/**
 * Measures every compaction of a recorded session, and one at each place where the host would have compacted otherwise.
 * Nothing is asked of a model.
 */
export function measureSurvival(transcript: Transcript, options: SurvivalOptions): SurvivalCut[] {
  const find = nameFinder({ certain: true });
  let earlier: Checkpoint | undefined;
  return placesOf(transcript, (options.contextWindow ?? usualWindow) * threshold).flatMap((place) => {
    const span = transcript.messages.slice(place.start, place.at);
    const to = place.keptFrom;
    const checkpoint = planCheckpoint({
      state: options.state,
      messages: span,
      to,
      budget,
      earlier,
      countTokens: estimateTokens,
    });
    earlier = checkpoint;
    const cut = measureCut(transcript, place, checkpoint, find, options);
    return cut.needed === 0 && cut.readAgain.calls === 0 ? [] : [cut];
  });
}

function measureCut(
  transcript: Transcript,
  place: Place,
  { text, identifiers }: Checkpoint,
  find: FindNames,
  { prices = builtInPrices }: SurvivalOptions,
): SurvivalCut {
  const { messages } = transcript;
  const removed = messages.slice(place.start, place.keptFrom);
  const later = messages.slice(place.at, place.end);
  const needed = [...findNeeded({ removed, kept: messages.slice(place.keptFrom, place.at), later, find })];
  const isRecorded = place.kind === "recorded";
  const rank = (name: string) => identifiers.indexOf(name) >>> 0;
  const rescued = needed
    .filter((name) => text.includes(name) && !(isRecorded && place.summary.includes(name)))
    .sort((a, b) => rank(a) - rank(b));
  const again = readAgain(removed, later);
  const price = pricesFor(transcript.calls.at(-1)?.model ?? "", prices);
  return {
    kind: place.kind,
    messages: place.at,
    needed: needed.length,
    inSummary: isRecorded ? needed.filter((name) => place.summary.includes(name)).length : undefined,
    inCheckpoint: needed.filter((name) => text.includes(name)).length,
    checkpointTokens: estimateTokens(text),
    readAgain: { ...again, cost: (again.tokens * price.cacheWrite) / 1e6 },
    rescued: rescued.slice(0, maxRescued),
  };
}

/** The recorded compactions, and between them a simulated one whenever the conversation would fill the window. */
function placesOf({ messages, compactions }: Transcript, limit: number): Place[] {
  const recorded = compactions.filter(({ messages: at }) => at > 0);
  const places: Omit<Place, "end">[] = [];
  let start = 0;
  let tokens = 0;
  for (const [index, message] of messages.entries()) {
    const compaction = recorded.find(({ messages: at }) => at === index);
    if (compaction) {
      const { keptFrom, summary } = compaction;
      places.push({ kind: "recorded", start, keptFrom: Math.max(start, keptFrom), at: index, summary });
      start = keptFrom;
      tokens = 0;
    } else if (tokens > limit && message.message.role === "assistant") {
      places.push({ kind: "simulated", start, keptFrom: index, at: index, summary: "" });
      start = index;
      tokens = 0;
    }
    tokens += estimateMessage(message);
  }
  return places.map((place, index) => ({ ...place, end: places[index + 1]?.at ?? messages.length }));
}

/** Reads of a file whose result is the same as that of an earlier read: what was known was fetched again. */
function readAgain(removed: readonly StoredMessage[], later: readonly StoredMessage[]) {
  const before = new Map(readsIn(removed).map(({ path, text }) => [path, text]));
  const again = readsIn(later).filter(({ path, text }) => before.get(path) === text);
  const first = new Map(again.map((read) => [read.path, read]));
  const tokens = [...first.values()].reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return { calls: first.size, tokens };
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
