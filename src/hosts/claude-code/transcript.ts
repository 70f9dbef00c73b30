import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { countIn, timeIn } from "../transcript/json-lines.ts";
import { calledTool, type Message, saidBy, type TranscriptLine, toolAnswered } from "../transcript/line.ts";
import type { ModelCall } from "../transcript/recording.ts";

type Fields = Record<string, unknown>;

/** What the model said. One API call may fill several lines, one per block, each with the usage known by then. */
export interface ClaudeAnswer {
  type: "answer";
  at: number;
  content: string | AssistantPart[];
  call: ModelCall;
  /** Claude Code wrote it in place of an answer that failed. */
  isError: boolean;
}

/** What the model was sent: tool results, and what the user or Claude Code itself said. */
export interface ClaudeQuestion {
  type: "question";
  at: number;
  results: { toolCallId: string; text: string; isError: boolean }[];
  said: string;
  isMeta: boolean;
}

export type ClaudeEntry =
  | ClaudeAnswer
  | ClaudeQuestion
  | { type: "summary"; text: string }
  | { type: "compaction" };

type AssistantPart = Exclude<Extract<Message, { role: "assistant" }>["content"], string>[number];

/** One line of a transcript. Undefined for what is not part of the main conversation, such as sub-agents (sidechains). */
export function parseClaudeLine(line: Fields): ClaudeEntry | undefined {
  if (line.isSidechain === true) return undefined;
  if (line.type === "system" && line.subtype === "compact_boundary") return { type: "compaction" };
  if (!isClaudeTurn(line)) return undefined;
  if (line.type === "assistant") return parseAnswer(line);
  const { content } = objectIn(line.message);
  if (line.isCompactSummary === true) return { type: "summary", text: plainText(content) };
  return parseQuestion(line, content);
}

export function isClaudeTurn({ type, message }: Fields): boolean {
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
      cost: typeof line.costUSD === "number" ? line.costUSD : undefined,
    },
    isError: line.isApiErrorMessage === true,
  };
}

function parseAnswerBlock(block: Fields): AssistantPart[] {
  if (block.type === "text") return [{ type: "text", text: textIn(block.text) }];
  if (block.type === "thinking") return [{ type: "reasoning", text: textIn(block.thinking) }];
  if (block.type !== "tool_use") return [];
  return [calledTool(textIn(block.id), textIn(block.name), block.input ?? {})];
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
    said:
      typeof content === "string" ? content : plainText(blocks.filter(({ type }) => type !== "tool_result")),
    isMeta: line.isMeta === true,
  };
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ type, text }) => (type === "image" ? "[image]" : textIn(text)))
    .join("\n");
}

/** One line as a hook reads it: what the user and the model said and did, without Claude Code's own messages. */
export function readClaudeLine(line: Fields): TranscriptLine {
  const entry = parseClaudeLine(line);
  switch (entry?.type) {
    case "compaction":
      return { summary: "" };
    case "summary":
      return line.isMeta === true ? undefined : { summary: entry.text };
    case "answer":
      return entry.isError ? undefined : { messages: saidAndDone(entry.content) };
    case "question":
      return entry.isMeta ? undefined : { messages: asked(entry) };
    case undefined:
      return undefined;
  }
}

function saidAndDone(content: ClaudeAnswer["content"]): Message[] {
  if (typeof content === "string") return saidBy("assistant", content);
  const parts = content.filter(({ type }) => type !== "reasoning");
  return parts.length === 0 ? [] : [{ role: "assistant", content: parts }];
}

function asked({ results, said }: ClaudeQuestion): Message[] {
  return [
    ...results.map(({ toolCallId, text, isError }) => toolAnswered(toolCallId, "tool", text, isError)),
    ...(isWrittenByHost(said) ? [] : saidBy("user", said)),
  ];
}

/** Slash commands, their output and reminders are recorded as the user's messages. */
function isWrittenByHost(text: string): boolean {
  return /^\s*(?:<(?:command-|local-command-|system-reminder|bash-)|Caveat:)/.test(text);
}
