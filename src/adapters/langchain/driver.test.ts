import { createAgent } from "langchain";
import { inOrder, isWarning, textsOf } from "../../../test/support/agent.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { fullConversation, openDriverSession } from "../test-support/driver-session.ts";
import { holdfastEnd, holdfastMiddleware } from "./index.ts";
import { fromModelMessage } from "./messages.ts";
import { ScriptedChatModel } from "./test-support/scripted-chat-model.ts";

testDriver("LangChain adapter", async (t) => ({
  contextWindow: 16_000,
  async warned() {
    const model = new ScriptedChatModel(inOrder([]));
    const { memory, session } = await openDriverSession(t, "", []);
    const agent = createAgent({ model, middleware: [holdfastMiddleware({ memory, contextWindow: 16_000 })] });
    const messages = fullConversation.flatMap(fromModelMessage);
    await agent.invoke({ messages }, { configurable: { thread_id: "s" } });
    return { session, shown: textsOf(model.requests.find(isWarning)) };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const model = new ScriptedChatModel(inOrder([], { summary: () => ({ text: summary }) }));
    const { memory, session } = await openDriverSession(t, notepad, surfaces);
    const middleware = [holdfastMiddleware({ memory, contextWindow: 16_000, compactAt: 0.1, keep: 0.01 })];
    const agent = createAgent({ model, middleware });
    const given = [...messages, { role: "user" as const, content: "Go on." }].flatMap(fromModelMessage);
    await agent.invoke({ messages: given }, { configurable: { thread_id: "s" } });
    await holdfastEnd(session);
    return { session, shown: textsOf(model.requests.at(-1)) };
  },
}));
