import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Runner, setTracingDisabled, tool } from "@openai/agents-core";
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
import { type HoldfastAgentsOptions, HoldfastSession, holdfastAgents } from "./index.ts";
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
  // Each run has a new model and history on the same store, as after a restart.
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
    const { model, tools, session: history } = start();
    const agent = new Agent({ name: "Auditor", instructions: "You audit workbooks.", model, tools });
    const runner = new Runner();
    if (!stream) return (await runner.run(agent, text, { session: history, maxTurns: 60 })).finalOutput;
    const result = await runner.run(agent, text, { session: history, maxTurns: 60, stream: true });
    for await (const _event of result);
    await result.completed;
    return result.finalOutput;
  };
  return { memory, session, scripted, events, run };
}

for (const stream of [false, true]) {
  test(`a run goes through several compactions, and the history stays whole (${stream ? "streamed" : "at once"}) [openai.agents-compaction]`, async () => {
    const { memory, session, scripted, events, run } = await openStage(readSheets(16));
    assert.equal(await run("Audit every sheet of report.xlsx.", stream), "All sheets are read.");
    const compactions = ofType(events, "compaction");
    assert.ok(compactions.length >= 2, `${compactions.length} compactions`);
    assert.deepEqual(ofType(events, "error"), []);
    const warned = ofType(events, "warning").filter(({ skipped }) => skipped === undefined);
    assert.equal(warned.length, compactions.length);
    for (const request of scripted.requests) assertValidPrompt(request);

    // The history has every item, the reasoning with its id too, and none of memory's.
    const items = await new HoldfastSession(session).getItems();
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
    assert.equal((await new HoldfastSession(session).getItems()).length, items.length + 3);
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

test("the history is a Session of the SDK: items in order, the last one popped, all cleared [openai.agents-session]", async () => {
  const memory = await openTestMemory();
  const session = await memory.openSession("audit");
  const history = new HoldfastSession(session);
  const item = (content: string) => ({ role: "user" as const, content });
  await Promise.all([history.getItems(), history.addItems([item("one"), item("two")])]);
  const another = new HoldfastSession(session);
  await another.addItems([item("three")]);
  assert.deepEqual(await history.getItems(), [item("one"), item("two"), item("three")]);
  assert.deepEqual(await history.getItems(2), [item("two"), item("three")]);
  assert.deepEqual(await history.getItems(0), []);
  assert.deepEqual(await history.popItem(), item("three"));
  assert.deepEqual(await another.getItems(), [item("one"), item("two")]);
  await session.notepad.write("- kept");
  await history.clearSession();
  assert.deepEqual(await another.getItems(), []);
  assert.equal(await another.popItem(), undefined);
  assert.equal(await history.getSessionId(), "audit");
  assert.equal(await session.notepad.read(), "- kept");
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
  const stored = await new HoldfastSession(session).getItems();
  const fail = async () => Promise.reject(new Error("the disk is gone"));
  for (const name of ["state", "apply", "messages"] as const) t.mock.method(session, name, fail);
  assert.equal(await run("And now?"), "Still here.");
  const messages = ofType(events, "error").map(({ message }) => message);
  assert.match(
    messages.join("\n"),
    /continues without it: the disk is gone \(\d+ items of the history not stored/,
  );
  const last = scripted.requests.at(-1)?.messages ?? [];
  assert.match(String(last.at(-1)?.content), /not available now, and nothing was written/);
  assert.match(JSON.stringify(last), /Hello[\s\S]*And now\?/, "the history that is known goes on");
  const history = new HoldfastSession(session, { onEvent: () => undefined });
  await assert.rejects(history.popItem(), /the disk is gone/);
  await assert.rejects(history.clearSession(), /the disk is gone/);

  // What the run was told is kept is stored as soon as the store works, in order and once.
  t.mock.restoreAll();
  const items = await history.getItems();
  assert.deepEqual(items.slice(0, stored.length), stored);
  assert.equal(items.length, stored.length * 2);
  assert.match(JSON.stringify(items), /Hello[\s\S]*And now\?/);
  const log = await session.messages();
  assert.equal(log.filter((value) => JSON.stringify(value).includes("And now?")).length, 1);
  await memory.close();
  assert.equal(await run("Closed?"), "Still here.");
  const named = { session, model: "gpt-5", contextWindow: 6_000 } as unknown as HoldfastAgentsOptions;
  assert.throws(() => holdfastAgents(named), /getModel\("gpt-5"\)/);
});

test("a write of the history that was stored but not answered is stored once [openai.agents-failure]", async (t) => {
  const memory = await openTestMemory();
  const session = await memory.openSession("audit");
  const apply = session.apply.bind(session);
  t.mock.method(session, "apply", async (...given: Parameters<typeof apply>) => {
    await apply(...given);
    throw new Error("no answer");
  });
  const errors: AgentEvent[] = [];
  const history = new HoldfastSession(session, { onEvent: (event) => errors.push(event) });
  await history.addItems([{ role: "user", content: "one" }]);
  t.mock.restoreAll();
  await history.addItems([{ role: "user", content: "two" }]);
  const items = [
    { role: "user", content: "one" },
    { role: "user", content: "two" },
  ];
  assert.deepEqual(await history.getItems(), items);
  assert.equal(errors.length, 1);
  const session2 = await memory.openSession("audit");
  assert.equal((await session2.messages()).length, 2);
  await memory.close();
});
