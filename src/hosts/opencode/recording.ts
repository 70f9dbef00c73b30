import { objectIn, textIn } from "../../engine/json.ts";
import { readOpencodeLine } from "../opencode-family/transcript.ts";
import type { JsonLine } from "../transcript/json-lines.ts";
import type { ModelCall, RecordedEvent, Recording } from "../transcript/recording.ts";

/** The conversations that our plug-in writes down: each line is a message with its parts. */
export const opencodeRecording: Recording = {
  folder: "~/.local/share/opencode",
  matches: (lines) => lines.some(({ value }) => "info" in value && "parts" in value),
  read: (_text, { lines, warnings }) => ({ events: lines.flatMap(toEvents), warnings }),
};

function toEvents({ value }: JsonLine): RecordedEvent[] {
  const line = readOpencodeLine(value);
  if (!line) return [];
  if ("summary" in line) return [{ type: "compaction", summary: line.summary }];
  const info = objectIn(value.info);
  const at = objectIn(info.time).created;
  const call = info.role === "assistant" ? { call: callOf(textIn(value.id), info) } : {};
  return line.messages.map((message) => ({
    type: "message",
    message,
    at: typeof at === "number" ? at : 0,
    ...(message.role === "assistant" ? call : {}),
  }));
}

function callOf(id: string, info: Record<string, unknown>): ModelCall {
  const tokens = objectIn(info.tokens);
  const cache = objectIn(tokens.cache);
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  return {
    id,
    model: textIn(info.modelID),
    usage: {
      input: count(tokens.input),
      cacheWrite: count(cache.write),
      cacheRead: count(cache.read),
      output: count(tokens.output) + count(tokens.reasoning),
    },
  };
}
