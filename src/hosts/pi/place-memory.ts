import type { PiAgentMessage } from "./api.ts";

/**
 * The messages of one model call, with memory. Memory comes first, so that the provider can cache it; changes come last,
 * before the user's message if that is the last one.
 */
export function placeMemory(
  messages: readonly PiAgentMessage[],
  memory: { head: string; tail: readonly string[] },
): PiAgentMessage[] {
  const text = memory.tail.filter((part) => part !== "").join("\n\n");
  const last = messages.at(-1)?.role === "user" ? messages.length - 1 : messages.length;
  return [
    ...(memory.head === "" ? [] : [userMessage(memory.head)]),
    ...messages.slice(0, last),
    ...(text === "" ? [] : [userMessage(text)]),
    ...messages.slice(last),
  ];
}

function userMessage(text: string): PiAgentMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 0 };
}
