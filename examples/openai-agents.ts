import { Agent, MemorySession, type Model, run, setTracingDisabled, Usage } from "@openai/agents-core";
import { openMemory } from "holdfast";
import { holdfastAgents } from "holdfast/openai-agents";

// In place of your model: await new OpenAIProvider().getModel("…").
setTracingDisabled(true);
const note = JSON.stringify({ operation: "append", content: "- July is counted twice" });
const text = "July is counted twice.";
const answers = [
  { type: "function_call" as const, callId: "call_1", name: "update_notepad", arguments: note },
  {
    type: "message" as const,
    role: "assistant" as const,
    status: "completed" as const,
    content: [{ type: "output_text" as const, text }],
  },
];
const scripted: Model = {
  getResponse: async () => ({ output: answers.splice(0, 1), usage: new Usage() }),
  async *getStreamedResponse() {},
};

const memory = await openMemory({ store: "memory.db" });
const session = await memory.openSession("audit");
const { model, tools } = holdfastAgents({ session, model: scripted, contextWindow: 128_000 });

const agent = new Agent({ name: "Auditor", model, tools });
const { finalOutput } = await run(agent, "Why does Q3 not add up?", { session: new MemorySession() });
console.log(finalOutput, await session.notepad.read());

await memory.close();
