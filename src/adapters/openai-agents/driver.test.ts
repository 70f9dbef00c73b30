import { Agent, MemorySession, Runner, setTracingDisabled } from "@openai/agents-core";
import { inOrder, isWarning, textsOf } from "../../../test/support/agent.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { fullConversation, openDriverSession } from "../test-support/driver-session.ts";
import { holdfastAgents, holdfastEnd } from "./index.ts";
import { fromModelMessage } from "./items.ts";
import { ScriptedAgentsModel } from "./test-support/scripted-agents-model.ts";

setTracingDisabled(true);

testDriver("OpenAI Agents adapter", async (t) => ({
  contextWindow: 16_000,
  async warned() {
    const scripted = new ScriptedAgentsModel(inOrder([]));
    const { session } = await openDriverSession(t, "", []);
    const given = holdfastAgents({ session, model: scripted, contextWindow: 16_000 });
    const { model, tools } = given;
    const history = new MemorySession();
    await history.addItems(fullConversation.slice(0, -1).flatMap(fromModelMessage));
    await new Runner().run(new Agent({ name: "Parser", model, tools }), "Go on.", { session: history });
    return { session, shown: textsOf(scripted.requests.find(isWarning)) };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const scripted = new ScriptedAgentsModel(inOrder([], { summary: () => ({ text: summary }) }));
    const { session } = await openDriverSession(t, notepad, surfaces);
    const history = new MemorySession();
    const { model, tools } = holdfastAgents({
      session,
      model: scripted,
      contextWindow: 16_000,
      compactAt: 0.1,
      keep: 0.01,
    });
    await history.addItems(messages.flatMap(fromModelMessage));
    await new Runner().run(new Agent({ name: "Parser", model, tools }), "Go on.", { session: history });
    await holdfastEnd(session);
    return { session, shown: textsOf(scripted.requests.at(-1)) };
  },
}));
