import { generateText } from "ai";
import { inOrder, modelAt } from "../../../test/support/agent.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { openDriverSession } from "../test-support/driver-session.ts";
import { holdfast, holdfastEnd } from "./index.ts";

testDriver("AI SDK adapter", async (t) => ({
  contextWindow: 16_000,
  async run({ notepad, messages, summary }, surfaces) {
    const server = await startScriptedServer(inOrder([], { summary: () => ({ text: summary }) }));
    t.after(() => server.close());
    const { session } = await openDriverSession(t, notepad, surfaces);
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
