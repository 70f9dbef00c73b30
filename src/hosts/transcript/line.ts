import type { StoredMessage } from "../../context/conversation.ts";

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
