import type { StoredMessage } from "../../context/conversation.ts";
import type { Host, TranscriptFormat } from "../host.ts";
import { readPart } from "./file.ts";
import { parseJsonLines } from "./json-lines.ts";
import type { Message } from "./line.ts";

/** The part of a conversation that was in the context, since its last compaction. */
export interface ConversationSpan {
  messages: StoredMessage[];
  /** The summary that a compaction after it has left, where the transcript has it. */
  summary: string;
}

/** Reads a host's transcript once; undefined when there is nothing to read. */
export function readConversation({ transcript }: Host, path: string): ConversationSpan | undefined {
  const text = readPart(path);
  if (text === undefined || !transcript) return undefined;
  const { readLine, splitLines = objectsOf } = transcript;
  const spans = splitSpans(splitLines(text), readLine);
  const last = spans.at(-1);
  // A boundary with nothing after it is the compaction in question: what went is before it.
  const isOver = last !== undefined && last.messages.length === 0 && spans.length > 1;
  const removed = (isOver ? spans.at(-2) : last)?.messages ?? [];
  const messages = removed.map((message, index) => ({ number: index + 1, message, at: 0 }));
  return { messages, summary: isOver ? last.summary : "" };
}

/** The summary that a compaction wrote to the transcript after it had this size; "" when there is none. */
export function readSummary({ transcript }: Host, path: string, from: number): string {
  const text = transcript ? readPart(path, { from }) : undefined;
  if (text === undefined || !transcript) return "";
  const spans = splitSpans(objectsOf(text), transcript.readLine);
  return spans.findLast(({ summary }) => summary !== "")?.summary ?? "";
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
