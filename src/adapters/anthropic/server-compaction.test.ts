import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openTestMemory } from "../../../test/support/memory.ts";
import type { Session } from "../../index.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { anthropicMemory, anthropicTools } from "./index.ts";
import { toParam } from "./test-support/params.ts";

type Params = Anthropic.Beta.MessageCreateParamsNonStreaming;
type Answer = { content: object[]; stop_reason: string };

/** The real client; the API's answers are a script. Keeps the requests as they go out. */
function openClient(session: Session, answers: Answer[], options: { compactAt?: number } = {}) {
  const sent: { body: Params; betas: string }[] = [];
  const client = new Anthropic({
    apiKey: "none",
    fetch: async (_url, init) => {
      const betas = new Headers(init?.headers).get("anthropic-beta") ?? "";
      sent.push({ body: JSON.parse(String(init?.body)) as Params, betas });
      return Response.json({ id: "msg", type: "message", role: "assistant", ...answers.shift() });
    },
  });
  const errors: Error[] = [];
  const memory = anthropicMemory({
    session,
    create: (params: Params) => client.beta.messages.create(params),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { sent, memory, errors };
}

const says = (text: string): Answer => ({ content: [{ type: "text", text }], stop_reason: "end_turn" });
const pauses = (content: string | null): Answer => ({
  content: [{ type: "compaction", content, encrypted_content: "sealed" }],
  stop_reason: "compaction",
});
const shownIn = ({ system, messages }: Params) => JSON.stringify([system, messages]);

testDriver("Anthropic adapter with the API's compaction", async (t) => ({
  async run({ notepad, messages, summary }, surfaces) {
    const memory = await openMemory({ store: "memory:", surfaces: ["notepad", ...surfaces] });
    t.after(() => memory.close());
    const session = await memory.openSession("s");
    await session.notepad.write(notepad);
    const client = openClient(session, [pauses(summary), says("Done.")]);
    const given = messages.map(toParam);
    await client.memory.create({ model: "a-model", max_tokens: 1_000, messages: given });
    await client.memory.end([]);
    const body = client.sent.at(-1)?.body;
    const system = Array.isArray(body?.system) ? body.system.map(({ text }) => text) : [];
    return { session, shown: system.join("\n") };
  },
}));

const request = { model: "a-model", max_tokens: 1_000, system: "You audit." };

test("the API's pause is the moment of the checkpoint, and the answer has the compaction in it [anthropic.compaction]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  await session.notepad.write("- July is counted twice");
  const answers = [pauses("The user asked about src/q3.ts."), says("It is July."), says("August.")];
  const { sent, memory: given } = openClient(session, answers, { compactAt: 60_000 });
  const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: "Why is src/q3.ts off?" }];
  const whole = structuredClone(messages);
  const answer = await given.create({ ...request, messages });
  assert.deepEqual(messages, whole, "the caller's messages stay as they are");
  assert.deepEqual(
    answer.content.map(({ type }) => type),
    ["compaction", "text"],
  );
  const [first, second] = sent;
  assert.match(first?.betas ?? "", /compact-2026-01-12/);
  assert.deepEqual(first?.body.context_management?.edits, [
    {
      type: "compact_20260112",
      trigger: { type: "input_tokens", value: 60_000 },
      pause_after_compaction: true,
    },
  ]);
  assert.doesNotMatch(shownIn(first?.body as Params), /\[Checkpoint/);
  assert.match(
    shownIn(second?.body as Params),
    /You audit[\s\S]*\[Checkpoint[\s\S]*\[Receipt: [\s\S]*July is counted twice/,
  );
  assert.deepEqual(second?.body.messages.at(-1)?.content, pauses("The user asked about src/q3.ts.").content);
  const receipts = await session.receipts();
  assert.equal(receipts.length, 1);
  assert.equal(receipts[0]?.summaryBy, "model");

  // A new process continues from the caller's messages.
  messages.push({ role: "assistant", content: answer.content as Anthropic.Beta.BetaContentBlockParam[] });
  messages.push({ role: "user", content: "And then?" });
  const later = openClient(session, [says("August.")]);
  await later.memory.create({ ...request, messages });
  assert.match(
    shownIn(later.sent[0]?.body as Params),
    /\[Checkpoint[\s\S]*\[Receipt: [\s\S]*July is counted twice/,
  );
  await session.notepad.append("- checked", { actor: { kind: "person" } });
  const before = JSON.stringify(later.sent[0]?.body.system);
  const news = openClient(session, [says("One."), says("Two.")]);
  await news.memory.create({ ...request, messages });
  await session.notepad.append("- and again", { actor: { kind: "person" } });
  await news.memory.create({ ...request, messages });
  const [one, two] = news.sent.map(({ body }) => body);
  assert.notEqual(JSON.stringify(one?.system), before);
  assert.equal(JSON.stringify(two?.system), JSON.stringify(one?.system), "the system prompt stays cached");
  assert.match(JSON.stringify(two?.messages.at(-1)), /changed by someone else[\s\S]*and again/);
  await memory.close();
});

test("a second compaction accounts only for what came after the first [anthropic.compaction]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  const { memory: given } = openClient(session, [pauses("first"), says("a"), pauses("second"), says("b")]);
  const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: "Look at src/one.ts" }];
  const answer = await given.create({ ...request, messages });
  messages.push({ role: "assistant", content: answer.content as Anthropic.Beta.BetaContentBlockParam[] });
  messages.push({ role: "user", content: "Look at src/two.ts" });
  await given.create({ ...request, messages });
  const [first, second] = await session.receipts();
  assert.equal(first?.to, 1);
  assert.equal(second?.to, 2);
  assert.match(JSON.stringify(second), /src\/two\.ts/);
  await memory.close();
});

test("the API's clearing is the only one, and leaves memory's results alone [anthropic.clearing]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad", "results"] });
  const session = await memory.openSession("s");
  const { sent, memory: given } = openClient(session, [says("Done.")]);
  const long = "cell ".repeat(20_000);
  const messages: Anthropic.Beta.BetaMessageParam[] = [
    { role: "user", content: "Read it." },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: long }] },
  ];
  const edits = [{ type: "clear_tool_uses_20250919" as const, exclude_tools: ["web_search"] }];
  await given.create({ ...request, messages, context_management: { edits } });
  const [{ body, betas } = { body: undefined, betas: "" }] = sent;
  assert.match(betas, /context-management-2025-06-27/);
  assert.deepEqual(body?.messages, messages, "Holdfast clears nothing itself");
  const [clearing] = body?.context_management?.edits ?? [];
  const excluded = clearing && "exclude_tools" in clearing ? (clearing.exclude_tools ?? []) : [];
  const own = (await anthropicTools(session)).map(({ name }) => name);
  assert.deepEqual([...excluded], ["web_search", ...own, "memory"]);
  await memory.close();
});

test("a failed compaction removes nothing, and a memory failure stops nothing [anthropic.compaction]", async (t) => {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  const session = await memory.openSession("s");
  const messages = [{ role: "user" as const, content: "Go on." }];
  const failing = openClient(session, [pauses(null), says("Here.")]);
  const { content } = await failing.memory.create({ ...request, messages });
  assert.equal(content.length, 2);
  assert.deepEqual(await session.receipts(), []);
  t.mock.method(session, "context", async () => Promise.reject(new Error("the disk is gone")));
  const broken = openClient(session, [says("Still here.")]);
  const answer = await broken.memory.create({ ...request, messages });
  assert.deepEqual(answer.content, says("Still here.").content);
  assert.deepEqual(
    broken.errors.map(({ message }) => message),
    ["the disk is gone"],
  );
  await memory.close();
});
