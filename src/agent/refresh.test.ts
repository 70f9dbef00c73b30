import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool } from "ai";
import { z } from "zod";
import {
  append,
  call,
  filler,
  isInWarningTurn,
  isSummaryRequest,
  ofType,
  openStage,
  plainSummary,
} from "../../test/support/agent.ts";
import { openMemory } from "../index.ts";
import { startScriptedServer } from "../testing/scripted-server.ts";
import { createAgent } from "./agent.ts";
import { assertNothingLost } from "./test-support/journal.ts";
import { readNotepadIn } from "./test-support/notepad-reader.ts";

test("after five idle minutes, and not before, a new snapshot replaces the changes [controller.refresh]", async () => {
  const server = await startScriptedServer(() => ({ text: "ok" }));
  let now = 1_000_000;
  const memory = await openMemory({ store: "memory:", clock: () => now });
  const model = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true })(
    "scripted",
  );
  const agent = createAgent({ memory, model, contextWindow: 50_000 });
  const systemOf = (index: number) => String(server.requests.at(index)?.messages[0]?.content);
  const restOf = (index: number) => JSON.stringify(server.requests.at(index)?.messages.slice(1));

  const session = await memory.openSession("s");
  await session.notepad.write("A line", { actor: { kind: "person" } });
  await agent.send("s", "one").result;
  await session.notepad.write("Gap traced to EMEA", { actor: { kind: "person" } });
  now += 4 * 60_000;
  await agent.send("s", "two").result;
  assert.equal(systemOf(1), systemOf(0), "within the epoch the system prompt keeps its bytes");
  assert.match(restOf(1), /Gap traced to EMEA/);

  now += 6 * 60_000;
  await agent.send("s", "three").result;
  assert.match(systemOf(2), /## Session Notepad\nGap traced to EMEA$/);
  assert.doesNotMatch(restOf(2), /full and current/);
  await memory.close();
  await server.close();
});

test("a new snapshot in a long job keeps the open request and the agent's edits [controller.refresh]", async (t) => {
  let now = 1_000_000;
  const memory = await openMemory({ store: "memory:", clock: () => now });
  const stage = await openStage(t, {
    memory,
    surfaces: ["notepad", "results"],
    contextWindow: 5_000,
    clearing: false,
    tools: { read: tool({ inputSchema: z.object({}), execute: () => work() }) },
    script: async (request, number) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      if (isInWarningTurn(request)) return { text: "Notepad is up to date." };
      assert.equal(readNotepadIn(request), await (await memory.openSession("s")).notepad.read());
      return number < 24 ? { toolCalls: [append(`- step ${number}`), call("read", {})] } : { text: "Done." };
    },
  });
  let works = 0;
  /** Every third call takes ten minutes, and a person writes to the notepad meanwhile. */
  const work = async () => {
    if (++works % 3 === 0) {
      now += 10 * 60_000;
      await (await memory.openSession("s")).notepad.append(`Ada: ${works}`, { actor: { kind: "person" } });
    }
    return filler(600);
  };
  const { events } = await stage.say("The long job.");
  const journal = await (await memory.openSession("s")).history();
  assert.ok(journal.some(({ operation }) => operation.type === "context.refresh"));
  assert.ok(ofType(events, "handoff").length >= 3);
  for (const { handoff } of ofType(events, "handoff"))
    assert.match(handoff.text, /oldest first:\n- The long job\.\n/);
  await assertNothingLost(await memory.openSession("s"));
});
