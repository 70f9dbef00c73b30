import type { ModelMessage } from "ai";
import { toolCallsOf, toolResultsOf } from "../../context/conversation.ts";

/** A message in pi's format, which OpenClaw uses too. */
export function piForm(message: ModelMessage): Record<string, unknown> {
  const stored = { number: 1, message, at: 1 };
  const [result] = toolResultsOf(stored);
  if (result) {
    const { id, tool, text, isError } = result;
    const content = [{ type: "text", text }];
    return { role: "toolResult", toolCallId: id, toolName: tool, content, isError, timestamp: 1 };
  }
  const calls = toolCallsOf(stored).map(({ id, tool, input }) => ({
    type: "toolCall",
    id,
    name: tool,
    arguments: input,
  }));
  const content = calls.length > 0 ? calls : [{ type: "text", text: message.content }];
  return { role: message.role, content, timestamp: 1 };
}
