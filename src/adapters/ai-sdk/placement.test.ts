import assert from "node:assert/strict";
import { test } from "node:test";
import {
  convertToModelMessages,
  generateText,
  isStepCount,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  type UIMessage,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { append, call, ofType } from "../../../test/support/agent.ts";
import { assertPrefixes } from "../../../test/support/prompt.ts";
import { refreshedText } from "../../compaction/warning.ts";
import { holdfast } from "./index.ts";
import { assertUntouched, mockAnswer, openSdkStage, saidIn, user } from "./test-support/ai-sdk.ts";

test("streamText call after call: the prefix stays, edits are injected after it [aisdk.epoch]", async (t) => {
  const answers = [
    { toolCalls: [append("- July is counted twice")] },
    { text: "Noted the July finding." },
    { text: "Second answer." },
    { toolCalls: [call("read_sheet", { sheet: 1 })] },
    { text: "Third answer." },
  ];
  const { session, server, settings } = await openSdkStage(
    t,
    (_, number) => answers[number] ?? { text: "Done." },
  );
  await session.notepad.write("# Audit");
  const messages: ModelMessage[] = [];
  const ask = async (text: string) => {
    messages.push(user(text));
    const result = streamText({
      ...settings(),
      instructions: "Be brief.",
      messages,
      stopWhen: isStepCount(5),
    });
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
  assert.match(
    second?.at(-1) ?? "",
    /^\{"ok":true\}\n\n\[Notepad, full[^\n]*\n# Audit\n- July is counted twice\n\[End of notepad\]$/,
    "the result of the edit shows the notepad",
  );
  assert.equal(third?.at(-1), "Second question?");
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

test("writes by others in mid-turn are injected at once and stay in place [aisdk.epoch]", async (t) => {
  const stage = await openSdkStage(t, async (_, number) => {
    if (number === 1) await stage.session.notepad.append("Stop at sheet 3", { actor: { kind: "person" } });
    return number < 4 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  await stage.session.notepad.write("# Audit");
  await generateText({ ...stage.settings(), instructions: "x", prompt: "Go", stopWhen: isStepCount(9) });
  assert.equal(assertPrefixes(stage.server.requests), 4);
  const bodies = stage.server.bodies.map((body) => body.includes("Stop at sheet 3"));
  assert.deepEqual(bodies, [false, false, true, true, true]);
  assert.match(
    saidIn(stage.server.requests[2] ?? { model: "", messages: [] }).at(-1) ?? "",
    /Stop at sheet 3/,
  );
});

test("after the cache has expired, the system prompt has the changes [aisdk.epoch]", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 1) });
  const { session, server, settings } = await openSdkStage(t, () => ({ text: "Fine." }), { clock: Date.now });
  await session.notepad.write("# Log");
  const memory = settings();
  const messages: ModelMessage[] = [];
  for (const [minutes, text] of [
    [0, "One?"],
    [1, "Two?"],
    [10, "Three?"],
  ] as const) {
    t.mock.timers.tick(minutes * 60_000);
    messages.push(user(text));
    messages.push(...(await generateText({ ...memory, instructions: "x", messages })).responseMessages);
    await session.notepad.append(`- after ${text}`, { actor: { kind: "person" } });
  }
  const [, two, three] = server.requests;
  assert.ok(two && three);
  assert.match(saidIn(two).at(-1) ?? "", /^\[Notepad, full[\s\S]*- after One\?/);
  assert.deepEqual(saidIn(three), ["One?", "Fine.", "Two?", "Fine.", `${refreshedText}\n\nThree?`]);
  assert.match(
    String(three.messages[0]?.content),
    /## Session Notepad\n# Log\n- after One\?\n- after Two\?$/,
  );
});

test("UI messages contain nothing of memory and are recognized when they come back [aisdk.untouched]", async (t) => {
  const { session, settings } = await openSdkStage(t, (_, number) =>
    number === 0
      ? { text: "Let me look.", toolCalls: [append("- seen"), call("read_sheet", { sheet: 1 })] }
      : { text: `Answer ${number}.` },
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

test("message placement: hint, then scratchpad, then the user's text; hint and block are not stored [aisdk.message]", async (t) => {
  const { session, server, events, settings } = await openSdkStage(t, () => ({ text: "Fine." }));
  await session.scratchpad.setPlan("1. Read");
  const options = {
    placement: "message",
    surfaces: ["notepad", "scratchpad"],
    nudges: { nudgeTurnsSinceLastUse: 1 },
  } as const;
  const memory = settings(options);
  const messages = [user("One?")];
  messages.push(
    ...(await generateText({ ...memory, instructions: "Be brief.", messages })).responseMessages,
    user("Two?"),
  );
  await generateText({ ...memory, instructions: "Be brief.", messages });

  const [, second] = server.requests;
  const [one, , two] = second ? saidIn(second) : [];
  assert.equal(one, "One?", "blocks are not stored with the message they precede");
  const blocks = [
    "[Hint: ",
    "## Session Notepad\n",
    "[Session Scratchpad]\nPlan:\n1. Read\n[End Scratchpad]",
    "Two?",
  ];
  const positions = blocks.map((block) => two?.indexOf(block) ?? -1);
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
    two,
  );
  assert.ok(!positions.includes(-1) && two?.endsWith("\n\nTwo?"), two);
  assert.ok(
    !String(second?.messages[0]?.content).includes("## Session Notepad\n"),
    "the system prompt has guidance only",
  );
  assert.equal(ofType(events, "nudge").length, 1);
  assertUntouched(messages, await session.messages());
});

test("system placement: the current notepad ends the system prompt [aisdk.system]", async (t) => {
  const { session, server, settings } = await openSdkStage(t, (_, number) =>
    number === 0 ? { toolCalls: [append("- new")] } : { text: "Done." },
  );
  await generateText({
    ...settings({ placement: "system" }),
    instructions: "Be brief.",
    prompt: "Go",
    stopWhen: isStepCount(3),
  });
  const systems = server.requests.map(({ messages }) => String(messages[0]?.content));
  assert.ok(systems[0]?.startsWith("Be brief.\n\n") && systems[0].includes("(empty"));
  assert.ok(systems[1]?.endsWith("## Session Notepad\n- new"));
  assert.equal(await session.notepad.read(), "- new");
});

test("instructions that the caller marked stay a separate message [aisdk.system]", async (t) => {
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

test("a prompt without its history still contains every change of the epoch [aisdk.fresh-prompts]", async (t) => {
  const { session, server, settings } = await openSdkStage(t, (_, number) =>
    number === 0 ? { toolCalls: [append("- July twice")] } : { text: "Done." },
  );
  const memory = settings();
  for (const prompt of ["Continue", "Continue", "Something else", "Continue"]) {
    await generateText({ ...memory, instructions: "x", prompt, stopWhen: isStepCount(3) });
  }
  assert.deepEqual(server.requests[0] && saidIn(server.requests[0]), ["Continue"]);
  for (const request of server.requests.slice(2)) {
    assert.match(String(request.messages[0]?.content), /July twice/);
    assert.match(saidIn(request).join(), /(?:Continue|Something else)$/);
    assert.equal(saidIn(request).length, 1);
  }
  assert.equal((await session.messages()).length, 10, "each turn is stored, the same words too");
});
