import { generateText } from "ai";
import { inOrder, isWarning, modelAt, textsOf } from "../../../test/support/agent.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { fullConversation, openDriverSession } from "../test-support/driver-session.ts";
import { holdfast, holdfastEnd } from "./index.ts";

testDriver("AI SDK adapter", async (t) => ({
  contextWindow: 16_000,
  async warned() {
    const server = await startScriptedServer(inOrder([]));
    t.after(() => server.close());
    const { session } = await openDriverSession(t, "", []);
    const settings = holdfast({ session, model: modelAt(server.url), contextWindow: 16_000 });
    await generateText({ ...settings, messages: fullConversation });
    return { session, shown: textsOf(server.requests.find(isWarning)) };
  },
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
    return { session, shown: textsOf(server.requests.at(-1)) };
  },
}));
