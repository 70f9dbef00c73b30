import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, isWarning, modelAt, ofType, textsOf } from "../../../test/support/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { openMemory } from "../../index.ts";
import { type ScriptedAnswer, startScriptedServer } from "../../testing/index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { fullConversation, openDriverSession } from "../test-support/driver-session.ts";
import { type HoldfastMastraOptions, holdfastEnd, holdfastMastra } from "./index.ts";

/** Calls the processor as Mastra does; `mastra.long.ts` runs the contract with Mastra itself. */
testDriver("Mastra adapter", async (t) => ({
  contextWindow: 16_000,
  async warned() {
    const server = await startScriptedServer(inOrder([]));
    t.after(() => server.close());
    const { session } = await openDriverSession(t, "", []);
    const { processor } = holdfastMastra({ session, model: modelAt(server.url), contextWindow: 16_000 });
    const prompt = fullConversation.map(({ role, content }) => ({
      role,
      content: [{ type: "text", text: content }],
    }));
    await processor.processLLMRequest({ prompt, state: {} });
    return { session, shown: textsOf(server.requests.find(isWarning)) };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const server = await startScriptedServer(inOrder([], { summary: () => ({ text: summary }) }));
    t.after(() => server.close());
    const { session } = await openDriverSession(t, notepad, surfaces);
    const { processor } = holdfastMastra({
      session,
      model: modelAt(server.url),
      contextWindow: 16_000,
      compactAt: 0.1,
      keep: 0.01,
    });
    const prompt = [...messages, { role: "user", content: [{ type: "text", text: "Go on." }] }].map(
      (message) =>
        typeof message.content === "string"
          ? { ...message, content: [{ type: "text", text: message.content }] }
          : message,
    );
    const state = {};
    const sent = await processor.processLLMRequest({ prompt, state });
    await processor.processLLMResponse({ chunks: [], state });
    await holdfastEnd(session);
    return { session, shown: textsIn(sent?.prompt).join("\n") };
  },
}));

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

async function openProcessor(answers: ScriptedAnswer[] = []) {
  const server = await startScriptedServer(inOrder(answers));
  const memory = await openMemory({ store: "memory:", surfaces: ["notepad", "pins"] });
  const session = await memory.openSession("s");
  const events: AgentEvent[] = [];
  const model = modelAt(server.url);
  const onEvent = (event: AgentEvent) => events.push(event);
  const given = holdfastMastra({ session, model, contextWindow: 16_000, onEvent });
  return { ...given, session, events, close: () => Promise.all([server.close(), memory.close()]) };
}

const prompt = [
  { role: "system", content: "You audit." },
  { role: "user", content: [{ type: "text", text: "Hello" }] },
];

test("the processor adds memory to the system message and leaves other messages as they came [mastra.processor]", async () => {
  const { processor, tools, session, events, close } = await openProcessor();
  await session.notepad.write("- July");
  const before = structuredClone(prompt);
  const state = {};
  const sent = await processor.processLLMRequest({ prompt, state });
  const [system, user] = (sent?.prompt ?? []) as unknown as typeof prompt;
  assert.match(String(system?.content), /^You audit\.\n\n[\s\S]*## Session Notepad\n- July/);
  assert.equal(user, prompt[1]);
  assert.deepEqual(prompt, before);
  const usage = { inputTokens: 900, outputTokens: 20 };
  await processor.processLLMResponse({ chunks: [{ type: "finish", payload: { output: { usage } } }], state });
  assert.equal(ofType(events, "usage")[0]?.reported.inputTokens, 900);
  const call = { toolCallId: "call_1", messages: [], context: {} };
  const failed = await tools.update_notepad?.execute?.({ operation: "append" }, call);
  assert.match(String(failed), /content/);
  await tools.update_notepad?.execute?.({ operation: "append", content: "- August" }, call);
  assert.equal(await session.notepad.read(), "- July\n- August");
  await close();
});

test("a memory failure is reported and the request goes out as it is; a model's name is refused [mastra.failure]", async (t) => {
  const { processor, session, events, close } = await openProcessor();
  t.mock.method(session, "state", async () => Promise.reject(new Error("the disk is gone")));
  assert.equal(await processor.processLLMRequest({ prompt, state: {} }), undefined);
  assert.match(ofType(events, "error")[0]?.message ?? "", /continues without it: the disk is gone/);
  t.mock.restoreAll();
  const named = { session, model: "openai/gpt-5", contextWindow: 16_000 } as HoldfastMastraOptions;
  assert.throws(() => holdfastMastra(named), /must be a model object/);
  await close();
});
