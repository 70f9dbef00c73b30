import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, isStepCount, streamText, type wrapLanguageModel } from "ai";
import { openTestMemory } from "../../../test/support/memory.ts";
import { anthropic } from "../../../test/support/wires/anthropic.ts";
import { startWire, type WireAnswer } from "../../../test/support/wires/wire.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { holdfast } from "./index.ts";
import { ownTools } from "./test-support/ai-sdk.ts";

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];

async function open(t: { after(work: () => unknown): void }, answers: WireAnswer[]) {
  const server = await startWire(anthropic, (_, number) => answers[number] ?? { text: "Done." });
  const memory = await openTestMemory({ surfaces: ["notepad", "notes", "results"] });
  t.after(() => Promise.all([server.close(), memory.close()]));
  const session = await memory.openSession("s");
  const events: AgentEvent[] = [];
  const settings = holdfast({
    session,
    model: anthropic.model(server.url) as Model,
    contextWindow: 64_000,
    tools: ownTools,
    onEvent: (event) => events.push(event),
  });
  return { server, session, events, settings };
}

test("the adapter sets breakpoints in addition to the caller's own, and records what the cache did [cache.marks] [wires.usage]", async (t) => {
  const usage = { input: 1_000, output: 20, cacheRead: 700, cacheWrite: 200 };
  const { server, session, events, settings } = await open(t, [
    { toolCalls: [{ name: "read_sheet", input: { sheet: 1 } }], usage },
    { text: "Read.", usage },
  ]);
  const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };
  await generateText({
    ...settings,
    instructions: { role: "system", content: "You audit.", providerOptions: mark },
    prompt: "Read sheet 1.",
    stopWhen: isStepCount(5),
  });
  assert.equal(server.requests.length, 2);
  for (const { marks, messages, body } of server.requests) {
    assert.deepEqual(marks, ["tools", "system", messages.length - 1]);
    assert.equal(body.split('"cache_control"').length - 1, 4, "two of them in the system prompt");
  }
  const reported = events.flatMap((event) => (event.type === "usage" ? [event.reported] : []));
  assert.deepEqual(
    reported.map(({ cachedTokens, cacheWriteTokens }) => [cachedTokens, cacheWriteTokens]),
    [
      [700, 200],
      [700, 200],
    ],
  );
  const [call] = await session.calls.list({ limit: 1 });
  assert.deepEqual((call?.facts as { usage?: unknown } | undefined)?.usage, {
    input: 1_000,
    cached: 700,
    written: 200,
    output: 20,
  });
});

test("both spellings of a dotted tool work, and malformed arguments are not sent back [aisdk.tools]", async (t) => {
  const memory = await openTestMemory({ surfaces: ["scratchpad"] });
  const answers: WireAnswer[] = [
    {
      toolCalls: [
        { name: "session.scratchpad", input: { action: "set_plan", content: "Read it." } },
        { name: "session_scratchpad", input: null },
        { name: "session_scratchpad", input: ["x"] },
      ],
    },
    { text: "Done." },
  ];
  type Settings = Parameters<typeof generateText>[0];
  const runs: [string, (settings: Settings) => PromiseLike<unknown>][] = [
    ["generate", generateText],
    ["stream", (settings) => streamText(settings).text],
  ];
  for (const [name, run] of runs) {
    const server = await startWire(anthropic, (_, number) => answers[number] ?? {});
    t.after(() => server.close());
    const session = await memory.openSession(name);
    const settings = holdfast({
      session,
      model: anthropic.model(server.url) as Model,
      contextWindow: 64_000,
    });
    await run({ ...settings, prompt: "Plan.", stopWhen: isStepCount(3) });
    assert.equal((await session.scratchpad.read()).plan, "Read it.");
    const last = server.requests.at(-1);
    const calls = last?.messages.flatMap((message) => message.calls) ?? [];
    assert.deepEqual(
      calls.map(({ name, input }) => [
        name,
        typeof input === "object" && input !== null && !Array.isArray(input),
      ]),
      Array.from({ length: 3 }, () => ["session_scratchpad", true]),
    );
    const results = last?.messages.flatMap((message) => message.results.map(({ text }) => text)) ?? [];
    assert.equal(results.length, 3);
    assert.ok(results.slice(1).every((text) => /Nothing was changed/.test(text)));
  }
  await memory.close();
});
