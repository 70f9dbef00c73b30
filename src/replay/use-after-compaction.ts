import { fieldsOf, pathsIn } from "../compaction/facts/call-input.ts";
import { type StoredMessage, toolCallsOf, toolResultsOf } from "../context/conversation.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";

/** Files of the removed messages that the agent worked on later: without reading them again, or after reading them again. */
export interface FilesUsedAgain {
  unread: number;
  /** Tokens of what was read of them before, and did not have to be read again. */
  unreadTokens: number;
  readAgain: number;
}

interface FileCall {
  path: string;
  isRead: boolean;
  tokens: number;
}

const reading = /read|view|cat|open/i;

/** Compares what was read before a compaction with what was done after it. */
export function filesUsedAgain(
  removed: readonly StoredMessage[],
  later: readonly StoredMessage[],
): FilesUsedAgain {
  const known = new Map(
    fileCalls(removed)
      .filter(({ isRead }) => isRead)
      .map(({ path, tokens }) => [path, tokens]),
  );
  const first = new Map<string, boolean>();
  for (const { path, isRead } of fileCalls(later))
    if (known.has(path) && !first.has(path)) first.set(path, isRead);
  const unread = [...first].filter(([, isRead]) => !isRead).map(([path]) => path);
  return {
    unread: unread.length,
    unreadTokens: unread.reduce((sum, path) => sum + (known.get(path) ?? 0), 0),
    readAgain: first.size - unread.length,
  };
}

function fileCalls(messages: readonly StoredMessage[]): FileCall[] {
  const results = new Map(messages.flatMap(toolResultsOf).map((result) => [result.id, result]));
  return messages.flatMap(toolCallsOf).flatMap(({ id, tool, input }) => {
    const [path, ...more] = pathsIn(fieldsOf(input));
    if (path === undefined || more.length > 0) return [];
    return [{ path, isRead: reading.test(tool), tokens: estimateTokens(results.get(id)?.text ?? "") }];
  });
}
