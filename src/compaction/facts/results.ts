import { type StoredMessage, type ToolResult, toolResultsOf } from "../../context/conversation.ts";

/** The results in a span of messages, and the calls that failed, by the id of the call. */
interface Results {
  byCall: ReadonlyMap<string, ToolResult>;
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
  const byCall = new Map<string, ToolResult>();
  const failed = new Set<string>();
  for (const stored of messages)
    for (const result of toolResultsOf(stored)) {
      byCall.set(result.id, result);
      if (result.isError) failed.add(result.id);
    }
  return { byCall, failed };
}
