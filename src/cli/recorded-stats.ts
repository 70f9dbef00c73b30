import { readFileSync } from "node:fs";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { sessionIdOf } from "../hosts/session-link.ts";
import { builtInPrices, pricesFor } from "../replay/prices.ts";
import { readRecording } from "../replay/read-transcript.ts";
import { filesUsedAgain } from "../replay/use-after-compaction.ts";
import type { RecordedStats } from "../server/stats.ts";
import type { Memory } from "../sessions/memory.ts";
import { type Conversation, findConversations } from "./rescue/find-conversations.ts";

const maxConversations = 200;

/** What memory cost and saved in the conversations that hosts recorded in a project since a time. */
export async function gatherRecorded(memory: Memory, root: string, since: number): Promise<RecordedStats> {
  const recorded: RecordedStats = {
    conversations: 0,
    calls: 0,
    took: { tokens: 0, dollars: 0 },
    filesUsedAgain: { unread: 0, unreadTokens: 0, dollars: 0, readAgain: 0 },
  };
  for (const conversation of await findConversations(root, maxConversations))
    if (conversation.at >= since) await addConversation(recorded, memory, conversation);
  return recorded;
}

/** What memory cost in a recorded conversation, and which files the agent did not have to read again. */
async function addConversation(
  recorded: RecordedStats,
  memory: Memory,
  { host, id, file }: Conversation,
): Promise<void> {
  const session = await memory.findSession(sessionIdOf(host.name, id));
  if (!session) return;
  const { messages, calls, compactions } = await readRecording(readFileSync(file, "utf8"));
  const { system, message } = await session.context();
  const tokens = estimateTokens(`${system}${message}`);
  const price = pricesFor(calls.at(-1)?.model ?? "", builtInPrices);
  const writes = Math.min(calls.length, compactions.length + 1);
  recorded.conversations++;
  recorded.calls += calls.length;
  recorded.took.tokens += tokens * calls.length;
  recorded.took.dollars +=
    (tokens * (writes * price.cacheWrite + (calls.length - writes) * price.cacheRead)) / 1e6;
  for (const [index, { messages: at, keptFrom }] of compactions.entries()) {
    const start = compactions[index - 1]?.keptFrom ?? 0;
    const end = compactions[index + 1]?.messages ?? messages.length;
    const used = filesUsedAgain(messages.slice(start, keptFrom), messages.slice(at, end));
    recorded.filesUsedAgain.unread += used.unread;
    recorded.filesUsedAgain.unreadTokens += used.unreadTokens;
    recorded.filesUsedAgain.readAgain += used.readAgain;
    recorded.filesUsedAgain.dollars += (used.unreadTokens * price.cacheWrite) / 1e6;
  }
}
