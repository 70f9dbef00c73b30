import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { generateText, isStepCount, type ModelMessage } from "ai";
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
import { holdfast, holdfastTools } from "./index.ts";
import {
  assertUntouched,
  isWarningTurn,
  openSdkStage,
  ownTools,
  saidIn,
  user,
} from "./test-support/ai-sdk.ts";

test("the model, the tools and prepareStep can be passed apart [aisdk.parts]", async (t) => {
  const { session, server, calls, events, settings } = await openSdkStage(t, (request, number) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarningTurn(request)) return { text: "Nothing to add." };
    return number < 20 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  const { model, prepareStep } = settings({ contextWindow: 6_000 });
  const { text, responseMessages } = await generateText({
    model,
    tools: { ...ownTools, ...holdfastTools(session) },
    prepareStep,
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
  const stored = (await session.messages()) as { message: ModelMessage; inWarning?: boolean }[];
  const said = stored.filter(({ inWarning }) => !inWarning).map(({ message }) => message.role);
  assert.deepEqual(
    said,
    ["user", ...responseMessages.map(({ role }) => role)],
    "each message is stored once, the last one too",
  );
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
