import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { append, call, filler, inOrder, ofType, openStage, tokensOf } from "../../test/support/agent.ts";
import type { Usage } from "./index.ts";

const search = tool({
  description: "Search the web for pages that answer a question.",
  inputSchema: z.object({ question: z.string().describe("What to look for") }),
  execute: async () => filler(400),
});

function assertAddsUp({ system, tools, memory, history, results, free, total }: Usage, window: number): void {
  assert.equal(system + tools + memory + history + results, total);
  assert.equal(free, Math.max(0, window - total));
  for (const part of [system, tools, memory, history, results])
    assert.ok(Number.isInteger(part) && part >= 0);
}

test("the parts add up to the total in every placement, and the rest is free [controller.usage]", async (t) => {
  for (const placement of ["epoch", "system", "message"] as const) {
    const script = inOrder([
      { toolCalls: [append("- one"), call("search", { question: "?" })] },
      { text: "One." },
      { toolCalls: [call("begin_task", { description: "t" })] },
      { text: "Two." },
    ]);
    const stage = await openStage(t, {
      script,
      placement,
      tools: { search },
      surfaces: ["notepad", "scratchpad", "tasks", "results"],
    });
    const { events } = await stage.say("First.");
    await (await stage.session()).scratchpad.setPlan("1. Look", { actor: { kind: "person" } });
    events.push(...(await stage.say("Second.")).events);
    for (const { usage } of ofType(events, "usage")) assertAddsUp(usage, 32_000);
    assertAddsUp(await stage.agent.usage("s"), 32_000);
  }
});

test("each part grows with its content [controller.usage]", async (t) => {
  const script = () => inOrder([{ toolCalls: [call("search", { question: "?" })] }, { text: "Found." }]);
  const bare = await openStage(t, { script: script(), surfaces: ["notepad"], system: "" });
  const full = await openStage(t, {
    script: script(),
    surfaces: ["notepad", "notes"],
    system: filler(300),
    tools: { search },
  });
  const empty = await bare.agent.usage("s");
  assert.deepEqual([empty.system, empty.history, empty.results], [0, 0, 0]);
  assert.ok(empty.memory > 0, "guidance and the empty notepad");
  const start = await full.agent.usage("s");
  assert.ok(start.system >= 300);
  assert.ok(start.tools > empty.tools + 40, "its own tools count with their schemas");
  const { events } = await full.say("Search.");
  const [before, after] = ofType(events, "usage").map(({ usage }) => usage) as [Usage, Usage];
  assert.ok(after.results - before.results >= 400);
  assert.ok(after.history > before.history);
  await (await full.session()).notepad.write(filler(500), { actor: { kind: "person" } });
  await full.say("Thanks.");
  const noted = await full.agent.usage("s");
  assert.ok(noted.memory - after.memory >= 500, "a notepad change counts as memory wherever it is placed");
});

test("the provider's reported tokens correct the counts [controller.usage-corrected]", async (t) => {
  const factor = 1.5;
  const stage = await openStage(t, {
    script: (request) => ({
      text: "Yes.",
      usage: { input: Math.round(tokensOf(request) * factor), output: 5 },
    }),
    surfaces: ["notepad"],
  });
  const errors: number[] = [];
  for (let turn = 0; turn < 15; turn++) {
    const { events } = await stage.say(`Turn ${turn}. ${filler(50)}`);
    const [{ usage, reported } = { usage: undefined, reported: undefined }] = ofType(events, "usage");
    errors.push(Math.abs((usage?.total ?? 0) / (reported?.inputTokens ?? 1) - 1));
  }
  assert.ok((errors[0] ?? 0) > 0.2, "at first it is off");
  assert.ok(
    (errors.at(-1) ?? 1) < 0.05,
    `then it is right: ${errors.map((error) => error.toFixed(2)).join(" ")}`,
  );
});

test("a low estimate does not delay the compaction once it is corrected [controller.usage-corrected]", async (t) => {
  const stage = await openStage(t, {
    script: (request, number) => {
      const answer = inOrder([])(request, number) as { text: string };
      return { ...answer, usage: { input: tokensOf(request) * 2, output: 5 } };
    },
    surfaces: ["notepad", "results"],
    contextWindow: 10_000,
  });
  let compactedAt = 0;
  for (let turn = 1; turn <= 12 && compactedAt === 0; turn++) {
    const { compacted } = await stage.say(`Turn ${turn}. ${filler(400)}`);
    if (compacted) compactedAt = turn;
  }
  assert.ok(compactedAt > 0);
  for (const request of stage.turns())
    assert.ok(tokensOf(request) * 2 < 10_000, "by the provider's count no request was too long");
});
