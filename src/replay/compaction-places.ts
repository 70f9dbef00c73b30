import type { KeptMessages } from "../compaction/kept-messages.ts";
import type { StoredMessage } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import type { CompactionTraits } from "../hosts/host.ts";
import { calibrate, estimateMessage } from "./calibrate.ts";
import type { Transcript } from "./transcript.ts";

/** A compaction that a session had, or that its host would have made. */
export interface CompactionPlace {
  kind: "recorded" | "simulated";
  /** The messages since the last summary, numbered from 1, and what stays of them. */
  span: StoredMessage[];
  kept: KeptMessages;
  /** Index of the first message after it, and of the first after the next one. */
  at: number;
  end: number;
  /** Tokens of context before it. */
  context: number;
  summary: string;
}

/** Where a session was or would have been compacted. */
export interface CompactionPlaces {
  places: CompactionPlace[];
  /** The tokens of context beyond which the host compacts. */
  limit: number;
  /** The longest context that it had. */
  largest: number;
}

interface Options {
  host: CompactionTraits;
  contextWindow: number;
  /** The user chose the window; otherwise the host compacted where it did, and nowhere else. */
  isChosen: boolean;
}

/** A host that we know nothing about. */
const usualShare = 0.8;

/** Tokens of a summary that nobody wrote. */
const simulatedSummary = 1_500;

/**
 * The recorded compactions as they were, whatever the window, and a simulated one wherever the host would have compacted
 * without them.
 */
export function findCompactions(transcript: Transcript, options: Options): CompactionPlaces {
  const { messages, compactions } = transcript;
  const { host, contextWindow, isChosen } = options;
  const limit = host.startsAt?.(contextWindow) ?? contextWindow * usualShare;
  const context = trackContext(transcript);
  const recorded = new Map(compactions.map((compaction) => [compaction.messages, compaction]));
  const last = Math.max(0, ...recorded.keys());
  const places: Omit<CompactionPlace, "end">[] = [];
  /** Where the messages since the last summary start: as recorded, and with the simulated compactions. */
  let [recordedStart, start] = [0, 0];
  for (let at = 1; at <= messages.length; at++) {
    const { tokens, recordedTokens } = context.before(at);
    const compaction = recorded.get(at);
    if (compaction) {
      const { keptFrom, summary } = compaction;
      const span = spanOf(messages, recordedStart, at);
      const kept = keptOf(span, keptFrom - recordedStart, host);
      places.push({ kind: "recorded", span, kept, at, context: recordedTokens, summary });
      recordedStart += kept.to;
      start = recordedStart;
      context.restart(start, summary);
    } else if (tokens > limit && (isChosen || at > last) && startsCall(messages, at)) {
      const span = spanOf(messages, start, at);
      const kept = keptOf(span, span.length, host);
      places.push({ kind: "simulated", span, kept, at, context: tokens, summary: "" });
      context.cut(start, start + kept.to);
      start += kept.to;
    }
  }
  const endOf = ({ kind, at }: { kind: CompactionPlace["kind"]; at: number }) =>
    places.find((next) => next.at > at && (kind === "simulated" || next.kind === kind))?.at;
  return {
    places: places.map((place) => ({ ...place, end: endOf(place) ?? messages.length })),
    limit,
    largest: context.largest(),
  };
}

function spanOf(messages: readonly StoredMessage[], from: number, to: number): StoredMessage[] {
  return messages.slice(from, to).map((stored, index) => ({ ...stored, number: index + 1 }));
}

/** What stays of a span: as recorded, or what the host always keeps. */
function keptOf(span: readonly StoredMessage[], keptFrom: number, host: CompactionTraits): KeptMessages {
  if (keptFrom < span.length) return { to: Math.max(0, keptFrom) };
  return host.keeps?.(span) ?? { to: span.length };
}

/** A host compacts before it asks the model, not between the parts of an answer. */
function startsCall(messages: readonly StoredMessage[], at: number): boolean {
  return messages[at]?.message.role === "assistant" && messages[at - 1]?.message.role !== "assistant";
}

/** Follows the size of the context: as the host recorded it after each call, otherwise by estimate. */
function trackContext(transcript: Transcript) {
  const { messages, calls, contexts } = transcript;
  const sizes = calls.length > 0 ? calibrate(transcript).sizes : messages.map(estimateMessage);
  const sums = [0];
  for (const size of sizes) sums.push((sums.at(-1) ?? 0) + size);
  const sizeOf = (from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0);
  const counts = new Map([
    ...calls.map(({ messages: before, usage }): [number, number] => {
      return [before + 1, usage.input + usage.cacheRead + usage.cacheWrite + usage.output];
    }),
    ...contexts.map(({ messages: before, tokens }): [number, number] => [before, tokens]),
  ]);
  /** The last recorded count, what simulated compactions took from it, and where the estimate starts. */
  let counted: { at: number; tokens: number } | undefined;
  let [taken, from, summary, estimated] = [0, 0, 0, 0];
  return {
    largest: () => (counts.size > 0 ? Math.max(...counts.values()) : estimated),
    before(at: number): { tokens: number; recordedTokens: number } {
      const known = counts.get(at);
      if (known !== undefined) counted = { at, tokens: known };
      const tokens = counted ? counted.tokens - taken + sizeOf(counted.at, at) : summary + sizeOf(from, at);
      estimated = Math.max(estimated, tokens);
      return { tokens, recordedTokens: tokens + taken };
    },
    /** A recorded compaction: the counts after it are right again. */
    restart(keptFrom: number, text: string): void {
      [counted, taken, from, summary] = [undefined, 0, keptFrom, estimateTokens(text)];
    },
    /** A simulated compaction: all counts after it have what it took. */
    cut(start: number, keptFrom: number): void {
      taken += sizeOf(start, keptFrom) + summary - simulatedSummary;
      [from, summary] = [keptFrom, simulatedSummary];
    },
  };
}
