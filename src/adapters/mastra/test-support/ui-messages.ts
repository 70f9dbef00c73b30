import type { ModelMessage } from "ai";
import { partsOf } from "../../caller/messages.ts";

interface UiMessage {
  id: string;
  role: string;
  parts: Record<string, unknown>[];
}

/** A conversation as a user interface keeps it: only in this form does Mastra keep the steps of an answer apart. */
export function toUiMessages(messages: readonly ModelMessage[]): UiMessage[] {
  const out: UiMessage[] = [];
  for (const message of messages) {
    const { role, text, calls, results } = partsOf(message);
    const isContinued = role === "tool" || (role === "assistant" && out.at(-1)?.role === role);
    if (!isContinued) out.push({ id: `message_${out.length}`, role, parts: [] });
    const parts = out.at(-1)?.parts ?? [];
    if (role === "assistant") parts.push({ type: "step-start" });
    if (text !== "") parts.push({ type: "text", text });
    for (const { id, name, input } of calls) parts.push({ type: `tool-${name}`, toolCallId: id, input });
    for (const result of results) addResult(parts, result);
  }
  return out;
}

/** The result of a call is part of the call. */
function addResult(
  parts: UiMessage["parts"],
  { id, text, isError }: ReturnType<typeof partsOf>["results"][0],
) {
  const call = parts.find(({ toolCallId }) => toolCallId === id) ?? {};
  Object.assign(
    call,
    isError ? { state: "output-error", errorText: text } : { state: "output-available", output: text },
  );
}
