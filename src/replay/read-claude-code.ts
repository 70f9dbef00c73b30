import type { ModelMessage } from "ai";
import { isObject, objectIn, objectsIn, textIn } from "../engine/json.ts";
import { countIn, type ParsedLine, timeIn } from "./read-lines.ts";
import type { RecordedCall, Transcript, TranscriptWarning } from "./transcript.ts";

type Entry = Record<string, unknown>;

export function looksLikeClaudeCode(lines: readonly ParsedLine[]): boolean {
  return lines.some(
    ({ value }) => isTurn(value) && ("uuid" in value || "sessionId" in value || "requestId" in value),
  );
}

function isTurn({ type, message }: Entry): boolean {
  return (type === "user" || type === "assistant") && isObject(message);
}

/** Sub-agents (sidechains) have prompts of their own and are left out. */
export function readClaudeCode(lines: readonly ParsedLine[], warnings: TranscriptWarning[]): Transcript {
  const transcript: Transcript = {
    format: "claude-code",
    messages: [],
    calls: [],
    compactions: [],
    warnings,
  };
  const seen = new Set<unknown>();
  const calls = new Map<string, RecordedCall>();
  const toolNames = new Map<string, string>();
  for (const { value: entry } of lines) {
    if (!isTurn(entry) || entry.isSidechain === true) continue;
    // Resuming a session copies its lines.
    if (entry.uuid !== undefined && seen.has(entry.uuid)) continue;
    seen.add(entry.uuid);
    if (entry.type === "assistant") addAnswer(transcript, entry, calls, toolNames);
    else addQuestion(transcript, entry, toolNames);
  }
  return transcript;
}

/** One API call may fill several lines, one for each block; each repeats the call's usage as known by then. */
function addAnswer(
  transcript: Transcript,
  entry: Entry,
  calls: Map<string, RecordedCall>,
  toolNames: Map<string, string>,
): void {
  const { messages } = transcript;
  const message = objectIn(entry.message);
  const at = timeIn(entry.timestamp);
  const id = textIn(entry.requestId) || textIn(message.id);
  const earlier = id === "" ? undefined : calls.get(id);
  const usage = toUsage(message.usage);
  if (earlier) {
    earlier.usage.output = Math.max(earlier.usage.output, usage.output);
    earlier.answeredAt = at;
  } else if (usage.input + usage.cacheRead + usage.cacheWrite > 0) {
    const cost = typeof entry.costUSD === "number" ? entry.costUSD : undefined;
    const call = {
      model: textIn(message.model),
      usage,
      cost,
      messages: messages.length,
      askedAt: messages.at(-1)?.at ?? at,
      answeredAt: at,
    };
    transcript.calls.push(call);
    if (id !== "") calls.set(id, call);
  }
  const content = objectsIn(message.content).flatMap((block) => toAssistantPart(block, toolNames));
  add(
    transcript,
    { role: "assistant", content: typeof message.content === "string" ? message.content : content },
    at,
  );
}

function addQuestion(transcript: Transcript, entry: Entry, toolNames: ReadonlyMap<string, string>): void {
  const { messages, compactions } = transcript;
  const { content } = objectIn(entry.message);
  const at = timeIn(entry.timestamp);
  if (entry.isCompactSummary === true) {
    compactions.push({ messages: messages.length, keptFrom: messages.length, summary: plainText(content) });
    return;
  }
  const results = objectsIn(content).filter(({ type }) => type === "tool_result");
  for (const result of results) add(transcript, toToolMessage(result, toolNames), at);
  const said =
    typeof content === "string"
      ? content
      : plainText(objectsIn(content).filter(({ type }) => type !== "tool_result"));
  if (said !== "" || results.length === 0) add(transcript, { role: "user", content: said }, at);
}

function add({ messages }: Transcript, message: ModelMessage, at: number): void {
  messages.push({ number: messages.length + 1, message, at });
}

function toUsage(value: unknown): RecordedCall["usage"] {
  const usage = objectIn(value);
  return {
    input: countIn(usage.input_tokens),
    cacheWrite: countIn(usage.cache_creation_input_tokens),
    cacheRead: countIn(usage.cache_read_input_tokens),
    output: countIn(usage.output_tokens),
  };
}

type AssistantPart = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number];

function toAssistantPart(block: Entry, toolNames: Map<string, string>): AssistantPart[] {
  if (block.type === "text") return [{ type: "text", text: textIn(block.text) }];
  if (block.type === "thinking") return [{ type: "reasoning", text: textIn(block.thinking) }];
  if (block.type !== "tool_use") return [];
  toolNames.set(textIn(block.id), textIn(block.name));
  return [
    {
      type: "tool-call",
      toolCallId: textIn(block.id),
      toolName: textIn(block.name),
      input: block.input ?? {},
    },
  ];
}

function toToolMessage(block: Entry, toolNames: ReadonlyMap<string, string>): ModelMessage {
  const toolCallId = textIn(block.tool_use_id);
  return {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId,
        toolName: toolNames.get(toolCallId) ?? "tool",
        output: { type: block.is_error === true ? "error-text" : "text", value: plainText(block.content) },
      },
    ],
  };
}

function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ type, text }) => (type === "image" ? "[image]" : textIn(text)))
    .join("\n");
}
