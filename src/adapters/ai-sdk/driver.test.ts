import { generateText } from "ai";
import { inOrder, modelAt } from "../../../test/support/agent.ts";
import { openMemory } from "../../index.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { holdfast, holdfastEnd } from "./index.ts";

testDriver("AI SDK adapter", async (t) => ({
  contextWindow: 16_000,
  async run({ notepad, messages, summary }, surfaces) {
    const server = await startScriptedServer(inOrder([], { summary: () => ({ text: summary }) }));
    const memory = await openMemory({
      store: "memory:",
      surfaces: ["notepad", "notes", "results", ...surfaces],
    });
    t.after(() => Promise.all([server.close(), memory.close()]));
    const session = await memory.openSession("s");
    await session.notepad.write(notepad);
    const settings = holdfast({
      session,
      model: modelAt(server.url),
      contextWindow: 16_000,
      compactAt: 0.1,
      keep: 0.01,
    });
    await generateText({ ...settings, messages: [...messages, { role: "user", content: "Go on." }] });
    await holdfastEnd(session);
    const shown = server.requests.at(-1)?.messages.map(({ content }) => String(content ?? ""));
    return { session, shown: shown?.join("\n") ?? "" };
  },
}));
