import type { ModelMessage } from "ai";
import { userWords } from "../../compaction/user-words.ts";
import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import type { ReportedUsage } from "../context-fill.ts";
import { countIn, timeIn } from "../transcript/json-files.ts";
import {
  type AssistantPart,
  plainText,
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/messages.ts";
import type { ModelCall, RecordedEvent, Recording } from "../transcript/recorded-session.ts";

type Fields = Record<string, unknown>;

/** The model's answer. One API call may span several lines, one per block, each with the usage so far. */
interface ClaudeAnswer {
  type: "answer";
  at: number;
  content: string | AssistantPart[];
  call: ModelCall;
  /** Claude Code wrote it instead of an answer that failed. */
  isError: boolean;
}

/** The input of the model: tool results, and the text of the user or of Claude Code itself. */
interface ClaudeQuestion {
  type: "question";
  at: number;
  results: { toolCallId: string; text: string; isError: boolean }[];
  text: string;
  isMeta: boolean;
}

type ClaudeEntry = ClaudeAnswer | ClaudeQuestion | { type: "summary"; text: string } | { type: "compaction" };

/** One line of a transcript; undefined for lines outside the main conversation, such as sub-agents (sidechains). */
function parseClaudeLine(line: Fields): ClaudeEntry | undefined {
  if (line.isSidechain === true) return undefined;
  if (line.type === "system" && line.subtype === "compact_boundary") return { type: "compaction" };
  if (!isClaudeTurn(line)) return undefined;
  if (line.type === "assistant") return parseAnswer(line);
  const { content } = objectIn(line.message);
  if (line.isCompactSummary === true) return { type: "summary", text: plainText(content) };
  return parseQuestion(line, content);
}

function isClaudeTurn({ type, message }: Fields): boolean {
  return (type === "user" || type === "assistant") && isObject(message);
}

function parseAnswer(line: Fields): ClaudeAnswer {
  const message = objectIn(line.message);
  const usage = objectIn(message.usage);
  return {
    type: "answer",
    at: timeIn(line.timestamp),
    content:
      typeof message.content === "string"
        ? message.content
        : objectsIn(message.content).flatMap(parseAnswerBlock),
    call: {
      id: textIn(line.requestId) || textIn(message.id),
      model: textIn(message.model),
      usage: {
        input: countIn(usage.input_tokens),
        cacheWrite: countIn(usage.cache_creation_input_tokens),
        cacheRead: countIn(usage.cache_read_input_tokens),
        output: countIn(usage.output_tokens),
      },
    },
    isError: line.isApiErrorMessage === true,
  };
}

function parseAnswerBlock(block: Fields): AssistantPart[] {
  if (block.type === "text") return [{ type: "text", text: textIn(block.text) }];
  if (block.type === "thinking") return [{ type: "reasoning", text: textIn(block.thinking) }];
  if (block.type !== "tool_use") return [];
  return [toolCallPart(textIn(block.id), textIn(block.name), block.input ?? {})];
}

function parseQuestion(line: Fields, content: unknown): ClaudeQuestion {
  const blocks = objectsIn(content);
  const results = blocks.filter(({ type }) => type === "tool_result");
  return {
    type: "question",
    at: timeIn(line.timestamp),
    results: results.map((block) => ({
      toolCallId: textIn(block.tool_use_id),
      text: plainText(block.content),
      isError: block.is_error === true,
    })),
    text:
      typeof content === "string" ? content : plainText(blocks.filter(({ type }) => type !== "tool_result")),
    isMeta: line.isMeta === true,
  };
}

/** The usage of the model call that a line belongs to. */
export function readClaudeUsage(line: Fields): ReportedUsage | undefined {
  const entry = parseClaudeLine(line);
  if (entry?.type !== "answer" || entry.isError) return undefined;
  const { model, usage } = entry.call;
  const tokens = usage.input + usage.cacheWrite + usage.cacheRead + usage.output;
  return tokens === 0 ? undefined : { tokens, model };
}

/** One line as a hook reads it: the user's and the model's messages, without Claude Code's own. */
export function readClaudeLine(line: Fields): TranscriptLine {
  const entry = parseClaudeLine(line);
  switch (entry?.type) {
    case "compaction":
      return { summary: "" };
    case "summary":
      return line.isMeta === true ? undefined : { summary: entry.text };
    case "answer":
      return entry.isError ? undefined : { messages: answerMessages(entry.content) };
    case "question":
      return entry.isMeta ? undefined : { messages: questionMessages(entry) };
    case undefined:
      return undefined;
  }
}

function answerMessages(content: ClaudeAnswer["content"]): ModelMessage[] {
  if (typeof content === "string") return textMessages("assistant", content);
  const parts = content.filter(({ type }) => type !== "reasoning");
  return parts.length === 0 ? [] : [{ role: "assistant", content: parts }];
}

function questionMessages({ results, text }: ClaudeQuestion): ModelMessage[] {
  return [
    ...results.map((result) => toolResultMessage(result.toolCallId, "tool", result.text, result.isError)),
    ...(isWrittenByHost(text) ? [] : textMessages("user", text)),
  ];
}

/** Claude Code records slash commands, their output and reminders as user messages. */
function isWrittenByHost(text: string): boolean {
  if (/^\s*Caveat:/.test(text)) return true;
  return (
    text.includes("<") && userWords({ number: 0, at: 0, message: { role: "user", content: text } }) === ""
  );
}

/** Everything sent to the model and every answer, including Claude Code's own messages: all of it costs tokens. */
export const claudeRecording: Recording = {
  matches: (lines) =>
    lines.some(
      (line) => isClaudeTurn(line) && ("uuid" in line || "sessionId" in line || "requestId" in line),
    ),
  read(lines) {
    const seen = new Set<unknown>();
    const toolNames = new Map<string, string>();
    return lines.flatMap((line): RecordedEvent[] => {
      const entry = parseClaudeLine(line);
      // The summary of a compaction follows on its own line.
      if (!entry || entry.type === "compaction") return [];
      // Resuming a session copies its lines.
      if (line.uuid !== undefined && seen.has(line.uuid)) return [];
      seen.add(line.uuid);
      if (entry.type === "summary") return [{ type: "compaction", summary: entry.text }];
      return entry.type === "answer" ? [answerEvent(entry, toolNames)] : questionEvents(entry, toolNames);
    });
  },
};

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
