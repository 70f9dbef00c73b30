import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
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
