import { type JsonLine, timeIn } from "../transcript/file.ts";
import type { RecordedEvent, Recording } from "../transcript/line.ts";
import { readCodexLine } from "./host.ts";

/** Codex rollouts. They count the context, but not by call and model. */
export const codexRecording: Recording = {
  folder: "~/.codex/sessions",
  matches: (lines) => lines.some(({ value }) => value.type === "response_item" && "payload" in value),
  read: (_text, { lines, warnings }) => ({ events: lines.flatMap(toEvents), warnings }),
};

function toEvents({ value }: JsonLine): RecordedEvent[] {
  const line = readCodexLine(value);
  if (!line) return [];
  if ("summary" in line) return [{ type: "compaction", summary: line.summary }];
  return line.messages.map((message) => ({ type: "message", message, at: timeIn(value.timestamp) }));
}
