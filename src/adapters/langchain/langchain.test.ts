import assert from "node:assert/strict";
import { test } from "node:test";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod";
import {
  append,
  call,
  isSummaryRequest,
  ofType,
  plainSummary,
  type Script,
} from "../../../test/support/agent.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { assertValidPrompt } from "../../../test/support/prompt.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { isOwnTurn, readSheets, sheetText } from "../test-support/sheets.ts";
import { type HoldfastMiddlewareOptions, holdfastMiddleware } from "./index.ts";
import { ScriptedChatModel } from "./test-support/scripted-chat-model.ts";

let _reads = 0;
const readSheet = tool(
  async ({ sheet }) => {
    _reads++;
    return sheetText(sheet);
  },
  { name: "read_sheet", description: "Reads a sheet", schema: z.object({ sheet: z.number() }) },
);

async function openAgent(script: Script, options: Partial<HoldfastMiddlewareOptions> = {}) {
  const memory = await openTestMemory({ surfaces: ["notepad", "notes", "results", "pins"] });
  const model = new ScriptedChatModel(script);
  const events: AgentEvent[] = [];
  const checkpointer = new MemorySaver();
  const onEvent = (event: AgentEvent) => events.push(event);
  // Each agent is a new one on the same store and checkpoints, as after a restart.
  const agent = () =>
    createAgent({
      model,
      tools: [readSheet],
      checkpointer,
      systemPrompt: "You audit workbooks.",
      middleware: [holdfastMiddleware({ memory, contextWindow: 6_000, onEvent, ...options })],
    });
  const invoke = (text: string, thread = "audit") =>
    agent().invoke(
      { messages: [new HumanMessage(text)] },
      { configurable: { thread_id: thread }, recursionLimit: 200 },
    );
  return { memory, model, events, invoke };
}

test("a createAgent agent goes through several compactions, and the graph's messages stay whole [langchain.compaction]", async () => {
  const { memory, model, events, invoke } = await openAgent(readSheets(20));
  const { messages } = await invoke("Audit every sheet of report.xlsx.");
  const compactions = ofType(events, "compaction");
  assert.ok(compactions.length >= 2, `${compactions.length} compactions`);
  assert.deepEqual(ofType(events, "error"), []);
  assert.ok(compactions.every(({ summaryBy }) => summaryBy === "model"));
  assert.equal(
    ofType(events, "warning").filter(({ skipped }) => skipped === undefined).length,
    compactions.length,
  );
  // The checkpointed state has every message and none of memory's.
  assert.equal(messages.length, 1 + 20 * 2 + 1);
  assert.equal(messages.at(-1)?.text, "All sheets are read.");
  assert.doesNotMatch(JSON.stringify(messages), /Session Notepad|Summary of the conversation/);
  for (const request of model.requests) assertValidPrompt(request);
  const own = model.requests.filter(isOwnTurn);
  const last = JSON.stringify(own.at(-1));
  assert.ok(last.length < JSON.stringify(messages).length / 2, "the prompt did not shrink");
  assert.match(last, /You audit workbooks[\s\S]*## Session Notepad[\s\S]*read up to sheet \d+/);
  assert.match(last, /Audit every sheet of report\.xlsx/);

  // After a restart the same thread continues from the summary.
  const before = compactions.length;
  const again = await invoke("Which sheets did you read?");
  assert.equal(again.messages.length, messages.length + 2);
  assert.ok(ofType(events, "compaction").length <= before + 1, "nothing is summarised twice");
  const session = await memory.openSession("audit");
  assert.equal((await session.receipts()).length, ofType(events, "compaction").length);
  await memory.close();
});

test("memory's tools run in the agent, once per call, and errors reach the model [langchain.tools]", async () => {
  const answers = [
    { toolCalls: [append("- July is counted twice")] },
    { toolCalls: [call("update_notepad", { operation: "append" })] },
    { text: "Noted." },
  ];
  const { memory, invoke } = await openAgent((_, number) => answers[number] ?? { text: "Done." }, {
    contextWindow: 60_000,
  });
  const { messages } = await invoke("Why does Q3 not add up?");
  const session = await memory.openSession("audit");
  assert.equal(await session.notepad.read(), "- July is counted twice");
  assert.match(messages.at(-2)?.text ?? "", /content/, "the error says what is missing");
  assert.equal((messages.at(-2) as { status?: string }).status, "error");
  await invoke("Another thread", "other");
  assert.equal(await (await memory.openSession("other")).notepad.read(), "", "a thread has its own session");
  await memory.close();
});

test("a rejected prompt is compacted and sent again; another error reaches the caller [langchain.overflow]", async () => {
  const refusals = ["prompt is too long", "overloaded"];
  const { memory, model, events, invoke } = await openAgent(
    (request) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      const [question = ""] = /(?:Now|Later)\?$/.exec(String(request.messages.at(-1)?.content)) ?? [];
      const error = question === "" ? undefined : refusals.shift();
      return error === undefined ? { text: sheetText(1) } : { status: 400, error };
    },
    { contextWindow: 60_000, keep: 0.01 },
  );
  for (const question of ["One?", "Two?", "Three?"]) await invoke(question);
  const { messages } = await invoke("Now?");
  assert.equal(messages.at(-1)?.text, sheetText(1));
  assert.equal(ofType(events, "compaction")[0]?.trigger, "overflow");
  assert.ok(model.requests.at(-1)?.messages.some(({ content }) => String(content).includes("Now?")));
  await assert.rejects(invoke("Later?"), /overloaded/);
  await memory.close();
});

test("a memory failure never stops the agent and is never silent [langchain.failure]", async (t) => {
  const { memory, events, invoke } = await openAgent(() => ({ text: "Still here." }));
  t.mock.method(memory, "openSession", async () => Promise.reject(new Error("the disk is gone")));
  const { messages } = await invoke("Hello");
  assert.equal(messages.at(-1)?.text, "Still here.");
  assert.match(ofType(events, "error").at(-1)?.message ?? "", /continues without it: the disk is gone/);
  t.mock.restoreAll();
  const session = await memory.openSession("audit");
  t.mock.method(Object.getPrototypeOf(session), "state", async () =>
    Promise.reject(new Error("it is locked")),
  );
  await invoke("And now?");
  assert.match(ofType(events, "error").at(-1)?.message ?? "", /continues without it: it is locked/);
  t.mock.restoreAll();
  await memory.close();
});

test("a tool of memory that fails answers so, and the run goes on [langchain.failure]", async (t) => {
  const { memory, events, invoke } = await openAgent(({ messages }) =>
    messages.at(-1)?.role === "tool" ? { text: "Still here." } : { toolCalls: [append("- July")] },
  );
  const session = await memory.openSession("audit");
  const fail = async () => Promise.reject(new Error("the disk is gone"));
  t.mock.method(Object.getPrototypeOf(session), "state", fail);
  const failed = (await invoke("Hello")).messages;
  assert.equal(failed.at(-1)?.text, "Still here.");
  assert.match(failed.at(-2)?.text ?? "", /not available now, and nothing was written/);
  assert.equal((failed.at(-2) as { status?: string }).status, "error");
  t.mock.restoreAll();
  const write = t.mock.method(session, "change", fail);
  const unwritten = (await invoke("Again")).messages;
  assert.match(unwritten.at(-2)?.text ?? "", /update_notepad failed: the disk is gone/);
  assert.ok(ofType(events, "error").some(({ message }) => message.includes("update_notepad failed")));
  write.mock.restore();
  await memory.close();
  assert.equal((await invoke("Closed?")).messages.at(-1)?.text, "Still here.");
});

test("a run without a thread, and a middleware without a memory, name the missing option [langchain.failure]", async () => {
  assert.throws(() => holdfastMiddleware({ contextWindow: 6_000 }), /needs a "session" or a "memory"/);
  const memory = await openTestMemory();
  const model = new ScriptedChatModel(() => ({ text: "Hello." }));
  const agent = createAgent({ model, middleware: [holdfastMiddleware({ memory, contextWindow: 6_000 })] });
  await assert.rejects(agent.invoke({ messages: [new HumanMessage("Hi")] }), /thread_id/);
  await memory.close();
});
