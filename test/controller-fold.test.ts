import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAgent } from "../src/controller/agent.ts";
import { openMemory } from "../src/index.ts";
import { startScriptedServer } from "../src/testing/scripted-server.ts";

test("after five idle minutes the changes are folded into a fresh snapshot, before that never [controller.fold]", async () => {
  const server = await startScriptedServer(() => ({ text: "ok" }));
  let now = 1_000_000;
  const memory = await openMemory({ store: "memory:", clock: () => now });
  const model = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true })(
    "scripted",
  );
  const agent = createAgent({ memory, model, contextWindow: 50_000 });
  const systemOf = (index: number) => String(server.requests.at(index)?.messages[0]?.content);
  const restOf = (index: number) => JSON.stringify(server.requests.at(index)?.messages.slice(1));

  await agent.send("s", "one").result;
  const session = await memory.resumeSession("s");
  await session.notepad.write("Gap traced to EMEA", { actor: { kind: "person" } });
  now += 4 * 60_000;
  await agent.send("s", "two").result;
  assert.equal(systemOf(1), systemOf(0), "within the epoch the system prompt keeps its bytes");
  assert.match(restOf(1), /Gap traced to EMEA/);

  now += 6 * 60_000;
  await agent.send("s", "three").result;
  assert.match(systemOf(2), /## Session Notepad\nGap traced to EMEA$/);
  assert.doesNotMatch(restOf(2), /Notepad changes/);
  await memory.close();
  await server.close();
});
