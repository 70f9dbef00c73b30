import type { JsonLine } from "../transcript/file.ts";
import { type RecordedEvent, type Recording, toolResultMessage } from "../transcript/line.ts";
import { type ClaudeAnswer, type ClaudeQuestion, isClaudeTurn, parseClaudeLine } from "./transcript.ts";

export const claudeRecording: Recording = {
  folder: "~/.claude/projects",
  matches: isClaudeRecording,
  read: (_text, { lines, warnings }) => ({ events: readClaudeRecording(lines), warnings }),
};

function isClaudeRecording(lines: readonly JsonLine[]): boolean {
  return lines.some(
    ({ value }) => isClaudeTurn(value) && ("uuid" in value || "sessionId" in value || "requestId" in value),
  );
}

/** Everything sent to the model and every answer, including Claude Code's own messages: all of it costs tokens. */
function readClaudeRecording(lines: readonly JsonLine[]): RecordedEvent[] {
  const seen = new Set<unknown>();
  const toolNames = new Map<string, string>();
  return lines.flatMap(({ value }): RecordedEvent[] => {
    const entry = parseClaudeLine(value);
    // The summary of a compaction follows on its own line.
    if (!entry || entry.type === "compaction") return [];
    // Resuming a session copies its lines.
    if (value.uuid !== undefined && seen.has(value.uuid)) return [];
    seen.add(value.uuid);
    if (entry.type === "summary") return [{ type: "compaction", summary: entry.text }];
    return entry.type === "answer" ? [answerEvent(entry, toolNames)] : questionEvents(entry, toolNames);
  });
}

function answerEvent({ content, at, call }: ClaudeAnswer, toolNames: Map<string, string>): RecordedEvent {
  for (const part of typeof content === "string" ? [] : content)
    if (part.type === "tool-call") toolNames.set(part.toolCallId, part.toolName);
  return { type: "message", message: { role: "assistant", content }, at, call };
}

function questionEvents(
  { results, text, at }: ClaudeQuestion,
  toolNames: ReadonlyMap<string, string>,
): RecordedEvent[] {
  const answers = results.map((result) =>
    toolResultMessage(
      result.toolCallId,
      toolNames.get(result.toolCallId) ?? "tool",
      result.text,
      result.isError,
    ),
  );
  const isEmpty = text === "" && results.length > 0;
  const messages = isEmpty ? answers : [...answers, { role: "user" as const, content: text }];
  return messages.map((message) => ({ type: "message", message, at }));
}
