import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import type { ReportedUsage } from "../fill.ts";
import { countIn } from "../transcript/file.ts";
import { type TranscriptLine, textMessages, toolCallPart, toolResultMessage } from "../transcript/line.ts";

/** One event of a Copilot CLI session. */
export function readCopilotLine({ type, data }: Record<string, unknown>): TranscriptLine {
  const event = objectIn(data);
  switch (type) {
    case "user.message":
      return { messages: textMessages("user", textIn(event.content)) };
    case "assistant.message": {
      const text = textIn(event.content);
      const texts = text.trim() === "" ? [] : [{ type: "text" as const, text }];
      const calls = objectsIn(event.toolRequests).map(({ toolCallId, name, arguments: input }) =>
        toolCallPart(textIn(toolCallId), textIn(name), input ?? {}),
      );
      const content = [...texts, ...calls];
      return content.length === 0 ? undefined : { messages: [{ role: "assistant", content }] };
    }
    case "tool.execution_complete": {
      const { toolCallId, success, result, error } = event;
      const text = textIn(objectIn(result).content) || textIn(objectIn(error).message);
      return { messages: [toolResultMessage(textIn(toolCallId), "tool", text, success === false)] };
    }
    case "session.compaction_complete":
      return { summary: textIn(event.summaryContent) };
    default:
      return undefined;
  }
}

/** The usage of a model call. The window is what a prompt may have. */
export function readCopilotUsage({ type, data }: Record<string, unknown>): ReportedUsage | undefined {
  if (type !== "session.usage_record") return undefined;
  const { inputTokens, outputTokens, maxPromptTokens, model } = objectIn(objectIn(data).usage);
  const tokens = countIn(inputTokens) + countIn(outputTokens);
  const window = countIn(maxPromptTokens);
  return tokens === 0 ? undefined : { tokens, model: textIn(model), ...(window > 0 ? { window } : {}) };
}
