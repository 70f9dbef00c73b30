import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { call, isInWarningTurn, isSummaryRequest, plainSummary, tokensOf } from "../../test/support/agent.ts";
import type { ScriptedRequest } from "../testing/index.ts";
import { numberedLines, openWindow, textIn } from "./test-support/window.ts";

for (const window of [8_000, 32_000, 64_000]) {
  test(`a separate summary request sees what is removed and uses the room there is (${window / 1_000}k) [controller.summary-room]`, async (t) => {
    const sent: ScriptedRequest[] = [];
    const answers: string[] = [];
    const stage = await openWindow(t, {
      window,
      factor: 1,
      hasSummaryRequests: true,
      script: (request) => {
        if (isSummaryRequest(request)) {
          sent.push(request);
          return { text: plainSummary(request) };
        }
        if (isInWarningTurn(request)) return { text: "Saved." };
        answers.push(
          `Answer ${answers.length}: ${numberedLines(window / 25, `a${answers.length}`)} That is all.`,
        );
        return { text: answers.at(-1) ?? "" };
      },
    });
    for (let turn = 0; (await stage.agent.receipts("s")).length === 0; turn++)
      await stage.say(`Question ${turn}: ${numberedLines(window / 50, `q${turn}`)}?`);
    const [receipt] = await stage.agent.receipts("s");
    const removed = (
      (await (await stage.memory.resumeSession("s")).messages(1, receipt?.to)) as {
        message: { role: string; content: unknown };
        inWarning?: boolean;
      }[]
    ).filter(({ inWarning }) => !inWarning);
    const seen = sent.map(textIn).join("\n");
    for (const { message } of removed) {
      const text =
        typeof message.content === "string"
          ? message.content
          : (message.content as { text: string }[])[0]?.text;
      assert.ok(seen.includes(text ?? "?"), "whole");
    }
    assert.ok(removed.length >= 6);
  });
}

test("a span that is longer than the window is summarized in passes, and what was said reaches the summarizer [controller.summary-room]", async (t) => {
  const passes: ScriptedRequest[] = [];
  let step = 0;
  const read = tool({ inputSchema: z.object({}), execute: async () => numberedLines(1_500, `r${step}`) });
  const stage = await openWindow(t, {
    window: 16_000,
    factor: 1,
    hasSummaryRequests: true,
    clearing: false,
    keep: 0.05,
    tools: { read },
    script: (request) => {
      if (isSummaryRequest(request)) {
        passes.push(request);
        return { text: plainSummary(request) };
      }
      if (isInWarningTurn(request)) return { text: "Saved." };
      return ++step % 2 === 1
        ? { toolCalls: [call("read", {})] }
        : { text: `Found F-${1_000 + step} there.` };
    },
  });
  for (let turn = 0; turn < 7; turn++) await stage.say(`Look at part ${turn} and keep rule K-${turn}.`);
  await stage.agent.compact("s").result;
  assert.ok(passes.length >= 1);
  for (const request of passes) assert.ok(tokensOf(request) <= 16_000);
  const seen = passes.map(textIn).join("\n");
  for (let turn = 0; turn < 6; turn++) assert.ok(seen.includes(`keep rule K-${turn}`), `request ${turn}`);
  const largest = Math.max(...passes.map(tokensOf));
  assert.ok(largest > 16_000 * 0.5, `uses ${largest} of 16,000`);
});

test("in place, the request for the summary begins with the agent's own prompt [controller.summary-room]", async (t) => {
  const stage = await openWindow(t, {
    window: 32_000,
    factor: 1,
    script: (request) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      return { text: isInWarningTurn(request) ? "Saved." : `Answer. ${numberedLines(500, "a")}` };
    },
  });
  for (let turn = 0; turn < 4; turn++) await stage.say(`Question ${turn}?`);
  const before = stage.requests.length;
  await stage.agent.compact("s").result;
  const asked = stage.requests.slice(before).find(isSummaryRequest);
  const warned = stage.requests.slice(before).find((request) => request !== asked);
  assert.ok(asked && warned && asked.tools && asked.tools.length > 0, "the tools are part of the prompt");
  assert.deepEqual(asked.messages.slice(0, warned.messages.length), warned.messages);
});
