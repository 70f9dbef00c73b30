import { tool } from "ai";
import { z } from "zod";
import { call, filler, finish, inOrder, isWarning, openStage, textsOf } from "../../test/support/agent.ts";
import { openMemory } from "../index.ts";
import { testDriver } from "../testing/test-support/test-driver.ts";

const tools = {
  edit_file: tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async () => "edited src/parser.ts, and left docs/tabs.md alone",
  }),
  bash: tool({
    inputSchema: z.object({ command: z.string() }),
    execute: async (): Promise<string> => {
      throw new Error("Exit code 1");
    },
  }),
};

testDriver("agent", async (t) => ({
  contextWindow: 32_000,
  async warned() {
    const memory = await openMemory({ store: "memory:", surfaces: ["notepad"] });
    const stage = await openStage(t, { script: inOrder([]), memory, system: "", contextWindow: 8_000 });
    await stage.say(filler(6_000));
    await stage.say("Go on.");
    return { session: await memory.openSession("s"), shown: textsOf(stage.turns().find(isWarning)) };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const memory = await openMemory({
      store: "memory:",
      surfaces: ["notepad", "notes", "results", "recall", ...surfaces],
    });
    const session = await memory.openSession("s");
    await session.notepad.write(notepad);
    const answer = String(messages.at(-1)?.content);
    const answers = [
      { toolCalls: [call("edit_file", { path: "src/parser.ts" }, "call_1")] },
      { toolCalls: [call("bash", { command: "npm run lint" }, "call_2")] },
      { text: answer },
    ];
    const script = inOrder(answers, { summary: () => ({ text: summary }) });
    const stage = await openStage(t, { script, memory, tools, system: "" });
    await stage.say(String(messages[0]?.content));
    await finish(stage.agent.compact("s"));
    await stage.say("Go on.");
    await finish(stage.agent.end("s"));
    return { session, shown: textsOf(stage.turns().at(-1)) };
  },
}));
