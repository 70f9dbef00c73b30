import type { StoredMessage, ToolCall } from "../../context/conversation.ts";
import { type Fields, fieldsOf, pathsIn } from "./call-input.ts";
import { type CallResult, resultsIn } from "./results.ts";

/** A tool call, with what several facts are read from. */
export interface MadeCall extends ToolCall {
  fields: Fields;
  /** The files that it names. */
  paths: readonly string[];
  result: CallResult | undefined;
  /** Made in a warning turn. */
  isAside: boolean;
  /** A time before it ran; 0 if that is not known. */
  at: number;
}

/** Each fact is read from the same calls. A span that has grown since is read again. */
const known = new WeakMap<readonly StoredMessage[], { length: number; calls: readonly MadeCall[] }>();

/** The calls in a span of messages, in order. */
export function callsIn(messages: readonly StoredMessage[]): readonly MadeCall[] {
  const before = known.get(messages);
  if (before?.length === messages.length) return before.calls;
  const calls = readCalls(messages);
  known.set(messages, { length: messages.length, calls });
  return calls;
}

function readCalls(messages: readonly StoredMessage[]): MadeCall[] {
  const { byCall } = resultsIn(messages);
  const calls: MadeCall[] = [];
  let before = 0;
  // As in `resultsIn`, iterators would be slow here.
  for (let place = 0; place < messages.length; place++) {
    const stored = messages[place];
    if (!stored) continue;
    // Some drivers store a call only after it ran, so the time of the message before it counts as well.
    const at = Math.min(before, stored.at);
    before = stored.at;
    const { message } = stored;
    if (message.role !== "assistant" || typeof message.content === "string") continue;
    const { content } = message;
    for (let index = 0; index < content.length; index++) {
      const part = content[index];
      if (part?.type !== "tool-call") continue;
      const fields = fieldsOf(part.input);
      calls.push({
        id: part.toolCallId,
        tool: part.toolName,
        message: stored.number,
        input: part.input,
        fields,
        paths: pathsIn(fields),
        result: byCall.get(part.toolCallId),
        isAside: stored.aside === true,
        at,
      });
    }
  }
  return calls;
}
