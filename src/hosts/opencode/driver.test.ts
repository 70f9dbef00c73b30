import type { TestContext } from "node:test";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { openMemory } from "../../index.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { lastRemovedByFamily } from "../opencode-family/host.ts";
import { type OpencodeMessage, OpencodePlugin } from "../opencode-family/plugin.ts";
import { sessionIdOf } from "../session-link.ts";
import { transcriptLines } from "../test-support/driver-transcripts.ts";

testDriver("opencode plugin", async (t) => ({
  lastRemoved: lastRemovedByFamily,
  async warned() {
    const { plugin, session } = await startPlugin(t, [], []);
    await plugin.onMessage("s1", "m0");
    plugin.noteWindow("s1", { context: 200_000, output: 32_000 });
    const tokens = { input: 162_000, output: 500 };
    const answer = { info: { id: "m1", sessionID: "s1", role: "assistant", tokens }, parts: [] };
    const messages: OpencodeMessage[] = [userMessage("m0", "Begin."), answer, userMessage("m2", "Go on.")];
    await plugin.placeMemory(messages);
    return { session: await session(), shown: textOf(messages) };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const data = transcriptLines.opencode?.(messages) ?? [];
    const { plugin, project, session } = await startPlugin(t, surfaces, data);
    await plugin.onMessage("s1", "m0");
    await plugin.placeMemory([userMessage("m0", String(messages[0]?.content))]);
    const id = sessionIdOf("opencode", "s1");
    await inMemory(project, async (memory) => (await memory.openSession(id)).notepad.write(notepad));
    await plugin.beforeCompaction("s1");
    await plugin.placeMemory([userMessage("m7", "Summarise.")]);
    plugin.endCompaction("s1", true);
    const next = userMessage("m8", summary);
    await plugin.placeMemory([next]);
    const shown = textOf([next]);
    await plugin.endSession("s1");
    return { session: await session(), shown };
  },
}));

async function startPlugin(t: TestContext, surfaces: readonly Surface[], data: readonly object[]) {
  const project = await hookProject();
  const client = { session: { messages: async () => ({ data }) } };
  const input = { directory: project.root, client };
  const plugin = new OpencodePlugin("opencode", input, async (host, _command, payload) => {
    const { stdout, failures } = await hook(project, host, payload, surfaces);
    for (const failure of failures) t.diagnostic(failure);
    return { context: "", keep: "", ...JSON.parse(stdout) };
  });
  const session = async () => {
    const memory = await openMemory({ store: project.database });
    t.after(() => memory.close());
    return memory.resumeSession(sessionIdOf("opencode", "s1"));
  };
  return { plugin, project, session };
}

function textOf(messages: readonly OpencodeMessage[]): string {
  return messages.flatMap(({ parts }) => parts.map(({ text }) => String(text))).join("\n");
}

function userMessage(id: string, text: string): OpencodeMessage {
  const part = { id: `${id}-text`, messageID: id, sessionID: "s1", type: "text", text };
  return { info: { id, sessionID: "s1", role: "user" }, parts: [part] };
}
