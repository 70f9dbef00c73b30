import type { ModelMessage } from "ai";
import { objectsIn, textIn } from "../../engine/json.ts";

type Fields = Record<string, unknown>;

/** Converts a message in the format that two hosts share; undefined for messages that the model never sees. */
export function toModelMessage(message: Fields): ModelMessage | undefined {
  switch (message.role) {
    case "user":
    case "custom":
    case "hookMessage":
      return { role: "user", content: plainText(message.content) };
    case "bashExecution":
      return { role: "user", content: `$ ${textIn(message.command)}\n${textIn(message.output)}` };
    case "assistant":
      return { role: "assistant", content: objectsIn(message.content).flatMap(toAssistantPart) };
    case "toolResult":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: textIn(message.toolCallId),
            toolName: textIn(message.toolName),
            output: {
              type: message.isError === true ? "error-text" : "text",
              value: plainText(message.content),
            },
          },
        ],
      };
    default:
      return undefined;
  }
}

type AssistantPart = Exclude<Extract<ModelMessage, { role: "assistant" }>["content"], string>[number];

function toAssistantPart(block: Fields): AssistantPart[] {
  if (block.type === "text") return [{ type: "text", text: textIn(block.text) }];
  if (block.type === "thinking") return [{ type: "reasoning", text: textIn(block.thinking) }];
  if (block.type !== "toolCall") return [];
  return [
    {
      type: "tool-call",
      toolCallId: textIn(block.id),
      toolName: textIn(block.name),
      input: block.arguments ?? {},
    },
  ];
}

export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ type, text }) => (type === "image" ? "[image]" : textIn(text)))
    .join("\n");
}
