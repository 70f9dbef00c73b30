import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openTestMemory } from "../../../test/support/memory.ts";
import type { Session } from "../../index.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { anthropicMemory, anthropicTools, handleToolUse, memoryToolHandlers } from "./index.ts";
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
  warned: "the API compacts within a call, at a size that only it counts",
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

test("the API's pause is the moment of the handoff, and the answer has the compaction in it [anthropic.compaction]", async () => {
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
  assert.doesNotMatch(shownIn(first?.body as Params), /\[Handoff/);
  assert.match(
    shownIn(second?.body as Params),
    /You audit[\s\S]*\[Handoff[\s\S]*\[Receipt: [\s\S]*July is counted twice/,
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
    /\[Handoff[\s\S]*\[Receipt: [\s\S]*July is counted twice/,
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

/** An answer in which the model calls a tool. */
const calls = (id: string, name: string, input: object): Answer => ({
  content: [{ type: "tool_use", id, name, input }],
  stop_reason: "tool_use",
});

/** The loop of the guide: the answers to one question. `meanwhile` runs after each answer. */
async function ask(
  session: Session,
  { memory }: ReturnType<typeof openClient>,
  messages: Anthropic.Beta.BetaMessageParam[],
  meanwhile: (answer: number) => Promise<unknown> = async () => undefined,
) {
  for (let number = 0; ; number++) {
    const answer = await memory.create({ ...request, messages, tools: await anthropicTools(session) });
    messages.push({ role: "assistant", content: answer.content as Anthropic.Beta.BetaContentBlockParam[] });
    await meanwhile(number);
    if (answer.stop_reason !== "tool_use") return;
    messages.push({ role: "user", content: await handleToolUse(session, answer) });
  }
}

test("the model's own edits are not news; someone else's are shown once, in a place that does not move [anthropic.news]", async () => {
  const memory = await openTestMemory({ surfaces: ["notepad", "notes"] });
  const session = await memory.openSession("s");
  const append = (id: string, content: string) =>
    calls(id, "update_notepad", { operation: "append", content });
  const file = (id: string, name: string) =>
    calls(id, "memory", { command: "create", path: `/memories/log/${name}.md`, file_text: name });
  const answers = [
    append("t1", "- one"),
    append("toolu_0123456789", "- two"),
    file("t2", "a"),
    file("t3", "b"),
  ];
  // A command of several operations.
  answers.push(
    calls("t4", "memory", { command: "rename", old_path: "/memories/log", new_path: "/memories/old" }),
  );
  const client = openClient(session, [
    ...answers,
    says("Done."),
    append("t5", "- five"),
    says("Yes."),
    says("Good."),
  ]);
  const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: "Note it." }];
  await ask(session, client, messages);
  await memoryToolHandlers(session).create({
    command: "create",
    path: "/memories/c.md",
    file_text: "c",
  } as { command: string });
  const own = client.sent.map(({ body }) => shownIn(body)).join("\n");
  assert.doesNotMatch(own, /changed by someone else/);
  assert.match(await session.notepad.read(), /- one\n- two/);

  messages.push({ role: "user", content: "Go on." });
  const person = { actor: { kind: "person" as const } };
  await ask(session, client, messages, async (number) =>
    number === 0 ? session.notepad.append("- from Ada", person) : undefined,
  );
  messages.push({ role: "user", content: "And now?" });
  await ask(session, client, messages);
  const bodies = client.sent.map(({ body }) => body);
  const news = bodies.map((body) => shownIn(body).split("changed by someone else").length - 1);
  assert.deepEqual(news.slice(-3), [0, 1, 1]);
  assert.match(shownIn(bodies.at(-1) as Params), /changed by someone else[\s\S]*from Ada/);
  for (const [index, { messages: sent }] of bodies.entries()) {
    const next = bodies[index + 1]?.messages.slice(0, sent.length - 1) ?? sent.slice(0, -1);
    assert.deepEqual(next, sent.slice(0, -1), `request ${index} is the beginning of the next one`);
  }
  assert.deepEqual(
    bodies.at(-1)?.messages.at(-3),
    bodies.at(-2)?.messages.at(-1),
    "the news stays where it was",
  );
  assert.doesNotMatch(
    JSON.stringify(messages),
    /changed by someone else/,
    "the caller's messages stay as they are",
  );
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
  assert.deepEqual([second?.from, second?.to], [2, 3], "the numbers go on");
  assert.match(second?.line ?? "", /^\[Receipt: 2 messages compacted\. Above: 2 user messages\./);
  const [, handoff] = await session.records("handoff");
  assert.match(handoff?.value.text ?? "", /- Look at src\/one\.ts\n- Look at src\/two\.ts\n/);
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
  t.mock.restoreAll();
  t.mock.method(session, "tools", async () => Promise.reject(new Error("it is locked")));
  const locked = openClient(session, [says("Still here.")]);
  await locked.memory.create({ ...request, messages });
  assert.equal(locked.errors[0]?.message, "it is locked");
  await memory.close();
});
