import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { generateText, isStepCount, type ModelMessage, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { append, call, modelAt, ofType } from "../../../test/support/agent.ts";
import { openTestSession } from "../../../test/support/memory.ts";
import { type AgentEvent, holdfast, holdfastTools } from "./index.ts";
import {
  assertUntouched,
  mockAnswer,
  openSdkStage,
  ownTools,
  saidIn,
  sheetText,
  user,
} from "./test-support/ai-sdk.ts";

for (const mode of ["generate", "stream"]) {
  test(`a task collapses to one line, and the question before it stays (${mode}) [aisdk.tasks]`, async (t) => {
    const answers = [
      { text: "On it.", toolCalls: [call("begin_task", { description: "Read sheet 1" })] },
      { toolCalls: [call("read_sheet", { sheet: 1 })] },
      { toolCalls: [call("end_task", { summary: "SH-1001 is clean" })] },
      { text: "Sheet 1 is clean." },
    ];
    const { session, server, settings, events } = await openSdkStage(
      t,
      (_, number) => answers[number] ?? { text: "Bye." },
    );
    const messages = [user("Is sheet 1 clean?")];
    const options = { ...settings(), instructions: "x", messages, stopWhen: isStepCount(9) };
    if (mode === "generate") messages.push(...(await generateText(options)).responseMessages);
    else messages.push(...(await streamText(options).responseMessages));
    assert.deepEqual(ofType(events, "error"), []);
    const last = server.requests.at(-1);
    const said = last ? saidIn(last) : [];
    assert.equal(said[0], "Is sheet 1 clean?");
    assert.ok(
      said.some((text) => text.startsWith("[Task: Read sheet 1 — SH-1001 is clean]")),
      said.join("\n"),
    );
    assert.ok(!said.join("\n").includes(sheetText(1).slice(0, 60)), "the steps are hidden");
    assert.equal(messages.length, 8);
    assertUntouched(messages);
    assert.equal((await session.messages()).length, 8);
  });
}

test("a task begins with the message that opens it, even if that message has just been streamed [aisdk.tasks]", async (t) => {
  const { session } = await openSdkStage(t, () => ({ text: "" }));
  const usage = mockAnswer("").usage;
  const toolCall = {
    type: "tool-call" as const,
    toolCallId: "t1",
    toolName: "begin_task",
    input: `{"description":"Sheet 1"}`,
  };
  const finish = {
    type: "finish" as const,
    finishReason: { unified: "tool-calls" as const, raw: undefined },
    usage,
  };
  const pieces: (typeof toolCall | typeof finish)[] = [toolCall, finish];
  const stream = new ReadableStream<(typeof pieces)[number]>({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece) return controller.enqueue(piece);
      // Waiting for the end of the stream would be too late.
      while ((await session.records("task")).length === 0) await nextTick();
      controller.close();
    },
  });
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) });
  await streamText({ ...holdfast({ session, model, contextWindow: 9_000 }), prompt: "Go" }).consumeStream();
  const [task] = await session.records("task");
  assert.ok(task);
  assert.equal((task.value as { from: number }).from, 2, "the question before it stays out of the task");
});

test("programs get a tool's output and the model its text; a rejected call is an error with the next step [aisdk.tools]", async (t) => {
  const { session, server, settings } = await openSdkStage(t, (_, number) => {
    const bad = { operation: "delete", content: "nowhere" };
    return number === 0
      ? {
          toolCalls: [append("- kept"), call("update_notepad", bad), call("session_scratchpad", { plan: 1 })],
        }
      : { text: "Done." };
  });
  const memory = settings({ surfaces: ["notepad", "scratchpad"] });
  assert.deepEqual(Object.keys(memory.tools), [
    "read_sheet",
    "read_notepad",
    "write_notepad",
    "update_notepad",
    "session_scratchpad",
  ]);
  const { steps } = await generateText({
    ...memory,
    instructions: "x",
    prompt: "Go",
    stopWhen: isStepCount(3),
    toolCallConcurrency: 1,
  });
  assert.deepEqual(
    steps[0]?.toolResults.map(({ output }) => output),
    [{ ok: true }],
  );
  const [, ok, notFound, wrong] = saidIn(server.requests[1] ?? { model: "", messages: [] }).slice(1);
  assert.equal(ok, `{"ok":true}`);
  assert.match(
    notFound ?? "",
    /^"nowhere" was not found in the notepad; nothing was changed/,
    "the message alone",
  );
  assert.match(wrong ?? "", /^session\.scratchpad: unknown field "plan"/);
  const [entry] = await session
    .history({ limit: 40 })
    .then((entries) => entries.filter(({ operation }) => operation.type === "notepad.append"));
  assert.equal(entry?.actor.kind, "agent");
});

test("rejects taken tool names and surfaces that need the controller at start [aisdk.tools]", async () => {
  const session = await openTestSession();
  const model = modelAt("http://127.0.0.1:9/v1");
  const read_notepad = ownTools.read_sheet;
  assert.throws(
    () => holdfast({ session, model, contextWindow: 9_000, tools: { read_notepad } }),
    /both have read_notepad/,
  );
  assert.throws(
    () => holdfastTools(session, { surfaces: ["sessions"] }),
    /createAgent from "holdfast\/agent"/,
  );
  assert.throws(
    () => holdfastTools(session, { surfaces: ["notpad" as "notes"] }),
    /no surface called "notpad"/,
  );
  assert.throws(
    () => holdfast({ session, model, contextWindow: 0 }),
    /"contextWindow" of holdfast must be a number of tokens above 0/,
  );
  assert.throws(
    () => holdfast({ session, model: "openai/gpt-x" as never, contextWindow: 9_000 }),
    /such as gateway\("openai\/gpt-x"\) from "ai" \(got string\)/,
  );
});

test("replaces long old results with stubs that can be recalled [aisdk.clearing]", async (t) => {
  const { server, settings, events } = await openSdkStage(t, (_, number) =>
    number < 30 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." },
  );
  const memory = settings({
    contextWindow: 60_000,
    clearing: { largeTokens: 100, keepLast: 2 },
  });
  const { responseMessages } = await generateText({
    ...memory,
    instructions: "x",
    prompt: "Go",
    stopWhen: isStepCount(40),
  });
  assert.ok(ofType(events, "clearing").length > 0);
  assert.match(server.bodies.at(-1) ?? "", /\[Result cleared: read_sheet .*Call recall_result/);
  assertUntouched(responseMessages);
  const cleared = /recall_result with id \\"(\w+)\\"/.exec(server.bodies.at(-1) ?? "")?.[1];
  const recalled = await memory.tools.recall_result?.execute?.(
    { id: cleared },
    { toolCallId: "r", messages: [], context: {} },
  );
  assert.match((recalled as { content: string }).content, /^Sheet \d+ has the id/);
});

test("images reach the model; neither images nor NUL reach the store [aisdk.untouched]", async (t) => {
  const { session } = await openSdkStage(t, () => ({ text: "" }));
  const events: AgentEvent[] = [];
  const model = new MockLanguageModelV4({ doGenerate: mockAnswer("A picture.") });
  const picture = new Uint8Array(400_000).fill(7);
  const content = [
    { type: "text" as const, text: "What is\u0000 this?" },
    { type: "file" as const, data: picture, mediaType: "image/png" },
  ];
  const memory = holdfast({
    session,
    model,
    contextWindow: 9_000,
    onEvent: (event) => void events.push(event),
  });
  const messages: ModelMessage[] = [{ role: "user", content }];
  messages.push(...(await generateText({ ...memory, messages })).responseMessages, user("And now?"));
  await session.notepad.write("by a person", { actor: { kind: "person" } });
  await generateText({ ...memory, messages });
  for (const event of events)
    assert.ok(
      event.type === "usage" && event.usage.total < 9_000,
      "a picture is not counted as if it were text",
    );
  assert.equal(events.length, 2);
  for (const { prompt } of model.doGenerateCalls) {
    const content = prompt.flatMap((message) => (message.role === "user" ? message.content : []));
    const text = content.find((part) => part.type === "text");
    const file = content.find((part) => part.type === "file");
    assert.equal(text?.text, "What is\u0000 this?");
    assert.deepEqual(file?.data, { type: "data", data: picture });
  }
  const stored = (await session.messages()) as { message: { content: { text?: string; data?: string }[] } }[];
  assert.equal(stored.length, 4);
  assert.equal(stored[0]?.message.content[0]?.text, "What is\ufffd this?");
  assert.equal(stored[0]?.message.content[1]?.data, "[400000 bytes, not kept]");
});
