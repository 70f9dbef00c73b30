/**
 * Plans the checkpoint of a Claude Code transcript in a process of its own, alone or as a compaction does, with the
 * search for the user's rules and the account for the receipt; prints its time as JSON.
 */
import { planCheckpoint } from "../src/compaction/checkpoint.ts";
import { Compaction } from "../src/compaction/compaction.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";
import { hosts } from "../src/hosts/hosts.ts";
import { readConversation } from "../src/hosts/transcript/read-conversation.ts";
import { openMemory } from "../src/index.ts";

const [, , transcript = "", part = "checkpoint"] = process.argv;
const host = hosts.find(({ name }) => name === "claude-code");
if (!host) throw new Error("There is no host claude-code.");
const memory = await openMemory({ store: "memory:" });
const session = await memory.createSession();
const budget = { bytes: 8_400 };
const state = await session.state();
const compaction = new Compaction({
  session,
  trigger: "host",
  skipped: "a benchmark",
  wayBack: "transcript",
  budget,
  countTokens: estimateTokens,
  contextAfter: async ({ body }) => ({ text: body, tokens: 0 }),
  commit: async () => {},
  notify: async () => {},
});
// A busy machine takes the processor away from a process, so count what the main thread used of it.
const used = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};
const start = used();
const { messages = [] } = readConversation(host, transcript) ?? {};
const read = used();
const to = messages.length;
if (part === "checkpoint") planCheckpoint({ state, messages, to, budget, countTokens: estimateTokens });
else await compaction.plan({ messages, to });
console.log(JSON.stringify({ messages: messages.length, read: read - start, plan: used() - read }));
await memory.close();
