import type { StoredMessage } from "../../context/conversation.ts";

export type Message = StoredMessage["message"];

/** What one line of a transcript says: messages, or that the conversation was compacted here. */
export type TranscriptLine = { messages: Message[] } | { summary: string } | undefined;

type AssistantPart = Exclude<Extract<Message, { role: "assistant" }>["content"], string>[number];

export function saidBy(role: "user" | "assistant", text: string): Message[] {
  if (text.trim() === "") return [];
  return role === "user" ? [{ role, content: text }] : [{ role, content: [{ type: "text", text }] }];
}

export function calledTool(toolCallId: string, toolName: string, input: unknown): AssistantPart {
  return { type: "tool-call", toolCallId, toolName, input };
}

export function toolAnswered(toolCallId: string, toolName: string, value: string, isError: boolean): Message {
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
