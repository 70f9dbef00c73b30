import { objectIn, textIn } from "../../engine/json.ts";
import { countIn, type JsonLine, type LineWarning, timeIn } from "../transcript/json-lines.ts";
import { plainText, toModelMessage } from "../transcript/model-messages.ts";
import type { ModelCall, RecordedEvent, Recording } from "../transcript/recording.ts";
import { readPiSession } from "./session-file.ts";

type Fields = Record<string, unknown>;

/** Version 1 has neither a version number nor ids; its entries form one linear list. */
const linearVersion = 1;

export const piRecording: Recording = {
  folder: "~/.pi/agent/sessions",
  matches: isPiRecording,
  read: readPiRecording,
};

function isPiRecording(lines: readonly JsonLine[]): boolean {
  return lines[0]?.value.type === "session";
}

/** The events on the branch that pi would open. */
function readPiRecording(
  text: string,
  { lines, warnings }: { lines: readonly JsonLine[]; warnings: LineWarning[] },
): { events: RecordedEvent[]; warnings: LineWarning[] } {
  if ((lines[0]?.value.version ?? linearVersion) === linearVersion)
    return { events: eventsOf(lines.map(({ value }) => value)), warnings };
  const session = readPiSession(text);
  return { events: eventsOf(session.branch), warnings: session.warnings };
}

function eventsOf(entries: readonly Fields[]): RecordedEvent[] {
  /** Number of messages before each entry: by index for version 1, by id for later versions. */
  const messagesBefore = new Map<unknown, number>();
  let messages = 0;
  return entries.flatMap((entry, index) => {
    messagesBefore.set(index, messages);
    messagesBefore.set(entry.id, messages);
    const event = eventOf(entry, messagesBefore);
    if (event?.type === "message") messages++;
    return event ? [event] : [];
  });
}

function eventOf(entry: Fields, messagesBefore: ReadonlyMap<unknown, number>): RecordedEvent | undefined {
  const at = timeIn(entry.timestamp);
  switch (entry.type) {
    case "compaction": {
      const keptFrom = messagesBefore.get(entry.firstKeptEntryId ?? entry.firstKeptEntryIndex);
      return { type: "compaction", summary: textIn(entry.summary), keptFrom };
    }
    case "branch_summary":
      return { type: "message", message: { role: "user", content: textIn(entry.summary) }, at };
    case "custom_message":
      return { type: "message", message: { role: "user", content: plainText(entry.content) }, at };
    case "message": {
      const fields = objectIn(entry.message);
      const message = toModelMessage(fields);
      const call = fields.role === "assistant" ? { call: callOf(fields) } : {};
      return message && { type: "message", message, at, ...call };
    }
    default:
      return undefined;
  }
}

function callOf(message: Fields): ModelCall {
  const { input, output, cacheRead, cacheWrite } = objectIn(message.usage);
  return {
    id: "",
    model: textIn(message.model),
    usage: {
      input: countIn(input),
      cacheWrite: countIn(cacheWrite),
      cacheRead: countIn(cacheRead),
      output: countIn(output),
    },
  };
}
