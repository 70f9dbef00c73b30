import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import type { ReportedUsage } from "../fill.ts";
import { countIn } from "../transcript/file.ts";
import { type TranscriptLine, textMessages, toolCallPart, toolResultMessage } from "../transcript/line.ts";

/** One record of a Qwen Code chat file. */
export function readQwenLine(line: Record<string, unknown>): TranscriptLine {
  const parts = objectsIn(objectIn(line.message).parts);
  const payload = objectIn(line.systemPayload);
  switch (line.type) {
    case "system":
      return line.subtype === "chat_compression" ? { summary: summaryIn(payload) } : undefined;
    case "user":
      // What hooks injected is in further parts of the message.
      return { messages: textMessages("user", textIn(payload.displayText) || textOf(parts.slice(0, 1))) };
    case "assistant": {
      const text = textOf(parts);
      const texts = text.trim() === "" ? [] : [{ type: "text" as const, text }];
      const calls = parts
        .map(({ functionCall }) => objectIn(functionCall))
        .filter(({ name }) => name !== undefined)
        .map(({ id, name, args }) => toolCallPart(textIn(id), textIn(name), args ?? {}));
      const content = [...texts, ...calls];
      return content.length === 0 ? undefined : { messages: [{ role: "assistant", content }] };
    }
    case "tool_result":
      return {
        messages: parts
          .map(({ functionResponse }) => objectIn(functionResponse))
          .map(({ id, name, response }) => {
            const { output, error } = objectIn(response);
            return toolResultMessage(
              textIn(id),
              textIn(name),
              textIn(error) || textIn(output),
              error !== undefined,
            );
          }),
      };
    default:
      return undefined;
  }
}

function textOf(parts: readonly Record<string, unknown>[]): string {
  return parts
    .filter(({ thought }) => thought !== true)
    .map(({ text }) => textIn(text))
    .filter((text) => text !== "")
    .join("\n");
}

/** The compressed history begins with the summary, after the messages that Qwen Code puts before every conversation. */
function summaryIn({ compressedHistory }: Record<string, unknown>): string {
  const texts = objectsIn(compressedHistory).map(({ parts }) => textOf(objectsIn(parts)));
  return texts.find((text) => text.includes("<state_snapshot>")) ?? "";
}

/** The usage of a model call. */
export function readQwenUsage({ usageMetadata, model }: Record<string, unknown>): ReportedUsage | undefined {
  const tokens = countIn(objectIn(usageMetadata).totalTokenCount);
  return tokens === 0 ? undefined : { tokens, model: textIn(model) };
}
