import type { Json } from "./json.ts";
import type { Handlers } from "./operations.ts";
import type { Learned } from "./records.ts";

/** Conversation messages are stored as rows, in order of arrival; the agent defines their shape. */
export type MessageOperation = {
  type: "messages.add";
  messages: Json[];
  /** The measurements of the call that gave these messages. */
  learned?: { model: string } & Learned;
};

export interface MessageResult {
  /** Numbers of the first and the last message added. */
  first: number;
  last: number;
}

export const messageOperations: Handlers<MessageOperation, MessageResult> = {
  "messages.add"(draft, { messages, learned }) {
    const first = draft.counter("lastMessage") + 1;
    let last = first - 1;
    for (const message of messages) {
      last++;
      draft.insert("message", messageKey(last), message);
    }
    draft.mark("lastMessage", last);
    if (learned) {
      const { model, ...value } = learned;
      draft.put("learned", learnedKey(model), value);
    }
    return { result: { first, last }, warnings: [] };
  },
};

/** Model names may be longer than a record's key. */
export function learnedKey(model: string): string {
  return model.slice(0, 100).toWellFormed();
}

/** Zero-padded so that keys sort numerically. */
export function messageKey(number: number): string {
  return String(number).padStart(12, "0");
}
