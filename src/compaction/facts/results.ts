import { resultText, type StoredMessage, type ToolResult } from "../../context/conversation.ts";

export type CallResult = Pick<ToolResult, "text" | "isError">;

/** The results in a span of messages, and the calls that failed, by the id of the call. */
interface Results {
  byCall: ReadonlyMap<string, CallResult>;
  failed: ReadonlySet<string>;
}

/** Several facts are read from the same span. A span that has grown since is indexed again. */
const known = new WeakMap<readonly StoredMessage[], { length: number; results: Results }>();

export function resultsIn(messages: readonly StoredMessage[]): Results {
  const before = known.get(messages);
  if (before?.length === messages.length) return before.results;
  const results = indexResults(messages);
  known.set(messages, { length: messages.length, results });
  return results;
}

function indexResults(messages: readonly StoredMessage[]): Results {
  const byCall = new Map<string, CallResult>();
  const failed = new Set<string>();
  // Planning a compaction indexes every message; an iterator for each is slow in a process that has just started.
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]?.message;
    if (message?.role !== "tool") continue;
    const { content } = message;
    for (let index = 0; index < content.length; index++) {
      const part = content[index];
      if (part?.type !== "tool-result") continue;
      const isError = part.output.type.startsWith("error");
      byCall.set(part.toolCallId, { text: resultText(part.output), isError });
      if (isError) failed.add(part.toolCallId);
    }
  }
  return { byCall, failed };
}
