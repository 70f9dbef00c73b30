import { objectIn } from "../../engine/json.ts";
import { countIn, type JsonLine, timeIn } from "../transcript/json-lines.ts";
import type { RecordedEvent, Recording } from "../transcript/recording.ts";
import { readCodexLine } from "./transcript.ts";

/** Codex rollouts. They count the context, but not by call and model, so their cost cannot be replayed. */
export const codexRecording: Recording = {
  folder: "~/.codex/sessions",
  matches: (lines) => lines.some(({ value }) => value.type === "response_item" && "payload" in value),
  read: (_text, { lines, warnings }) => ({ events: lines.flatMap(toEvents), warnings }),
};

/** The share of the window that Codex counts as the window. */
const countedShare = 0.95;

function contextEvent(payload: Record<string, unknown>): RecordedEvent[] {
  const { last_token_usage: last, model_context_window: counted } = objectIn(payload.info);
  const tokens = countIn(objectIn(last).total_tokens);
  const contextWindow = Math.round(countIn(counted) / countedShare) || undefined;
  return tokens === 0 ? [] : [{ type: "context", tokens, contextWindow }];
}

function toEvents({ value }: JsonLine): RecordedEvent[] {
  const payload = objectIn(value.payload);
  if (value.type === "event_msg" && payload.type === "token_count") return contextEvent(payload);
  const line = readCodexLine(value);
  if (!line) return [];
  if ("summary" in line) return [{ type: "compaction", summary: line.summary }];
  return line.messages.map((message) => ({ type: "message", message, at: timeIn(value.timestamp) }));
}
