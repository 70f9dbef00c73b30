import type { StoredMessage } from "../../context/conversation.ts";
import type { Host, TranscriptFormat } from "../host.ts";
import { readPart } from "./file.ts";
import { parseJsonLines } from "./json-lines.ts";
import type { Message } from "./line.ts";

/** The part of a conversation that stood in the context, since its last compaction. */
export interface ConversationSpan {
  messages: StoredMessage[];
  /** The summary that a compaction after it has left, where the transcript has it. */
  summary: string;
}

/**
 * Reads a host's transcript. `until` is its size when the compaction began: what came later is no part of what went,
 * but may hold the summary. Undefined when there is nothing to read.
 */
export function readConversation(
  { transcript }: Host,
  path: string,
  until?: number,
): ConversationSpan | undefined {
  const text = readPart(path, { until });
  if (text === undefined || !transcript) return undefined;
  const { readLine, splitLines = objectsOf } = transcript;
  const spans = splitSpans(splitLines(text), readLine);
  const last = spans.at(-1);
  const later = until === undefined ? "" : (readPart(path, { from: until }) ?? "");
  const rest = splitSpans(objectsOf(later), readLine);
  // A boundary with nothing after it is the compaction in question: what went stands before it.
  const isOver = until === undefined && last !== undefined && last.messages.length === 0 && spans.length > 1;
  const removed = (isOver ? spans.at(-2) : last)?.messages ?? [];
  const summary = (isOver ? last : rest.findLast((span) => span.summary !== ""))?.summary ?? "";
  return { messages: removed.map((message, index) => ({ number: index + 1, message, at: 0 })), summary };
}

function objectsOf(text: string): Record<string, unknown>[] {
  return parseJsonLines(text).lines.map(({ value }) => value);
}

function splitSpans(
  lines: readonly Record<string, unknown>[],
  readLine: TranscriptFormat["readLine"],
): { summary: string; messages: Message[] }[] {
  const spans: { summary: string; messages: Message[] }[] = [{ summary: "", messages: [] }];
  const seen = new Set<unknown>();
  for (const line of lines) {
    // Resuming a session copies its lines.
    const id = line.uuid ?? line.id;
    if (id !== undefined && seen.has(id)) continue;
    if (id !== undefined) seen.add(id);
    const said = readLine(line);
    const current = spans.at(-1);
    if (!said || !current) continue;
    if ("messages" in said) current.messages.push(...said.messages);
    // The boundary and the summary may stand on two lines.
    else if (current.messages.length > 0 || spans.length === 1)
      spans.push({ summary: said.summary, messages: [] });
    else current.summary ||= said.summary;
  }
  return spans;
}
