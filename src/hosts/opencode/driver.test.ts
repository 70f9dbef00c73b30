import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import type { OpencodeMessage } from "../opencode-family/api.ts";
import { lastRemovedByFamily } from "../opencode-family/kept-tail.ts";
import { OpencodePlugin } from "../opencode-family/plugin.ts";
import { sessionIdOf } from "../session-link.ts";
import { transcriptLines } from "../test-support/driver-transcripts.ts";

testDriver("opencode plug-in", async (t) => ({
  lastRemoved: lastRemovedByFamily,
  async run({ notepad, messages, summary }, surfaces) {
    const project = await hookProject();
    const data = transcriptLines.opencode?.(messages) ?? [];
    const client = { session: { messages: async () => ({ data }) } };
    const input = { directory: project.root, client };
    const plugin = new OpencodePlugin("opencode", input, async (host, _command, payload) => {
      const { stdout, failures } = await hook(project, host, payload, surfaces);
      for (const failure of failures) t.diagnostic(failure);
      return { context: "", keep: "", refuse: "", ...JSON.parse(stdout) };
    });
    await plugin.onMessage("s1", "m0");
    await plugin.placeMemory([userMessage("m0", String(messages[0]?.content))]);
    const id = sessionIdOf("opencode", "s1");
    await inMemory(project, async (memory) => (await memory.openSession(id)).notepad.write(notepad));
    await plugin.beforeCompaction("s1");
    await plugin.placeMemory([userMessage("m7", "Summarise.")]);
    plugin.endCompaction("s1", true);
    const next = userMessage("m8", summary);
    await plugin.placeMemory([next]);
    const shown = next.parts.map(({ text }) => String(text)).join("\n");
    await plugin.endSession("s1");
    const memory = await openMemory({ store: project.database });
    t.after(() => memory.close());
    return { session: await memory.resumeSession(id), shown };
  },
}));

function userMessage(id: string, text: string): OpencodeMessage {
  const part = { id: `${id}-text`, messageID: id, sessionID: "s1", type: "text", text };
  return { info: { id, sessionID: "s1", role: "user" }, parts: [part] };
}
