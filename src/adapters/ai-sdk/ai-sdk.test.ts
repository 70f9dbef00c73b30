import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, isStepCount, type ModelMessage, streamText, ToolLoopAgent } from "ai";
import {
  append,
  call,
  filler,
  isSummaryRequest,
  isWarning,
  ofType,
  plainSummary,
  type Script,
} from "../../../test/support/agent.ts";
import { assertPrefixes, epochOf } from "../../../test/support/prompt.ts";
import { warningText } from "../../compaction/warning.ts";
import {
  assertUntouched,
  isWarningTurn,
  openSdkStage,
  saidIn,
  sheetText,
  user,
} from "./test-support/ai-sdk.ts";

/** Reads one sheet after another, and saves its progress whenever it is warned. */
function readSheets(sheets: number): Script {
  let sheet = 0;
  return (request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarning(request))
      return { toolCalls: [append(`- sheets up to ${sheet} read, SH-${1000 + sheet}`)] };
    if (isWarningTurn(request)) return { text: "Saved." };
    return sheet++ < sheets
      ? { toolCalls: [call("read_sheet", { sheet })] }
      : { text: "All sheets are read." };
  };
}

for (const mode of ["generate", "stream"] as const) {
  test(`a ToolLoopAgent works through several compactions (${mode}) [aisdk.compaction]`, async (t) => {
    const { session, server, events, settings, calls } = await openSdkStage(t, readSheets(20));
    const memory = settings({ contextWindow: 6_000 });
    const agent = new ToolLoopAgent({
      ...memory,
      instructions: "You audit workbooks.",
      stopWhen: isStepCount(60),
    });
    const messages = [user("Audit every sheet of report.xlsx.")];
    const given = structuredClone(messages);
    const result =
      mode === "generate" ? await agent.generate({ messages }) : await agent.stream({ messages });
    const [text, steps, response] = await Promise.all([result.text, result.steps, result.responseMessages]);

    assert.equal(text, "All sheets are read.");
    assert.equal(steps.length, 21, "no step was spent on memory");
    const order = events.flatMap(({ type }) =>
      ["warning", "handoff", "compaction", "receipt"].includes(type) ? [type] : [],
    );
    const compactions = ofType(events, "compaction");
    assert.ok(compactions.length >= 2, `${compactions.length} compactions`);
    const once = ["warning", "handoff", "compaction", "receipt"];
    assert.deepEqual(
      order,
      compactions.flatMap(() => once),
    );
    assert.deepEqual(ofType(events, "error"), []);
    assert.equal((await session.receipts()).length, compactions.length);

    assert.deepEqual(messages, given);
    assertUntouched(
      messages,
      response,
      steps.map(({ content }) => content),
    );
    assert.equal(response.length, 41);

    const last = calls().at(-1);
    assert.ok(
      last && JSON.stringify(last).length < JSON.stringify(response).length / 2,
      "the prompt did not shrink",
    );
    assert.match(
      saidIn(last)[0] ?? "",
      /^\[Summary of the conversation so far\]\n[\s\S]*\n- Audit every sheet of report\.xlsx\.\n/,
    );
    assert.match(
      String(last.messages[0]?.content),
      /^You audit workbooks\.\n\n[\s\S]*## Session Notepad\n- sheets up to \d+ read/,
    );
    assert.ok(assertPrefixes(calls()) > 10);
    assert.equal(new Set(calls().map(epochOf)).size, compactions.length + 1);
    assert.ok(server.requests.filter(isWarning).length === compactions.length);

    const found = await memory.tools.recall?.execute?.(
      { query: "SH-1001." },
      { toolCallId: "x", messages: [], context: {} },
    );
    const [first] = (found as { passages: { from: string }[] }).passages;
    const whole = await memory.tools.recall?.execute?.(
      { from: first?.from },
      { toolCallId: "y", messages: [], context: {} },
    );
    assert.ok(
      (whole as { passages: { text: string }[] }).passages
        .map(({ text }) => text)
        .join("")
        .includes(sheetText(1)),
      "what was removed can be read in full",
    );
  });
}

test("a rejected prompt is compacted and sent again [aisdk.overflow]", async (t) => {
  for (const mode of ["generate", "stream"]) {
    const { session, events, server, settings } = await openSdkStage(t, (request, number) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      if (number === 0)
        return {
          status: 400,
          error: "This model's maximum context length is 4096 tokens",
          code: "context_length_exceeded",
        };
      return { text: "It fits now." };
    });
    const messages = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((sheet): ModelMessage[] => [
      user(`Sheet ${sheet}?`),
      { role: "assistant", content: sheetText(sheet) },
    ]);
    messages.push(user("And now?"));
    const call = { ...settings(), instructions: "x", messages };
    const text = mode === "generate" ? (await generateText(call)).text : await streamText(call).text;
    assert.equal(text, "It fits now.");
    assert.equal(ofType(events, "compaction")[0]?.trigger, "overflow");
    assert.match(ofType(events, "warning")[0]?.skipped ?? "", /too long/);
    const [first = [], last = []] = [server.requests[0], server.requests.at(-1)].map(
      (request) => request && saidIn(request),
    );
    assert.ok(last.join("").length < first.join("").length * 0.7);
    assert.ok(last.includes("And now?"));
    assert.equal((await session.receipts()).length, 1);
  }
});

test("an endless overflow surfaces the provider's error [aisdk.overflow]", async (t) => {
  const { settings } = await openSdkStage(t, (request) =>
    isSummaryRequest(request)
      ? { text: plainSummary(request) }
      : { status: 400, error: "prompt is too long" },
  );
  await assert.rejects(
    generateText({ ...settings(), instructions: "x", prompt: "Go", maxRetries: 0 }),
    /prompt is too long/,
  );
});

test("nothing is lost if the model ignores the warning or gives no summary [aisdk.compaction]", async (t) => {
  const { session, events, settings, calls } = await openSdkStage(t, (request, number) => {
    if (isSummaryRequest(request)) return { status: 400, error: "no summaries today" };
    if (isWarningTurn(request)) return { text: "So what?" };
    return number < 14 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  const memory = settings({ contextWindow: 6_000 });
  const { text } = await generateText({
    ...memory,
    instructions: "x",
    prompt: "Audit ledger.csv",
    stopWhen: isStepCount(40),
  });
  assert.equal(text, "Done.");
  assert.ok(ofType(events, "compaction").every(({ summaryBy }) => summaryBy === "deterministic"));
  assert.ok((await session.receipts()).length >= 1);
  assert.ok(
    calls().every((request) => JSON.stringify(request).includes("Audit ledger.csv")),
    "the open ask is always there",
  );
  assert.ok(!JSON.stringify(calls()).includes(warningText.slice(0, 40)), "the warning is for its own turn");
});

test("a long warning turn does not push out the caller's newest messages [aisdk.compaction]", async (t) => {
  let sheet = 0;
  let noted = 0;
  const { session, settings, calls, events } = await openSdkStage(t, (request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    if (isWarningTurn(request)) {
      return noted++ % 4 < 3
        ? { toolCalls: [call("add_note", { content: filler(250) })] }
        : { text: "Noted." };
    }
    return sheet++ < 12 ? { toolCalls: [call("read_sheet", { sheet })] } : { text: "Done." };
  });
  const memory = settings({ contextWindow: 8_000, clearing: false });
  await generateText({ ...memory, instructions: "x", prompt: "Go", stopWhen: isStepCount(40) });
  assert.ok(ofType(events, "compaction").length >= 1 && (await session.notes.all()).length >= 3);
  for (const [index, request] of calls().entries()) {
    const said = saidIn(request);
    const newest = [index, index - 1].filter((read) => read > 0).map(sheetText);
    assert.ok(
      newest.every((text) => said.includes(text)),
      `call ${index} lacks what was read last`,
    );
  }
});

test("an abort during a warning turn ends the call, and nothing is compacted [aisdk.abort]", async (t) => {
  const abort = new AbortController();
  const { session, events, settings } = await openSdkStage(t, (request, number) => {
    if (isWarning(request)) abort.abort();
    return number < 30 ? { toolCalls: [call("read_sheet", { sheet: number })] } : { text: "Done." };
  });
  const memory = settings({ contextWindow: 6_000 });
  const run = { instructions: "x", prompt: "Go", stopWhen: isStepCount(40), abortSignal: abort.signal };
  await assert.rejects(generateText({ ...memory, ...run }), { name: "AbortError" });
  assert.deepEqual(ofType(events, "compaction"), []);
  assert.deepEqual(ofType(events, "error"), [], "an abort is not a memory failure");
  assert.deepEqual(await session.receipts(), []);
});
