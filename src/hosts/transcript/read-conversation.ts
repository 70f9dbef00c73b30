import type { StoredMessage } from "../../context/conversation.ts";
import { isObject, objectsIn } from "../../engine/json.ts";
import { readClaudeLine } from "../claude-code/transcript.ts";
import { readCodexLine } from "../codex/transcript.ts";
import { readGeminiLine } from "../gemini/transcript.ts";
import { readOpencodeLine } from "../opencode/transcript.ts";
import { parseObjects, readPart } from "./file.ts";
import type { Message, TranscriptLine } from "./line.ts";

/** The part of a conversation that stood in the context, since its last compaction. */
export interface ConversationSpan {
  messages: StoredMessage[];
  /** The summary that a compaction after it has left, where the transcript has it. */
  summary: string;
}

const readers: Record<string, (line: Record<string, unknown>) => TranscriptLine> = {
  "claude-code": readClaudeLine,
  codex: readCodexLine,
  gemini: readGeminiLine,
  opencode: readOpencodeLine,
};

/**
 * Reads a host's transcript. `until` is its size when the compaction began: what came later is no part of what went,
 * but may hold the summary. Undefined when there is nothing to read.
 */
export function readConversation(host: string, path: string, until?: number): ConversationSpan | undefined {
  const text = readPart(path, { until });
  const read = readers[host];
  if (text === undefined || !read) return undefined;
  const spans = splitSpans(linesOf(text), read);
  const last = spans.at(-1);
  const later = until === undefined ? "" : (readPart(path, { from: until }) ?? "");
  const rest = splitSpans(parseObjects(later), read);
  // A boundary with nothing after it is the compaction in question: what went stands before it.
  const isOver = until === undefined && last !== undefined && last.messages.length === 0 && spans.length > 1;
  const removed = (isOver ? spans.at(-2) : last)?.messages ?? [];
  const summary = (isOver ? last : rest.findLast((span) => span.summary !== ""))?.summary ?? "";
  return { messages: removed.map((message, index) => ({ number: index + 1, message, at: 0 })), summary };
}

/** Older versions of Gemini CLI keep one JSON document instead of lines. */
function linesOf(text: string): Record<string, unknown>[] {
  if (!/^\s*\{\r?\n/.test(text)) {
    const lines = parseObjects(text);
    return lines.length === 1 && Array.isArray(lines[0]?.messages) ? objectsIn(lines[0].messages) : lines;
  }
  try {
    const document: unknown = JSON.parse(text);
    return isObject(document) ? objectsIn(document.messages) : [];
  } catch {
    return parseObjects(text);
  }
}

function splitSpans(
  lines: readonly Record<string, unknown>[],
  read: (line: Record<string, unknown>) => TranscriptLine,
): { summary: string; messages: Message[] }[] {
  const spans: { summary: string; messages: Message[] }[] = [{ summary: "", messages: [] }];
  const seen = new Set<unknown>();
  for (const line of lines) {
    // Resuming a session copies its lines.
    const id = line.uuid ?? line.id;
    if (id !== undefined && seen.has(id)) continue;
    if (id !== undefined) seen.add(id);
    const said = read(line);
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
