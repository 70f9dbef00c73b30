import type { Json } from "./json.ts";
import type { Handlers } from "./operations.ts";

/** Conversation messages are stored as rows, in order of arrival; the agent defines their shape. */
export type MessageOperation = { type: "messages.add"; messages: Json[] };

export interface MessageResult {
  /** Numbers of the first and the last message added. */
  first: number;
  last: number;
}

export const messageOperations: Handlers<MessageOperation, MessageResult> = {
  "messages.add"(draft, { messages }) {
    const first = draft.counter("lastMessage") + 1;
    let last = first - 1;
    for (const message of messages) {
      last++;
      draft.insert("message", messageKey(last), message);
    }
    draft.mark("lastMessage", last);
    return { result: { first, last }, warnings: [] };
  },
};

/** Zero-padded so that keys sort numerically. */
export function messageKey(number: number): string {
  return String(number).padStart(12, "0");
}
