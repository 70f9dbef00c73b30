import type { StoredMessage } from "../../context/conversation.ts";
import type { JsonLine, LineWarning } from "./file.ts";

export type Message = StoredMessage["message"];

/** The content of one line of a transcript: messages, or the summary of a compaction at this point. */
export type TranscriptLine = { messages: Message[] } | { summary: string } | undefined;

type AssistantPart = Exclude<Extract<Message, { role: "assistant" }>["content"], string>[number];

/** A text as a message; none if the text is blank. */
export function textMessages(role: "user" | "assistant", text: string): Message[] {
  if (text.trim() === "") return [];
  return role === "user" ? [{ role, content: text }] : [{ role, content: [{ type: "text", text }] }];
}

export function toolCallPart(toolCallId: string, toolName: string, input: unknown): AssistantPart {
  return { type: "tool-call", toolCallId, toolName, input };
}

export function toolResultMessage(
  toolCallId: string,
  toolName: string,
  value: string,
  isError: boolean,
): Message {
  return {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: isError ? "error-text" : "text", value },
      },
    ],
  };
}

/** The provider's token counts for one call. `input` excludes tokens read from or written to the cache. */
export interface TokenCounts {
  input: number;
  cacheWrite: number;
  cacheRead: number;
  output: number;
}

/** A model call as a host recorded it. */
export interface ModelCall {
  /** Shared by all messages of one call; "" if the host records none. */
  id: string;
  model: string;
  usage: TokenCounts;
}

/** One event of a recorded session. */
export type RecordedEvent =
  | { type: "message"; message: Message; at: number; call?: ModelCall }
  | {
      type: "compaction";
      summary: string;
      /** Number of messages before the first one kept; undefined if none was kept. */
      keptFrom?: number | undefined;
    };

/** Reads the recorded sessions of one host. */
export interface Recording {
  /** Where the host keeps them, as people write it. */
  folder: string;
  matches(lines: readonly JsonLine[]): boolean;
  read(
    text: string,
    parsed: { lines: JsonLine[]; warnings: LineWarning[] },
  ): { events: readonly RecordedEvent[]; warnings: LineWarning[] };
}
