import type { ModelMessage } from "ai";
import type { StoredMessage } from "../../context/conversation.ts";
import type { Host, TranscriptFormat } from "../host.ts";
import { jsonObjects, readPart, timeIn } from "./json-files.ts";

/** The part of a conversation since its last compaction, which is in the context. */
export interface ConversationSpan {
  messages: StoredMessage[];
  /** The summary of the compaction that ended the span, if the transcript has it. */
  summary: string;
}

/**
 * Reads a host's transcript, up to the byte `until`; undefined if there is none. If the last compaction `hasEnded` some
 * messages ago, the span is the one before it.
 */
export function readConversation(
  host: Host,
  path: string,
  { until, hasEnded = false }: { until?: number | undefined; hasEnded?: boolean } = {},
): ConversationSpan | undefined {
  const spans = readTranscriptSpans(host, path, until === undefined ? {} : { until });
  if (!spans) return undefined;
  const last = spans.at(-1);
  // A boundary with nothing after it is the compaction we handle: the removed messages precede it.
  const isOver = last !== undefined && (hasEnded || last.messages.length === 0) && spans.length > 1;
  const removed = isOver ? spans.at(-2) : last;
  const messages = (removed?.messages ?? []).map((message, index) => ({
    number: index + 1,
    message,
    at: removed?.times[index] ?? 0,
  }));
  return { messages, summary: isOver ? last.summary : "" };
}

interface Span {
  summary: string;
  messages: ModelMessage[];
  /** When each of the messages was written; 0 if the transcript does not say. */
  times: number[];
}

/** The spans between the compactions of a transcript, each after the summary it began with; undefined if there is none. */
export function readTranscriptSpans(
  { transcript }: Host,
  path: string,
  part: { from?: number; until?: number; maxBytes?: number } = {},
): Span[] | undefined {
  const text = readPart(path, part);
  if (text === undefined || !transcript) return undefined;
  const { readLine, splitLines = jsonObjects } = transcript;
  return splitSpans(splitLines(text), readLine);
}

/** The summary that a compaction wrote to the transcript after the byte `from`; "" if there is none. */
export function readSummary(host: Host, path: string, from: number): string {
  return readTranscriptSpans(host, path, { from })?.findLast(({ summary }) => summary !== "")?.summary ?? "";
}

function splitSpans(
  lines: Iterable<Record<string, unknown>>,
  readLine: TranscriptFormat["readLine"],
): Span[] {
  const spans: Span[] = [{ summary: "", messages: [], times: [] }];
  const seen = new Set<unknown>();
  for (const line of lines) {
    // Resuming a session copies its lines.
    const id = line.uuid ?? line.id;
    if (id !== undefined && seen.has(id)) continue;
    if (id !== undefined) seen.add(id);
    const content = readLine(line);
    const current = spans.at(-1);
    if (!content || !current) continue;
    if ("messages" in content) {
      current.messages.push(...content.messages);
      const at = timeIn(line.timestamp);
      current.times.push(...content.messages.map(() => at));
    }
    // The boundary and the summary may be on two lines.
    else if (current.messages.length > 0 || spans.length === 1)
      spans.push({ summary: content.summary, messages: [], times: [] });
    else current.summary ||= content.summary;
  }
  return spans;
}
