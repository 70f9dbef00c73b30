import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { generateText, isStepCount, type ModelMessage, wrapLanguageModel } from "ai";
import {
  call,
  isSummaryRequest,
  modelAt,
  ofType,
  plainSummary,
  type Script,
} from "../../../test/support/agent.ts";
import { assertPrefixes } from "../../../test/support/prompt.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import {
  type AgentEvent,
  holdfast,
  holdfastMiddleware,
  holdfastPrepareStep,
  holdfastTools,
} from "./index.ts";
import {
  assertUntouched,
  isWarningTurn,
  openSdkStage,
  ownTools,
  saidIn,
  user,
} from "./test-support/ai-sdk.ts";

test("middleware, tools and prepareStep work separately as they do together [aisdk.parts]", async (t) => {
  const { session, server, calls, events } = await openSdkStage(t, (request, number) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarningTurn(request)) return { text: "Nothing to add." };
    return number < 20 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  const onEvent = (event: AgentEvent) => void events.push(event);
  const model = wrapLanguageModel({
    model: modelAt(server.url),
    middleware: holdfastMiddleware(session, { onEvent }),
  });
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
    const copies = JSON.stringify(request).split("## Session Notepad").length - 1;
    // In place, the summary is asked for at the end of the agent's own prompt, which has the notepad once.
    assert.equal(copies, request.tools === undefined ? 0 : 1, "a summary is not treated as a turn");
  }
  const stored = (await session.messages()) as { message: ModelMessage; aside?: boolean }[];
  const said = stored.filter(({ aside }) => !aside).map(({ message }) => message.role);
  assert.deepEqual(
    said,
    ["user", ...responseMessages.map(({ role }) => role)],
    "each message is stored once, the last one too",
  );
});

test("the middleware alone places memory, follows its changes, and compacts nothing [aisdk.parts]", async (t) => {
  const stage = await openSdkStage(t, async (_, number) => {
    if (number !== 3) return { text: "Fine." };
    await stage.session.notepad.append("- in mid-turn", { actor: { kind: "person" } });
    return { toolCalls: [call("read_sheet", { sheet: 1 })] };
  });
  const { session, server, events } = stage;
  await session.notepad.write("# Log");
  const middleware = holdfastMiddleware(session, { onEvent: (event) => void events.push(event) });
  const model = wrapLanguageModel({ model: modelAt(server.url), middleware });
  const messages: ModelMessage[] = [];
  for (const text of ["One?", "Two?", "Three?", "Four?"]) {
    messages.push(user(text));
    const run = { instructions: "x", messages, tools: ownTools, stopWhen: isStepCount(3) };
    messages.push(...(await generateText({ model, ...run })).responseMessages);
    await session.notepad.append(`- after ${text}`, { actor: { kind: "person" } });
  }
  const [one, two, three, , last] = server.requests.map((request) => saidIn(request).at(-1) ?? "");
  assert.equal(one, "One?");
  assert.match(two ?? "", /- after One\?[\s\S]*Two\?$/);
  assert.match(three ?? "", /- after Two\?[\s\S]*Three\?$/);
  assert.match(last ?? "", /- in mid-turn/);
  assert.equal(assertPrefixes(server.requests), 4);
  assert.deepEqual(events, []);
  assertUntouched(messages);
});

test("another process that gets the whole history continues from the summary [aisdk.restart]", async (t) => {
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
  await generateText({
    ...later.settings({ contextWindow: 6_000 }),
    ...run,
    messages: [...messages, user("Are you done?")],
  });
  const [request] = later.calls();
  const said = request ? saidIn(request) : [];
  assert.match(said[0] ?? "", /^\[Summary of the conversation so far\]/);
  assert.ok(
    receipt && said.length < messages.length - 4,
    `${said.length} of ${messages.length} messages were sent`,
  );
  assert.equal(said.at(-1)?.endsWith("Are you done?"), true);
  assert.equal(
    (await later.session.messages()).length,
    before + 2,
    "only the new question and its answer were stored",
  );
});

test("prepareStep reports that its middleware is missing [aisdk.parts]", async (t) => {
  const { session, server, events } = await openSdkStage(t, (_, number) =>
    number === 0 ? { toolCalls: [call("read_sheet", { sheet: 1 })] } : { text: "Done." },
  );
  const prepareStep = holdfastPrepareStep({
    session,
    contextWindow: 6_000,
    onEvent: (event) => void events.push(event),
  });
  const { text } = await generateText({
    model: modelAt(server.url),
    tools: ownTools,
    prepareStep,
    instructions: "x",
    prompt: "Go",
    stopWhen: isStepCount(3),
  });
  assert.equal(text, "Done.");
  assert.match(
    ofType(events, "error")[0]?.message ?? "",
    /not wrapped with holdfastMiddleware.*holdfast\(\)/,
  );
});

test("a memory failure is reported and never stops the agent [aisdk.failure]", async (t) => {
  const { session, server, events, settings } = await openSdkStage(t, () => ({ text: "Done." }));
  const broken = new Error("the disk is gone");
  t.mock.method(session, "apply", () => Promise.reject(broken));
  t.mock.method(session, "change", () => Promise.reject(broken));
  const { text } = await generateText({ ...settings(), instructions: "x", prompt: "Go" });
  assert.equal(text, "Done.");
  assert.deepEqual(server.requests.map(saidIn), [["Go"]], "the prompt goes out as the caller gave it");
  assert.ok(
    ofType(events, "error").every(({ message }) => /Memory failed; .*the disk is gone/.test(message)),
  );
  assert.ok(ofType(events, "error").length >= 2);

  const warned = t.mock.method(console, "warn", () => undefined);
  await generateText({
    ...holdfast({ session, model: modelAt(server.url), contextWindow: 9_000 }),
    instructions: "x",
    prompt: "Go",
  });
  assert.match(String(warned.mock.calls[0]?.arguments[0]), /^holdfast: Memory failed/);
});
