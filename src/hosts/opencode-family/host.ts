import { join } from "node:path";
import type { ModelMessage } from "ai";
import type { StoredMessage } from "../../context/conversation.ts";
import { isObject, objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { homeFolder } from "../../state-folder.ts";
import { formatReply } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { countIn } from "../transcript/json-files.ts";
import {
  type TranscriptLine,
  textMessages,
  toolCallPart,
  toolResultMessage,
} from "../transcript/messages.ts";
import type { ModelCall, RecordedEvent, Recording } from "../transcript/recorded-session.ts";

/** The common part of the hosts of this family: our plugin runs the hook and sends it the generic events. */
export const familyTraits = {
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  transcript: { readLine: readFamilyLine },
  // The plugin places memory in each call; the conversation contains none of it.
  forgetsStart: true,
  takesSystemText: true,
  // It leaves room for the longest answer that it asks for.
  compaction: { lastRemoved: lastRemovedByFamily },
} satisfies Partial<Host>;

/** The folder of a host's configuration for all projects, unless a variable names another. */
export function familyFolder(host: string, env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(homeFolder(env), ".config"), host);
}

/** The newest messages that stay, in tokens: a quarter of what the window can hold, within these limits. */
const share = 0.25;
const minTokens = 2_000;
const maxTokens = 15_000;

/**
 * The last message that the hosts of this family remove. They keep the newest messages, as many as fit. The conversation fills the window when
 * it is compacted, so its length is the window's. An answer stays with the results of its calls.
 */
export function lastRemovedByFamily(messages: readonly StoredMessage[]): number {
  const sizes = messages.map(({ message }) => JSON.stringify(message).length / 4);
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const most = Math.min(maxTokens, Math.max(minTokens, whole * share));
  let first = messages.length;
  let kept = 0;
  while (first > 0 && kept + (sizes[first - 1] ?? 0) <= most) kept += sizes[--first] ?? 0;
  while (messages[first]?.message.role === "tool") first++;
  // If all of it fits, the host summarizes all.
  return first === 0 ? messages.length : first;
}

/** One message with its parts. A message marked as summary replaces the compacted messages before it. */
function readFamilyLine(line: Record<string, unknown>): TranscriptLine {
  const info = objectIn(line.info);
  const parts = objectsIn(line.parts);
  const text = parts.map((part) => (part.type === "text" ? textIn(part.text) : "")).join("\n");
  if (info.role === "user") return { messages: textMessages("user", text.trim()) };
  if (info.role !== "assistant") return undefined;
  if (info.summary === true) return { summary: text.trim() };
  return { messages: [...textMessages("assistant", text.trim()), ...parts.flatMap(toolMessages)] };
}

function toolMessages(part: Record<string, unknown>): ModelMessage[] {
  if (part.type !== "tool" || !isObject(part.state)) return [];
  const { status, input, output, error } = part.state;
  const id = textIn(part.callID);
  const tool = textIn(part.tool);
  const call: ModelMessage = { role: "assistant", content: [toolCallPart(id, tool, input ?? {})] };
  if (status === "error") return [call, toolResultMessage(id, tool, textIn(error), true)];
  return status === "completed" ? [call, toolResultMessage(id, tool, textIn(output), false)] : [call];
}

/** The conversations that our plugin writes down: each line is a message with its parts. */
export const familyRecording: Recording = {
  matches: (lines) => lines.some((line) => "info" in line && "parts" in line),
  read: (lines) => lines.flatMap(toEvents),
};

function toEvents(line: Record<string, unknown>): RecordedEvent[] {
  const content = readFamilyLine(line);
  if (!content) return [];
  if ("summary" in content) return [{ type: "compaction", summary: content.summary }];
  const info = objectIn(line.info);
  const at = countIn(objectIn(info.time).created);
  const call = callOf(info);
  return content.messages.map((message) => ({
    type: "message",
    message,
    at,
    ...(message.role === "assistant" ? { call } : {}),
  }));
}

function callOf(info: Record<string, unknown>): ModelCall {
  const tokens = objectIn(info.tokens);
  const cache = objectIn(tokens.cache);
  return {
    id: textIn(info.id),
    model: textIn(info.modelID),
    usage: {
      input: countIn(tokens.input),
      cacheWrite: countIn(cache.write),
      cacheRead: countIn(cache.read),
      output: countIn(tokens.output) + countIn(tokens.reasoning),
    },
  };
}
