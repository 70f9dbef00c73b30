import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, MemorySession, Runner, setTracingDisabled, tool } from "@openai/agents-core";
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
import type { ScriptedRequest } from "../../testing/index.ts";
import { isOwnTurn, readSheets, sheetText } from "../test-support/sheets.ts";
import { type HoldfastAgentsOptions, holdfastAgents } from "./index.ts";
import { ScriptedAgentsModel } from "./test-support/scripted-agents-model.ts";

setTracingDisabled(true);

let _reads = 0;
const readSheet = tool({
  name: "read_sheet",
  description: "Reads a sheet",
  parameters: z.object({ sheet: z.number() }),
  execute: async ({ sheet }) => {
    _reads++;
    return sheetText(sheet);
  },
});

async function openStage(script: Script, options: Partial<HoldfastAgentsOptions> = {}) {
  const memory = await openTestMemory({ surfaces: ["notepad", "notes", "results", "pins"] });
  const scripted = new ScriptedAgentsModel(script);
  const events: AgentEvent[] = [];
  const session = await memory.openSession("audit");
  const history = new MemorySession();
  // Each run has a new model on the same store and history, as after a restart.
  const start = () =>
    holdfastAgents({
      session,
      model: scripted,
      tools: [readSheet],
      contextWindow: 6_000,
      onEvent: (event) => events.push(event),
      ...options,
    });
  const run = async (text: string, stream = false) => {
    const { model, tools } = start();
    const agent = new Agent({ name: "Auditor", instructions: "You audit workbooks.", model, tools });
    const runner = new Runner();
    if (!stream) return (await runner.run(agent, text, { session: history, maxTurns: 60 })).finalOutput;
    const result = await runner.run(agent, text, { session: history, maxTurns: 60, stream: true });
    for await (const _event of result);
    await result.completed;
    return result.finalOutput;
  };
  return { memory, session, scripted, history, events, run };
}

for (const stream of [false, true]) {
  test(`a run goes through several compactions, and the history stays whole (${stream ? "streamed" : "at once"}) [openai.agents-compaction]`, async () => {
    const { memory, session, scripted, history, events, run } = await openStage(readSheets(16));
    assert.equal(await run("Audit every sheet of report.xlsx.", stream), "All sheets are read.");
    const compactions = ofType(events, "compaction");
    assert.ok(compactions.length >= 2, `${compactions.length} compactions`);
    assert.deepEqual(ofType(events, "error"), []);
    const warned = ofType(events, "warning").filter(({ skipped }) => skipped === undefined);
    assert.equal(warned.length, compactions.length);
    for (const request of scripted.requests) assertValidPrompt(request);

    // The history has every item, the reasoning with its id too, and none of memory's.
    const items = await history.getItems();
    assert.equal(items.length, 1 + 16 * 3 + 2);
    assert.equal(items.filter((item) => "type" in item && item.type === "reasoning" && item.id).length, 17);
    assert.doesNotMatch(JSON.stringify(items), /Session Notepad|Summary of the conversation/);
    const own = scripted.received.filter((_, index) =>
      isOwnTurn(scripted.requests[index] as ScriptedRequest),
    );
    const last = own.at(-1);
    assert.ok(
      JSON.stringify(last?.input).length < JSON.stringify(items).length / 2,
      "the prompt did not shrink",
    );
    assert.match(last?.systemInstructions ?? "", /^You audit workbooks[\s\S]*read up to sheet \d+/);
    assert.match(
      JSON.stringify(last?.input),
      /Audit every sheet[\s\S]*"rs_\d+"/,
      "reasoning goes back as it came",
    );

    await run("Which sheets did you read?", stream);
    assert.equal((await history.getItems()).length, items.length + 3);
    assert.equal((await session.receipts()).length, ofType(events, "compaction").length);
    assert.ok(ofType(events, "compaction").length <= compactions.length + 1, "nothing is summarised twice");
    await memory.close();
  });
}

test("memory's tools run, and their errors reach the model [openai.agents-tools]", async () => {
  const answers = [
    { toolCalls: [append("- July is counted twice")] },
    { toolCalls: [call("update_notepad", { operation: "append" })] },
    { text: "Noted." },
  ];
  const { memory, session, scripted, run } = await openStage(
    (_, number) => answers[number] ?? { text: "Done." },
    {
      contextWindow: 60_000,
    },
  );
  assert.equal(await run("Why does Q3 not add up?"), "Noted.");
  assert.equal(await session.notepad.read(), "- July is counted twice");
  const results = scripted.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  assert.match(String(results[1]?.content), /content/, "the error says what is missing");
  await memory.close();
});

test("a rejected prompt is compacted and sent again; another error reaches the caller [openai.agents-overflow]", async () => {
  for (const stream of [false, true]) {
    const refusals = ["prompt is too long", "overloaded"];
    const { memory, scripted, events, run } = await openStage(
      (request) => {
        if (isSummaryRequest(request)) return { text: plainSummary(request) };
        const isLate = /(?:Now|Later)\?$/.test(String(request.messages.at(-1)?.content));
        const error = isLate ? refusals.shift() : undefined;
        return error === undefined ? { text: sheetText(1) } : { status: 400, error };
      },
      { contextWindow: 60_000, keep: 0.01 },
    );
    for (const question of ["One?", "Two?", "Three?"]) await run(question, stream);
    assert.equal(await run("Now?", stream), sheetText(1));
    assert.equal(ofType(events, "compaction")[0]?.trigger, "overflow");
    assert.ok(scripted.requests.at(-1)?.messages.some(({ content }) => String(content).includes("Now?")));
    await assert.rejects(run("Later?", stream), /overloaded/);
    await memory.close();
  }
});

/** Writes to the notepad at the start of each run, then answers. */
const noteThenAnswer: Script = ({ messages }) =>
  messages.at(-1)?.role === "tool" ? { text: "Still here." } : { toolCalls: [append("- July")] };

test("a memory failure never stops a run and is never silent; a model's name is refused [openai.agents-failure]", async (t) => {
  const { memory, session, scripted, events, run } = await openStage(noteThenAnswer);
  assert.equal(await run("Hello"), "Still here.");
  const fail = async () => Promise.reject(new Error("the disk is gone"));
  for (const name of ["state", "apply", "messages"] as const) t.mock.method(session, name, fail);
  assert.equal(await run("And now?"), "Still here.");
  const messages = ofType(events, "error").map(({ message }) => message);
  assert.match(messages.join("\n"), /continues without it: the disk is gone/);
  const last = scripted.requests.at(-1)?.messages ?? [];
  assert.match(String(last.at(-1)?.content), /not available now, and nothing was written/);
  assert.match(JSON.stringify(last), /Hello[\s\S]*And now\?/, "the history goes on");
  t.mock.restoreAll();
  await memory.close();
  assert.equal(await run("Closed?"), "Still here.");
  const named = { session, model: "gpt-5", contextWindow: 6_000 } as unknown as HoldfastAgentsOptions;
  assert.throws(() => holdfastAgents(named), /getModel\("gpt-5"\)/);
});
