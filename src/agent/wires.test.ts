import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { filler, finish, ofType } from "../../test/support/agent.ts";
import { tickingClock } from "../../test/support/memory.ts";
import { anthropic } from "../../test/support/wires/anthropic.ts";
import { google } from "../../test/support/wires/google.ts";
import { openaiResponses } from "../../test/support/wires/openai.ts";
import { startWire, type Wire, type WireAnswer, type WireRequest } from "../../test/support/wires/wire.ts";
import { summaryInstructions } from "../compaction/summary.ts";
import { warningText } from "../compaction/warning.ts";
import { openMemory } from "../index.ts";
import { type AgentOptions, createAgent } from "./index.ts";

const wires: (() => Wire)[] = [() => anthropic, openaiResponses, () => google];

const readFile = tool({
  description: "Reads a file",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => `${path}: ${filler(150, path)}`,
});

/** An agent that talks to a scripted server over the real provider's wire. */
async function open(
  t: TestContext,
  wire: Wire,
  script: (request: WireRequest, number: number) => WireAnswer,
  options: Partial<AgentOptions> = {},
) {
  const server = await startWire(wire, script);
  const memory = await openMemory({ store: "memory:", clock: tickingClock() });
  t.after(() => Promise.all([server.close(), memory.close()]));
  const defaults: AgentOptions = {
    memory,
    model: wire.model(server.url),
    contextWindow: 32_000,
    system: "You are careful.",
    tools: { read_file: readFile },
  };
  const create = () => createAgent({ ...defaults, ...options });
  return { server, memory, agent: create(), another: create };
}

const isSummary = ({ messages }: WireRequest) =>
  messages.at(-1)?.texts.some((text) => text.includes(summaryInstructions)) ?? false;

const isWarning = ({ messages }: WireRequest) =>
  messages.at(-1)?.texts.some((text) => text.includes(warningText.slice(0, 60))) ?? false;

const reads = (...paths: string[]): WireAnswer => ({
  toolCalls: paths.map((path) => ({ name: "read_file", input: { path } })),
});

/** Every call has its result in the next message, and nothing else has. */
function assertPaired({ messages }: WireRequest): void {
  messages.forEach(({ calls }, index) => {
    if (calls.length === 0) return;
    assert.deepEqual(
      messages[index + 1]?.results.map(({ id }) => id),
      calls.map(({ id }) => id),
    );
  });
  const results = messages.flatMap((message) => message.results);
  assert.equal(results.length, messages.flatMap(({ calls }) => calls).length);
}

for (const wireOf of wires) {
  const { name } = wireOf();

  test(`${name}: parallel calls, and thinking with its signature through results and a restart [wires.calls]`, async (t) => {
    const script = (_: WireRequest, number: number): WireAnswer =>
      number === 0
        ? { thinking: { text: "Two files.", signature: "sig-1" }, ...reads("a.ts", "b.ts") }
        : { thinking: { text: "Done.", signature: "sig-2" }, text: "Both read." };
    const { server, agent, another } = await open(t, wireOf(), script);
    const { text } = await finish(agent.send("s", "Read both."));
    assert.equal(text, "Both read.");
    const second = server.requests[1] as WireRequest;
    assertPaired(second);
    const asked = second.messages.find(({ calls }) => calls.length > 0);
    assert.deepEqual(
      asked?.calls.map(({ input }) => input),
      [{ path: "a.ts" }, { path: "b.ts" }],
    );
    assert.deepEqual(asked?.thinking, ["sig-1"]);
    const results = second.messages.flatMap((message) => message.results.map((result) => result.text));
    assert.deepEqual(
      results.map((result) => result.slice(0, 5)),
      ["a.ts:", "b.ts:"],
    );
    await finish(another().send("s", "And now?"));
    const third = server.requests[2] as WireRequest;
    assertPaired(third);
    assert.ok(third.messages.flatMap(({ thinking }) => thinking).includes("sig-1"));
  });

  test(`${name}: many turns through compactions, each request whole [wires.compaction]`, async (t) => {
    let step = 0;
    const { server, agent } = await open(
      t,
      wireOf(),
      (request) => {
        const usage = { input: Math.ceil(request.body.length / 4), output: 20 };
        if (isSummary(request))
          return { text: "The user has files read one by one. Asked last: Read.", usage };
        if (isWarning(request)) return { text: "Noted.", usage };
        const thinking = { text: "Next.", signature: `sig-${step}` };
        if (++step % 3 !== 0) return { thinking, ...reads(`f${step}.ts`), usage };
        return { thinking, text: `Done ${step}.`, usage };
      },
      { contextWindow: 8_000 },
    );
    for (let turn = 1; turn <= 12; turn++) {
      const { end } = await finish(agent.send("s", `Read ${turn}.`));
      assert.equal(end, "done");
    }
    assert.ok((await agent.receipts("s")).length >= 2);
    for (const request of server.requests) {
      assertPaired(request);
      assert.ok(request.body.length / 4 <= 8_000, "within the window");
    }
    const last = server.requests.at(-1) as WireRequest;
    assert.ok(
      last.messages.some(({ texts }) => texts.some((text) => text.includes("[Summary of the conversation"))),
    );
  });

  test(`${name}: images and files reach the model, and stay after a restart [wires.media]`, async (t) => {
    const { server, agent, another } = await open(t, wireOf(), () => ({ text: "Seen." }));
    const picture = new Uint8Array(3_000).fill(137);
    await finish(
      agent.send("s", [
        { type: "text", text: "What is on this?" },
        { type: "image", image: picture, mediaType: "image/png" },
        { type: "file", data: picture, mediaType: "application/pdf", filename: "a.pdf" },
      ]),
    );
    await finish(another().send("s", "Sure?"));
    for (const { messages } of server.requests) assert.equal(messages[0]?.media.length, 2);
    const usage = await agent.usage("s");
    assert.ok(usage.history > 2_000 && usage.history < 6_000, `counted ${usage.history}`);
  });

  test(`${name}: a refusal and an answer at the output limit are reported as such [wires.endings]`, async (t) => {
    const answers: WireAnswer[] = [
      { text: "I", finish: "refusal" },
      { text: "Half", finish: "length" },
      { text: "Whole." },
    ];
    const { agent } = await open(t, wireOf(), (_, number) => answers[number] ?? {});
    for (const end of ["filtered", "length"] as const) {
      const result = await finish(agent.send("s", "Go."));
      assert.equal(result.end, end);
      assert.deepEqual(
        ofType(result.events, "incomplete").map(({ reason }) => reason),
        [end],
      );
    }
    assert.equal((await finish(agent.send("s", "Go on."))).end, "done");
  });

  test(`${name}: an overflow in the provider's words is compacted and sent again [wires.overflow]`, async (t) => {
    let refused = 0;
    const { server, agent } = await open(t, wireOf(), (request, number) => {
      if (isSummary(request)) return { text: "Earlier: files were read." };
      if (number >= 2 && refused++ === 0) return { overflow: true };
      return { text: `Answer ${number}. ${filler(300)}` };
    });
    await finish(agent.send("s", `One. ${filler(300)}`));
    await finish(agent.send("s", `Two. ${filler(300)}`));
    const { end, compacted } = await finish(agent.send("s", "Three."));
    assert.deepEqual([end, compacted, refused > 0], ["done", true, true]);
    const said =
      server.requests
        .at(-1)
        ?.messages.flatMap(({ texts }) => texts)
        .join("\n") ?? "";
    assert.match(said, /\[Summary of the conversation[\s\S]*Three\./);
  });

  test(`${name}: counts arrive from the provider's own fields, settings at its own [wires.usage] [wires.settings]`, async (t) => {
    const usage = { input: 1_000, output: 50, cacheRead: 600, cacheWrite: 300 };
    const { server, agent, memory } = await open(t, wireOf(), () => ({ text: "Hi.", usage }), {
      temperature: 0.25,
      maxOutputTokens: 321,
      headers: { "x-team": "audit" },
    });
    const { events } = await finish(agent.send("s", "Hello."));
    const [event] = ofType(events, "usage");
    const written = name === "anthropic" ? 300 : undefined;
    assert.deepEqual(event?.reported, {
      inputTokens: 1_000,
      outputTokens: 50,
      cachedTokens: 600,
      cacheWriteTokens: written,
    });
    const session = await memory.resumeSession("s");
    const [call] = await session.calls.list({ limit: 1 });
    assert.deepEqual((call?.facts as { usage?: unknown } | undefined)?.usage, {
      input: 1_000,
      cached: 600,
      written: written ?? null,
      output: 50,
    });
    const [request] = server.requests;
    assert.equal(request?.maxOutputTokens, 321);
    // Reasoning models of OpenAI take no temperature.
    if (name !== "openai") assert.equal(request?.temperature, 0.25);
    assert.equal(request?.headers["x-team"], "audit");
  });
}
