import { Compaction } from "../../src/compaction/compaction.ts";
import { commitReceipt } from "../../src/sessions/commit-receipt.ts";
import type { Memory } from "../../src/sessions/memory.ts";
import type { Session } from "../../src/sessions/session.ts";
import { driverStory } from "../../src/testing/driver-contract.ts";

/** A session whose conversation was compacted so badly that the model is left with one path. */
export async function compactedStory(memory: Memory, id: string): Promise<Session> {
  const session = await memory.createSession({ id });
  const messages = driverStory.messages.map((message, index) => ({ number: index + 1, message, at: 0 }));
  const compaction = new Compaction({
    session,
    trigger: "threshold",
    skipped: "no agent",
    readWith: "",
    countTokens: memory.setting.countTokens,
    contextAfter: async () => ({ text: "src/parser.ts", tokens: 10 }),
    commit: (receipt) => commitReceipt(session, receipt),
    notify: async () => {},
  });
  await compaction.begin({ messages, to: messages.length, tokensBefore: 4_200 });
  await compaction.finish({ text: "", by: "unknown" });
  return session;
}
