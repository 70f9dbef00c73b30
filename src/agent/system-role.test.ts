import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { call, finish, openStage } from "../../test/support/agent.ts";
import { allowsSystemAnywhere } from "../context/prompt.ts";

const label = /^\[System prompt and skills, changed; they replace every earlier copy\]\n[\s\S]*Be kind\./;

/** Edits the system prompt in the first turn. */
const script = () => {
  let calls = 0;
  return () =>
    ++calls === 1
      ? { toolCalls: [call("edit_system_prompt", { operation: "append", content: "Be kind." })] }
      : { text: "Done." };
};

test("a system prompt that changes within an epoch goes into the system role where the provider allows it [config.label]", async (t) => {
  const stage = await openStage(t, { script: script(), surfaces: ["knowledge", "notepad"] });
  const model = createOpenAI({ baseURL: stage.server.url, apiKey: "test" }).chat("gpt-4o");
  const agent = stage.another({ model });
  await finish(agent.send("s", "First."));
  await finish(agent.send("s", "Second."));
  const { messages } = stage.server.requests.at(-1) ?? { messages: [] };
  const changed = messages.findIndex(({ content }) => label.test(String(content)));
  assert.equal(messages[changed]?.role, "system");
  assert.equal(messages[changed - 1]?.role, "tool", "at once, after the call that changed it");
  assert.equal(messages.at(-1)?.content, "Second.");
  await finish(agent.send("s", "Third."));
  const next = stage.server.requests.at(-1)?.messages ?? [];
  assert.deepEqual(next.slice(0, messages.length), messages, "the prefix is stable");
});

test("elsewhere it is a message of its own, labelled as what it is [config.label]", async (t) => {
  const stage = await openStage(t, { script: script(), surfaces: ["knowledge", "notepad"] });
  await stage.say("First.");
  await stage.say("Second.");
  const { messages } = stage.server.requests.at(-1) ?? { messages: [] };
  const changed = messages.find(({ content }) => label.test(String(content)));
  assert.equal(changed?.role, "user");
  assert.match(String(changed?.content), /\[End of system prompt and skills\]$/);
  assert.equal(messages.filter(({ role }) => role === "system").length, 1);
  assert.equal(messages.at(-1)?.content, "Second.");
});

test("only providers that are known to read system messages anywhere get them [config.label]", () => {
  for (const name of ["openai.chat", "openai.responses", "openai/gpt-5", "azure.chat"])
    assert.ok(allowsSystemAnywhere(name), name);
  for (const name of [
    "anthropic.messages",
    "google.generative-ai",
    "openai-compatible",
    "scripted.chat",
    "mistral",
  ])
    assert.ok(!allowsSystemAnywhere(name), name);
});
