/** Plans the checkpoint of a Claude Code transcript in a process of its own; prints its time as JSON. */
import { Compaction } from "../src/compaction/compaction.ts";
import { estimateTokens } from "../src/context/estimate-tokens.ts";
import { hosts } from "../src/hosts/hosts.ts";
import { readConversation } from "../src/hosts/transcript/read-conversation.ts";
import { openMemory } from "../src/index.ts";

const [, , transcript = ""] = process.argv;
const host = hosts.find(({ name }) => name === "claude-code");
if (!host) throw new Error("There is no host claude-code.");
const memory = await openMemory({ store: "memory:" });
const session = await memory.createSession();
const compaction = new Compaction({
  session,
  trigger: "host",
  skipped: "a benchmark",
  wayBack: "transcript",
  budget: { bytes: 8_400 },
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
const { messages = [], said = [] } = readConversation(host, transcript) ?? {};
const read = used();
await compaction.plan({ messages, to: messages.length, said });
console.log(JSON.stringify({ messages: messages.length, read: read - start, plan: used() - read }));
await memory.close();
