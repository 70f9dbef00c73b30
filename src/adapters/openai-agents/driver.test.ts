import { Agent, Runner, setTracingDisabled } from "@openai/agents-core";
import { inOrder } from "../../../test/support/agent.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { openDriverSession } from "../test-support/driver-session.ts";
import { holdfastAgents, holdfastEnd } from "./index.ts";
import { fromModelMessage } from "./items.ts";
import { ScriptedAgentsModel } from "./test-support/scripted-agents-model.ts";

setTracingDisabled(true);

testDriver("OpenAI Agents adapter", async (t) => ({
  contextWindow: 16_000,
  async run({ notepad, messages, summary }, surfaces) {
    const scripted = new ScriptedAgentsModel(inOrder([], { summary: () => ({ text: summary }) }));
    const { session } = await openDriverSession(t, notepad, surfaces);
    const {
      model,
      tools,
      session: history,
    } = holdfastAgents({
      session,
      model: scripted,
      contextWindow: 16_000,
      compactAt: 0.1,
      keep: 0.01,
    });
    await history.addItems(messages.flatMap(fromModelMessage));
    await new Runner().run(new Agent({ name: "Parser", model, tools }), "Go on.", { session: history });
    await holdfastEnd(session);
    const shown = scripted.requests.at(-1)?.messages.map(({ content }) => String(content ?? ""));
    return { session, shown: shown?.join("\n") ?? "" };
  },
}));
