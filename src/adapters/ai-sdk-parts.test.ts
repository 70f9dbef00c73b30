import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { generateText, isStepCount, type ModelMessage, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { append, call, isSummaryRequest, modelAt, ofType, plainSummary, type Script } from "../../test/support/agent.ts";
import { assertUntouched, isWarningTurn, mockAnswer, openSdkStage, ownTools, saidIn, sheetText, user } from "../../test/support/ai-sdk.ts";
import { openTestSession } from "../../test/support/memory.ts";
import { assertPrefixes } from "../../test/support/prompt.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { type AgentEvent, holdfast, holdfastMiddleware, holdfastPrepareStep, holdfastTools } from "./ai-sdk.ts";

test("middleware, tools and prepareStep work one by one as they do together [aisdk.parts]", async (t) => {
  const { session, server, calls, events } = await openSdkStage(t, (request, number) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarningTurn(request)) return { text: "Nothing to add." };
    return number < 20 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  const onEvent = (event: AgentEvent) => void events.push(event);
  const model = wrapLanguageModel({ model: modelAt(server.url), middleware: holdfastMiddleware(session, { onEvent }) });
  const { text, responseMessages } = await generateText({
    model,
    tools: { ...ownTools, ...holdfastTools(session) },
    prepareStep: holdfastPrepareStep({ session, contextWindow: 6_000, onEvent }),
    instructions: "You audit workbooks.",
    prompt: "Audit all sheets.",
    stopWhen: isStepCount(40),
  });
  assert.equal(text, "Done.");
  assert.deepEqual(ofType(events, "error"), []);
  assert.ok(ofType(events, "receipt").length >= 2);
  assert.ok(assertPrefixes(calls()) > 5);
  assertUntouched(responseMessages);
  for (const request of server.requests.filter(isSummaryRequest)) {
    assert.ok(!JSON.stringify(request).includes("## Session Notepad"), "a summary is not taken for a turn");
  }
  const stored = (await session.messages()) as { message: ModelMessage; aside?: boolean }[];
  const said = stored.filter(({ aside }) => !aside).map(({ message }) => message.role);
  assert.deepEqual(said, ["user", ...responseMessages.map(({ role }) => role)], "each message is stored once, the last one too");
});

test("another process that is handed the whole history goes on from the summary [aisdk.restart]", async (t) => {
  const store = join(temporaryDirectory(), "memory.db");
  const script: Script = (request, number) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarningTurn(request)) return { text: "Nothing to add." };
    return number < 10 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  };
  const { session, settings } = await openSdkStage(t, script, { store });
  const messages = [user("Audit all sheets.")];
  const run = { instructions: "x", messages, stopWhen: isStepCount(40) };
  messages.push(...(await generateText({ ...settings({ contextWindow: 6_000 }), ...run })).responseMessages);
  const [receipt] = (await session.receipts()).slice(-1);
  const before = (await session.messages()).length;

  const later = await openSdkStage(t, () => ({ text: "Still there." }), { store });
  await generateText({ ...later.settings({ contextWindow: 6_000 }), ...run, messages: [...messages, user("Are you done?")] });
  const [request] = later.calls();
  const said = request ? saidIn(request) : [];
  assert.match(said[0] ?? "", /^\[Summary of the conversation so far\]/);
  assert.ok(receipt && said.length < messages.length - 4, `${said.length} of ${messages.length} messages were sent`);
  assert.equal(said.at(-1)?.endsWith("Are you done?"), true);
  assert.equal((await later.session.messages()).length, before + 2, "only the new question and its answer were stored");
});

test("a prepareStep without its middleware says so [aisdk.parts]", async (t) => {
  const { session, server, events } = await openSdkStage(t, (_, number) =>
    number === 0 ? { toolCalls: [call("read_sheet", { sheet: 1 })] } : { text: "Done." },
  );
  const prepareStep = holdfastPrepareStep({ session, contextWindow: 6_000, onEvent: (event) => void events.push(event) });
  const { text } = await generateText({ model: modelAt(server.url), tools: ownTools, prepareStep, instructions: "x", prompt: "Go", stopWhen: isStepCount(3) });
  assert.equal(text, "Done.");
  assert.match(ofType(events, "error")[0]?.message ?? "", /not wrapped with holdfastMiddleware.*holdfast\(\)/);
});

test("a memory that fails never stops the agent, and says so [aisdk.failure]", async (t) => {
  const { session, server, events, settings } = await openSdkStage(t, () => ({ text: "Done." }));
  const broken = new Error("the disk is gone");
  t.mock.method(session, "apply", () => Promise.reject(broken));
  t.mock.method(session, "change", () => Promise.reject(broken));
  const { text } = await generateText({ ...settings(), instructions: "x", prompt: "Go" });
  assert.equal(text, "Done.");
  assert.deepEqual(server.requests.map(saidIn), [["Go"]], "the prompt goes out as the caller gave it");
  assert.ok(ofType(events, "error").every(({ message }) => /Memory failed, .*the disk is gone/.test(message)));
  assert.ok(ofType(events, "error").length >= 2);

  const warned = t.mock.method(console, "warn", () => undefined);
  await generateText({ ...holdfast({ session, model: modelAt(server.url), contextWindow: 9_000 }), instructions: "x", prompt: "Go" });
  assert.match(String(warned.mock.calls[0]?.arguments[0]), /^holdfast: Memory failed/);
});

for (const mode of ["generate", "stream"]) {
  test(`a task collapses to one line, and the question before it stays (${mode}) [aisdk.tasks]`, async (t) => {
    const answers = [
      { text: "On it.", toolCalls: [call("begin_task", { description: "Read sheet 1" })] },
      { toolCalls: [call("read_sheet", { sheet: 1 })] },
      { toolCalls: [call("end_task", { summary: "SH-1001 is clean" })] },
      { text: "Sheet 1 is clean." },
    ];
    const { session, server, settings, events } = await openSdkStage(t, (_, number) => answers[number] ?? { text: "Bye." });
    const messages = [user("Is sheet 1 clean?")];
    const options = { ...settings(), instructions: "x", messages, stopWhen: isStepCount(9) };
    if (mode === "generate") messages.push(...(await generateText(options)).responseMessages);
    else messages.push(...(await streamText(options).responseMessages));
    assert.deepEqual(ofType(events, "error"), []);
    const last = server.requests.at(-1);
    const said = last ? saidIn(last) : [];
    assert.equal(said[0], "Is sheet 1 clean?");
    assert.ok(said.some((text) => text.startsWith("[Task: Read sheet 1 — SH-1001 is clean]")), said.join("\n"));
    assert.ok(!said.join("\n").includes(sheetText(1).slice(0, 60)), "the steps are hidden");
    assert.equal(messages.length, 8);
    assertUntouched(messages);
    assert.equal((await session.messages()).length, 8);
  });
}

test("tools give programs their output and the model their text; a refusal is an error with the next step [aisdk.tools]", async (t) => {
  const { session, server, settings } = await openSdkStage(t, (_, number) => {
    const bad = { operation: "delete", content: "nowhere" };
    return number === 0 ? { toolCalls: [append("- kept"), call("update_notepad", bad), call("session_scratchpad", { plan: 1 })] } : { text: "Done." };
  });
  const memory = settings({ surfaces: ["notepad", "scratchpad"] });
  assert.deepEqual(Object.keys(memory.tools), ["read_sheet", "read_notepad", "write_notepad", "update_notepad", "session_scratchpad"]);
  const { steps } = await generateText({ ...memory, instructions: "x", prompt: "Go", stopWhen: isStepCount(3), toolCallConcurrency: 1 });
  assert.deepEqual(steps[0]?.toolResults.map(({ output }) => output), [{ ok: true }]);
  const [, ok, notFound, wrong] = saidIn(server.requests[1] ?? { model: "", messages: [] }).slice(1);
  assert.equal(ok, `{"ok":true}`);
  assert.match(notFound ?? "", /"nowhere" was not found in the notepad; nothing was changed/);
  assert.match(wrong ?? "", /unknown field "plan"/);
  const [entry] = await session.history({ limit: 40 }).then((entries) => entries.filter(({ operation }) => operation.type === "notepad.append"));
  assert.equal(entry?.actor.kind, "agent");
});

test("names that are taken and surfaces that need the controller are refused at start [aisdk.tools]", async () => {
  const session = await openTestSession();
  const model = modelAt("http://127.0.0.1:9/v1");
  const read_notepad = ownTools.read_sheet;
  assert.throws(() => holdfast({ session, model, contextWindow: 9_000, tools: { read_notepad } }), /both have read_notepad/);
  assert.throws(() => holdfastTools(session, { surfaces: ["sessions"] }), /createAgent from "holdfast\/agent"/);
  assert.throws(() => holdfastTools(session, { surfaces: ["notpad" as "notes"] }), /no surface called "notpad"/);
  assert.throws(() => holdfast({ session, model, contextWindow: 0 }), /contextWindow must be a positive number/);
});

test("long old results give way to stubs that can be recalled [aisdk.clearing]", async (t) => {
  const { server, settings, events } = await openSdkStage(t, (_, number) =>
    number < 30 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." },
  );
  const memory = settings({ contextWindow: 60_000, clearing: { otherTokens: 100, fileTokens: 100, searchTokens: 100, keepLast: 2 } });
  const { responseMessages } = await generateText({ ...memory, instructions: "x", prompt: "Go", stopWhen: isStepCount(40) });
  assert.ok(ofType(events, "clearing").length > 0);
  assert.match(server.bodies.at(-1) ?? "", /\[Result cleared: read_sheet .*Call recall_result/);
  assertUntouched(responseMessages);
  const cleared = /recall_result with id \\"(\w+)\\"/.exec(server.bodies.at(-1) ?? "")?.[1];
  const recalled = await memory.tools.recall_result?.execute?.({ id: cleared }, { toolCallId: "r", messages: [], context: {} });
  assert.match((recalled as { content: string }).content, /^Sheet \d+ has the id/);
});

test("pictures reach the model, and neither they nor NUL burden the store [aisdk.untouched]", async (t) => {
  const { session } = await openSdkStage(t, () => ({ text: "" }));
  const events: AgentEvent[] = [];
  const model = new MockLanguageModelV4({ doGenerate: mockAnswer("A picture.") });
  const picture = new Uint8Array(400_000).fill(7);
  const content = [
    { type: "text" as const, text: "What is\u0000 this?" },
    { type: "file" as const, data: picture, mediaType: "image/png" },
  ];
  const memory = holdfast({ session, model, contextWindow: 9_000, onEvent: (event) => void events.push(event) });
  const messages: ModelMessage[] = [{ role: "user", content }];
  messages.push(...(await generateText({ ...memory, messages })).responseMessages, user("And now?"));
  await session.notepad.write("by a person", { actor: { kind: "person" } });
  await generateText({ ...memory, messages });
  assert.deepEqual(events.map(({ type }) => type), [], "a picture is not counted as if it were text");
  for (const { prompt } of model.doGenerateCalls) {
    const [text, file] = prompt.find(({ role }) => role === "user")?.content as { text?: string; data?: { data: Uint8Array } }[];
    assert.equal(text?.text, "What is\u0000 this?");
    assert.deepEqual(file?.data?.data, picture);
  }
  const stored = (await session.messages()) as { message: { content: { text?: string; data?: string }[] } }[];
  assert.equal(stored.length, 4);
  assert.equal(stored[0]?.message.content[0]?.text, "What is\ufffd this?");
  assert.equal(stored[0]?.message.content[1]?.data, "[400000 bytes, not kept]");
});
