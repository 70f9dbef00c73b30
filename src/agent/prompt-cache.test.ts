import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { filler, finish } from "../../test/support/agent.ts";
import { tickingClock } from "../../test/support/memory.ts";
import { anthropic } from "../../test/support/wires/anthropic.ts";
import { openaiResponses } from "../../test/support/wires/openai.ts";
import { startWire, type WireRequest } from "../../test/support/wires/wire.ts";
import { summaryInstructions } from "../compaction/summary.ts";
import { openMemory } from "../index.ts";
import { type AgentOptions, createAgent } from "./index.ts";

const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };

const lookUp = (providerOptions?: typeof cached) =>
  tool({
    description: "Looks a word up",
    inputSchema: z.object({ word: z.string() }),
    execute: async ({ word }) => filler(200, word),
    ...(providerOptions ? { providerOptions } : {}),
  });

const isSummary = ({ messages }: WireRequest) =>
  messages.at(-1)?.texts.some((text) => text.includes(summaryInstructions)) ?? false;

/** The requests of a few turns with a compaction, on Anthropic's wire. */
async function converse(options: Partial<AgentOptions>): Promise<WireRequest[]> {
  const server = await startWire(anthropic, (request, number) => {
    if (isSummary(request)) return { text: "The user looks up words." };
    const usage = { input: Math.ceil(request.body.length / 4), output: 10 };
    if (number % 2 === 0) return { toolCalls: [{ name: "look_up", input: { word: `w${number}` } }], usage };
    return { text: `Found ${number}.`, usage };
  });
  const memory = await openMemory({ store: "memory:", clock: tickingClock() });
  try {
    const agent = createAgent({
      memory,
      model: anthropic.model(server.url),
      contextWindow: 16_000,
      system: "You look up words.",
      tools: { look_up: lookUp() },
      ...options,
    });
    for (const word of ["one", "two", "three"]) await finish(agent.send("s", `Look up ${word}.`));
    await finish(agent.compact("s"));
    await finish(agent.send("s", "Look up four."));
    return server.requests;
  } finally {
    await Promise.all([server.close(), memory.close()]);
  }
}

test("Anthropic gets breakpoints after tools, memory, summary and at the end, at most four [cache.marks]", async () => {
  const requests = await converse({});
  const hasSummary = ({ messages }: WireRequest) =>
    messages.some(({ texts }) => texts.some((text) => text.startsWith("[Summary of the conversation")));
  assert.ok(requests.some(hasSummary));
  for (const request of requests) {
    const end = request.messages.length - 1;
    // Anthropic merges consecutive messages of one side, so the summary may be in the last message.
    const expected = new Set(["tools", "system", ...(hasSummary(request) ? [0] : []), end]);
    assert.deepEqual(new Set(request.marks), expected);
    assert.ok(request.body.split('"cache_control"').length - 1 <= 4);
  }
  const inPlace = requests.filter(isSummary);
  assert.ok(inPlace.length > 0 && inPlace.every(({ tools }) => tools.includes("look_up")), "the tools stay");
});

test("a warning turn keeps the tools where the provider caches them, and runs only memory's [cache.warning]", async () => {
  const requests = await converse({});
  const warned = requests.filter(({ messages }) =>
    messages.at(-1)?.texts.some((text) => text.includes("approaching the token limit")),
  );
  assert.ok(warned.length > 0);
  for (const request of requests) assert.deepEqual(request.tools, requests[0]?.tools);
  const uncached = (await converse({ promptCache: false })).filter(({ messages }) =>
    messages.at(-1)?.texts.some((text) => text.includes("approaching the token limit")),
  );
  assert.ok(uncached.length > 0 && uncached.every(({ tools }) => !tools.includes("look_up")));
});

test("a person's own breakpoints are kept and counted, and ours can be turned off [cache.marks]", async () => {
  for (const request of await converse({ tools: { look_up: lookUp(cached) } })) {
    assert.ok(request.marks.includes("tools"));
    assert.ok(request.body.split('"cache_control"').length - 1 <= 4);
  }
  for (const { marks } of await converse({ promptCache: false })) assert.deepEqual(marks, []);
});

test("OpenAI gets one cache key per session, and a person's own key wins [cache.key]", async (t) => {
  const server = await startWire(openaiResponses(), () => ({ text: "Yes." }));
  const memory = await openMemory({ store: "memory:", clock: tickingClock() });
  t.after(() => Promise.all([server.close(), memory.close()]));
  const model = openaiResponses().model(server.url);
  const agent = createAgent({ memory, model, contextWindow: 16_000 });
  for (const session of ["a", "b", "a"]) await finish(agent.send(session, "Hello?"));
  const own = { providerOptions: { openai: { promptCacheKey: "mine" } } };
  await finish(createAgent({ memory, model, contextWindow: 16_000, ...own }).send("a", "Hello?"));
  await finish(createAgent({ memory, model, contextWindow: 16_000, promptCache: false }).send("a", "Hello?"));
  assert.deepEqual(
    server.requests.map(({ cacheKey }) => cacheKey),
    ["holdfast-a", "holdfast-b", "holdfast-a", "mine", undefined],
  );
});
