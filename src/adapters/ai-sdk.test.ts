import assert from "node:assert/strict";
import { test } from "node:test";
import { convertToModelMessages, generateText, isStepCount, type ModelMessage, readUIMessageStream, streamText, ToolLoopAgent, type UIMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { append, call, isSummaryRequest, isWarning, ofType, plainSummary, type Script } from "../../test/support/agent.ts";
import { assertUntouched, isWarningTurn, mockAnswer, openSdkStage, saidIn, sheetText, user } from "../../test/support/ai-sdk.ts";
import { assertPrefixes, epochOf } from "../../test/support/prompt.ts";
import { warningText } from "../controller/plan-compaction.ts";
import { holdfast } from "./ai-sdk.ts";

/** Reads one sheet after another, and saves how far it came whenever it is warned. */
function readSheets(sheets: number): Script {
  let sheet = 0;
  return (request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarning(request)) return { toolCalls: [append(`- sheets up to ${sheet} read, SH-${1000 + sheet}`)] };
    if (isWarningTurn(request)) return { text: "Saved." };
    return sheet++ < sheets ? { toolCalls: [call("read_sheet", { sheet })] } : { text: "All sheets are read." };
  };
}

for (const mode of ["generate", "stream"] as const) {
  test(`a ToolLoopAgent is carried through several compactions (${mode}) [aisdk.compaction]`, async (t) => {
    const { session, server, events, settings, calls } = await openSdkStage(t, readSheets(20));
    const memory = settings({ contextWindow: 6_000 });
    const agent = new ToolLoopAgent({ ...memory, instructions: "You audit workbooks.", stopWhen: isStepCount(60) });
    const messages = [user("Audit every sheet of report.xlsx.")];
    const given = structuredClone(messages);
    const result = mode === "generate" ? await agent.generate({ messages }) : await agent.stream({ messages });
    const [text, steps, response] = await Promise.all([result.text, result.steps, result.responseMessages]);

    assert.equal(text, "All sheets are read.");
    assert.equal(steps.length, 21, "no step was spent on memory");
    const order = events.flatMap(({ type }) => (["warning", "checkpoint", "compaction", "receipt"].includes(type) ? [type] : []));
    const compactions = ofType(events, "compaction");
    assert.ok(compactions.length >= 2, `${compactions.length} compactions`);
    const once = ["warning", "checkpoint", "compaction", "receipt"];
    assert.deepEqual(order, compactions.flatMap(() => once));
    assert.deepEqual(ofType(events, "error"), []);
    assert.equal((await session.receipts()).length, compactions.length);

    assert.deepEqual(messages, given);
    assertUntouched(messages, response, steps.map(({ content }) => content));
    assert.equal(response.length, 41);

    const last = calls().at(-1);
    assert.ok(last && JSON.stringify(last).length < JSON.stringify(response).length / 2, "the prompt did not shrink");
    assert.match(saidIn(last)[0] ?? "", /^\[Summary of the conversation so far\]\n.*Audit every sheet of report.xlsx/);
    assert.match(String(last.messages[0]?.content), /^You audit workbooks\.\n\n[\s\S]*## Session Notepad\n- sheets up to \d+ read/);
    assert.ok(assertPrefixes(calls()) > 10);
    assert.equal(new Set(calls().map(epochOf)).size, compactions.length + 1);
    assert.ok(server.requests.filter(isWarning).length === compactions.length);

    const found = await memory.tools.recall?.execute?.({ query: "SH-1001." }, { toolCallId: "x", messages: [], context: {} });
    const [first] = (found as { matches: { message: number }[] }).matches;
    const whole = await memory.tools.recall?.execute?.({ message: first?.message }, { toolCallId: "y", messages: [], context: {} });
    assert.ok((whole as { content: string }).content.includes(sheetText(1)), "what was removed can be read in full");
  });
}

test("streamText call after call: the prefix stays, edits follow where they belong [aisdk.epoch]", async (t) => {
  const answers = [
    { toolCalls: [append("- July is counted twice")] },
    { text: "Noted the July finding." },
    { text: "Second answer." },
    { toolCalls: [call("read_sheet", { sheet: 1 })] },
    { text: "Third answer." },
  ];
  const { session, server, settings } = await openSdkStage(t, (_, number) => answers[number] ?? { text: "Done." });
  await session.notepad.write("# Audit");
  const messages: ModelMessage[] = [];
  const ask = async (text: string) => {
    messages.push(user(text));
    const result = streamText({ ...settings(), instructions: "Be brief.", messages, stopWhen: isStepCount(5) });
    await result.consumeStream();
    messages.push(...(await result.responseMessages));
  };
  await ask("First question?");
  await ask("Second question?");
  await session.notepad.append("- a person wrote this", { actor: { kind: "person" } });
  await ask("Third question?");

  assert.equal(assertPrefixes(server.requests), server.requests.length - 1, "all of it is one epoch");
  const [first, second, third, fourth] = server.requests.map(saidIn);
  assert.ok(String(server.requests[0]?.messages[0]?.content).endsWith("## Session Notepad\n# Audit"));
  assert.deepEqual(first, ["First question?"]);
  assert.equal(second?.length, 3, "the agent's own edit is in its tool call");
  assert.match(third?.at(-1) ?? "", /^\[Notepad[\s\S]*July is counted twice[\s\S]*\]\n\nSecond question\?$/);
  assert.match(fourth?.at(-1) ?? "", /^\[Notepad[\s\S]*a person wrote this[\s\S]*\]\n\nThird question\?$/);
  assertUntouched(messages);
  const stored = (await session.messages()) as { message: ModelMessage }[];
  assertUntouched(stored);
  assert.deepEqual(
    stored.map(({ message }) => message.role),
    messages.map(({ role }) => role),
    "each message is stored once",
  );
});

test("what others write in mid-turn follows at once, and stays where it was put [aisdk.epoch]", async (t) => {
  const stage = await openSdkStage(t, async (_, number) => {
    if (number === 1) await stage.session.notepad.write("Stop at sheet 3", { actor: { kind: "person" } });
    return number < 4 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  await generateText({ ...stage.settings(), instructions: "x", prompt: "Go", stopWhen: isStepCount(9) });
  assert.equal(assertPrefixes(stage.server.requests), 4);
  const bodies = stage.server.bodies.map((body) => body.includes("Stop at sheet 3"));
  assert.deepEqual(bodies, [false, false, true, true, true]);
  assert.match(saidIn(stage.server.requests[2] ?? { model: "", messages: [] }).at(-1) ?? "", /Stop at sheet 3/);
});

test("UI messages hold nothing of memory, and are known again when they come back [aisdk.untouched]", async (t) => {
  const { session, settings } = await openSdkStage(t, (_, number) =>
    number === 0 ? { text: "Let me look.", toolCalls: [append("- seen"), call("read_sheet", { sheet: 1 })] } : { text: `Answer ${number}.` },
  );
  const conversation: UIMessage[] = [];
  for (const text of ["One?", "Two?", "Three?"]) {
    conversation.push({ id: text, role: "user", parts: [{ type: "text", text }] });
    const memory = settings();
    const messages = await convertToModelMessages(conversation, { tools: memory.tools });
    const result = streamText({ ...memory, messages, stopWhen: isStepCount(5) });
    let answer: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream: result.toUIMessageStream() })) answer = message;
    assert.ok(answer);
    conversation.push(answer);
  }
  assertUntouched(conversation);
  assert.equal((await session.messages()).length, 8, "three questions, three answers, one call, one result");
});

test("message placement: hint, then scratchpad, then what the user said; and none of it stays [aisdk.message]", async (t) => {
  const { session, server, events, settings } = await openSdkStage(t, () => ({ text: "Fine." }));
  await session.scratchpad.setPlan("1. Read");
  const options = { placement: "message", surfaces: ["notepad", "scratchpad"], nudges: { nudgeTurnsSinceLastUse: 1 } } as const;
  const memory = settings(options);
  const messages = [user("One?")];
  messages.push(...(await generateText({ ...memory, instructions: "Be brief.", messages })).responseMessages, user("Two?"));
  await generateText({ ...memory, instructions: "Be brief.", messages });

  const [, second] = server.requests;
  const [one, , two] = second ? saidIn(second) : [];
  assert.equal(one, "One?", "blocks are not stored with the message they stood before");
  const blocks = ["[Hint: ", "## Session Notepad\n", "[Session Scratchpad]\nPlan:\n1. Read\n[End Scratchpad]", "Two?"];
  const places = blocks.map((block) => two?.indexOf(block) ?? -1);
  assert.deepEqual(places, places.toSorted((a, b) => a - b), two);
  assert.ok(!places.includes(-1) && two?.endsWith("\n\nTwo?"), two);
  assert.ok(!String(second?.messages[0]?.content).includes("## Session Notepad\n"), "the system prompt has guidance only");
  assert.equal(ofType(events, "nudge").length, 1);
  assertUntouched(messages, await session.messages());
});

test("system placement: the current notepad ends the system prompt [aisdk.system]", async (t) => {
  const { session, server, settings } = await openSdkStage(t, (_, number) =>
    number === 0 ? { toolCalls: [append("- new")] } : { text: "Done." },
  );
  await generateText({ ...settings({ placement: "system" }), instructions: "Be brief.", prompt: "Go", stopWhen: isStepCount(3) });
  const systems = server.requests.map(({ messages }) => String(messages[0]?.content));
  assert.ok(systems[0]?.startsWith("Be brief.\n\n") && systems[0].includes("(empty"));
  assert.ok(systems[1]?.endsWith("## Session Notepad\n- new"));
  assert.equal(await session.notepad.read(), "- new");
});

test("instructions that the caller marked stay a message of their own [aisdk.system]", async (t) => {
  const { session } = await openSdkStage(t, () => ({ text: "" }));
  const model = new MockLanguageModelV4({ doGenerate: mockAnswer("Fine.") });
  const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const instructions = [{ role: "system" as const, content: "Be brief.", providerOptions: cached }];
  await generateText({ ...holdfast({ session, model, contextWindow: 10_000 }), instructions, prompt: "Go" });
  const [marked, memory, asked] = model.doGenerateCalls[0]?.prompt ?? [];
  assert.deepEqual(marked, { role: "system", content: "Be brief.", providerOptions: cached });
  assert.match(String(memory?.content), /## Session Notepad/);
  assert.equal(asked?.role, "user");
});

test("a prompt without its history still comes with every change of the epoch [aisdk.fresh-prompts]", async (t) => {
  const { session, server, settings } = await openSdkStage(t, (_, number) =>
    number === 0 ? { toolCalls: [append("- July twice")] } : { text: "Done." },
  );
  const memory = settings();
  for (const prompt of ["Continue", "Continue", "Something else", "Continue"]) {
    await generateText({ ...memory, instructions: "x", prompt, stopWhen: isStepCount(3) });
  }
  const prompts = server.requests.map(saidIn);
  assert.deepEqual(prompts[0], ["Continue"]);
  for (const said of prompts.slice(2)) {
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /July twice[\s\S]*(Continue|Something else)$/);
  }
  assert.equal((await session.messages()).length, 10, "each turn is stored, the same words too");
});

test("a refused prompt is compacted and sent again [aisdk.overflow]", async (t) => {
  for (const mode of ["generate", "stream"]) {
    const { session, events, server, settings } = await openSdkStage(t, (request, number) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      if (number === 0) return { status: 400, error: "This model's maximum context length is 4096 tokens", code: "context_length_exceeded" };
      return { text: "It fits now." };
    });
    const messages = [1, 2, 3, 4].flatMap((sheet): ModelMessage[] => [user(`Sheet ${sheet}?`), { role: "assistant", content: sheetText(sheet) }]);
    messages.push(user("And now?"));
    const call = { ...settings(), instructions: "x", messages };
    const text = mode === "generate" ? (await generateText(call)).text : await streamText(call).text;
    assert.equal(text, "It fits now.");
    assert.equal(ofType(events, "compaction")[0]?.trigger, "overflow");
    assert.match(ofType(events, "warning")[0]?.skipped ?? "", /too long/);
    const [first = [], last = []] = [server.requests[0], server.requests.at(-1)].map((request) => request && saidIn(request));
    assert.ok(last.join("").length < first.join("").length * 0.7);
    assert.ok(last.includes("And now?"));
    assert.equal((await session.receipts()).length, 1);
  }
});

test("an overflow without an end is the provider's error [aisdk.overflow]", async (t) => {
  const { settings } = await openSdkStage(t, (request) =>
    isSummaryRequest(request) ? { text: plainSummary(request) } : { status: 400, error: "prompt is too long" },
  );
  await assert.rejects(generateText({ ...settings(), instructions: "x", prompt: "Go", maxRetries: 0 }), /prompt is too long/);
});

test("a model that ignores the warning, and one that gives no summary, lose nothing [aisdk.compaction]", async (t) => {
  const { session, events, settings, calls } = await openSdkStage(t, (request, number) => {
    if (isSummaryRequest(request)) return { status: 400, error: "no summaries today" };
    if (isWarningTurn(request)) return { text: "So what?" };
    return number < 14 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  const memory = settings({ contextWindow: 6_000 });
  const { text } = await generateText({ ...memory, instructions: "x", prompt: "Audit ledger.csv", stopWhen: isStepCount(40) });
  assert.equal(text, "Done.");
  assert.ok(ofType(events, "compaction").every(({ summaryBy }) => summaryBy === "deterministic"));
  assert.ok((await session.receipts()).length >= 1);
  assert.ok(calls().every((request) => JSON.stringify(request).includes("Audit ledger.csv")), "the open ask is always there");
  assert.ok(!JSON.stringify(calls()).includes(warningText.slice(0, 40)), "the warning is for its own turn");
});
