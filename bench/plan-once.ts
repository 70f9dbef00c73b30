/** Plans the handoff of a Claude Code transcript in a process of its own, as a hook does; prints its time as JSON. */
import { planHandoff } from "../src/compaction/handoff.ts";
import { handoffTokens } from "../src/compaction/room.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";
import { hosts } from "../src/hosts/hosts.ts";
import { readConversation } from "../src/hosts/transcript/read-conversation.ts";

const [, , transcript = ""] = process.argv;
const host = hosts.find(({ name }) => name === "claude-code");
if (!host) throw new Error("There is no host claude-code.");
// A busy machine takes the processor away from a process, so count what the main thread used of it.
const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
const start = used();
const { messages = [] } = readConversation(host, transcript) ?? {};
const read = used();
const room = { tokens: handoffTokens(), bytes: 8_400 };
planHandoff({ epoch: 1, messages, to: messages.length, tasks: [], room, countTokens: estimateTokens });
console.log(JSON.stringify({ messages: messages.length, read: read - start, plan: used() - read }));
