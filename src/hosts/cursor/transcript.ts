import { objectIn, objectsIn, textIn } from "../../engine/json.ts";
import { type TranscriptLine, textMessages, toolCallPart } from "../transcript/line.ts";

/** One line of a Cursor transcript: a role and a message of parts. */
export function readCursorLine({ role, message }: Record<string, unknown>): TranscriptLine {
  const parts = objectsIn(objectIn(message).content);
  const text = parts
    .map((part) => (part.type === "text" ? textIn(part.text) : ""))
    .filter((part) => part !== "")
    .join("\n");
  if (role === "user") return { messages: textMessages("user", queryIn(text)) };
  if (role !== "assistant") return undefined;
  const texts = text.trim() === "" ? [] : [{ type: "text" as const, text }];
  const calls = parts
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name, input }) => toolCallPart(textIn(id), textIn(name), input ?? {}));
  const content = [...texts, ...calls];
  return content.length === 0 ? undefined : { messages: [{ role: "assistant", content }] };
}

/** What the user wrote, without what Cursor adds around it. */
function queryIn(text: string): string {
  return (/<user_query>([\s\S]*?)<\/user_query>/.exec(text)?.[1] ?? text).trim();
}
