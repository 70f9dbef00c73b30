import { type MemoryView, planChange } from "../../controller/plan-changes.ts";
import type { Context } from "../../sessions/options.ts";
import type { PiAgentMessage } from "./pi-host.ts";

/** The memory as one message: how to use it, and what it holds. */
export function memoryText(context: Context, more: readonly string[] = []): string {
  // At the end of a system prompt the notepad needs no end; in the middle of a conversation it does.
  const blocks = context.blocks.map(({ surface, text }) =>
    surface === "notepad" ? `${text}\n[End of notepad]` : text,
  );
  return [
    "[System] This is your memory. It is kept outside the conversation, and nobody said it just now.",
    context.guidance,
    ...more,
    ...blocks,
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** What somebody else has written since the model was shown its memory, or "". */
export function changesText(shown: MemoryView, now: MemoryView): string {
  const change = planChange(shown, now, 0);
  return change ? `[System] Your memory was changed by somebody else.\n\n${change.text}` : "";
}

/**
 * The messages of one model call with memory in them. It stands first, so that the provider's cache holds it; what is
 * new stands last, before the words of the user if they are last.
 */
export function placeMemory(
  messages: readonly PiAgentMessage[],
  memory: { head: string; tail: readonly string[]; at: number },
): PiAgentMessage[] {
  const { head, tail, at } = memory;
  const text = tail.filter((part) => part !== "").join("\n\n");
  const last = messages.at(-1)?.role === "user" ? messages.length - 1 : messages.length;
  return [
    userMessage(head, at),
    ...messages.slice(0, last),
    ...(text === "" ? [] : [userMessage(text, at)]),
    ...messages.slice(last),
  ];
}

function userMessage(text: string, timestamp: number): PiAgentMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp };
}
