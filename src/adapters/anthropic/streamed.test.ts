import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { BetaMessageStream } from "@anthropic-ai/sdk/lib/BetaMessageStream";
import { openTestMemory } from "../../../test/support/memory.ts";
import type { Session } from "../../index.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { anthropicMemory } from "./index.ts";
import { type Block, type ScriptedMessage, startMessagesStream } from "./test-support/messages-events.ts";
import { toParam } from "./test-support/params.ts";

type Params = Anthropic.Beta.MessageCreateParamsNonStreaming;
type Event = Anthropic.Beta.BetaRawMessageStreamEvent;

const says = (text: string): ScriptedMessage => ({
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
});
const pauses = (content: string | null): ScriptedMessage => ({
  content: [{ type: "compaction", content, encrypted_content: "sealed" }],
  stop_reason: "compaction",
});
const request = { model: "a-model", max_tokens: 1_000, system: "You audit." };
const question: Anthropic.Beta.BetaMessageParam = { role: "user", content: "Why is src/q3.ts off?" };

async function openStreams(t: TestContext, session: Session, answers: ScriptedMessage[]) {
  const { client, requests } = await startMessagesStream(t, answers);
  const errors: Error[] = [];
  const memory = anthropicMemory({
    session,
    stream: (params: Params) => client.beta.messages.stream(params),
    onError: (error) => errors.push(error),
  });
  return { client, requests, memory, errors };
}

async function openNotes(t: TestContext): Promise<Session> {
  const memory = await openTestMemory({ surfaces: ["notepad"] });
  t.after(() => memory.close());
  const session = await memory.openSession("s");
  await session.notepad.write("- July is counted twice");
  return session;
}

/** The events as they arrive: the SDK goes on to change the message of the first. */
async function eventsOf(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(structuredClone(event));
  return events;
}

/** What the SDK makes of the events. */
function accumulate(events: readonly object[]) {
  const lines = events.map((event) => new TextEncoder().encode(`${JSON.stringify(event)}\n`));
  return BetaMessageStream.fromReadableStream(ReadableStream.from(lines)).finalMessage();
}

testDriver("Anthropic adapter with the API's compaction, streamed", async (t) => ({
  warned: "the API compacts within a call, at a size that only it counts",
  async run({ notepad, messages, summary }, surfaces) {
    const memory = await openMemory({ store: "memory:", surfaces: ["notepad", ...surfaces] });
    t.after(() => memory.close());
    const session = await memory.openSession("s");
    await session.notepad.write(notepad);
    const { memory: given, requests } = await openStreams(t, session, [pauses(summary), says("Done.")]);
    await given.stream({ ...request, messages: messages.map(toParam) }).finalMessage();
    await given.end([]);
    const system: { text: string }[] = requests.at(-1)?.body.system;
    return { session, shown: system.map(({ text }) => text).join("\n") };
  },
}));

test("a stream that pauses after a compaction goes on as one message, with the handoff [anthropic.streamed]", async (t) => {
  const session = await openNotes(t);
  const use: Block = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "src/q3.ts" } };
  const goesOn = { content: [...says("Reading it.").content, use], stop_reason: "tool_use" };
  const { memory, requests } = await openStreams(t, session, [pauses("The user asked about Q3."), goesOn]);
  const stream = memory.stream({ ...request, messages: [question] });
  const events: Event[] = [];
  let receiptsAtText = 0;
  for await (const event of stream) {
    events.push(structuredClone(event));
    if (event.type === "content_block_start" && event.content_block.type === "text")
      receiptsAtText = (await session.receipts()).length;
  }
  assert.equal(receiptsAtText, 1, "the receipt was written before the model went on");
  const [first, second] = requests;
  assert.match(String(first?.headers["anthropic-beta"]), /compact-2026-01-12/);
  assert.deepEqual(first?.body.context_management.edits, [
    { type: "compact_20260112", pause_after_compaction: true },
  ]);
  assert.deepEqual(second?.body.messages, [
    question,
    { role: "assistant", content: pauses("The user asked about Q3.").content },
  ]);
  assert.match(
    JSON.stringify(second?.body.system),
    /You audit[\s\S]*\[Handoff[\s\S]*\[Receipt: [\s\S]*July is counted twice/,
  );

  const content = [...pauses("The user asked about Q3.").content, ...goesOn.content];
  const answer = await stream.finalMessage();
  assert.deepEqual(answer.content, content);
  assert.equal(answer.stop_reason, "tool_use");
  const count = (type: string) => events.filter((event) => event.type === type).length;
  assert.deepEqual([count("message_start"), count("message_delta"), count("message_stop")], [1, 1, 1]);
  const accumulated = await accumulate(events);
  assert.deepEqual(accumulated.content, content, "the SDK reads the events as one message");
  assert.equal(accumulated.stop_reason, "tool_use");
});

test("the events of stream: true are joined in the same way [anthropic.streamed]", async (t) => {
  const session = await openNotes(t);
  const { client } = await startMessagesStream(t, [pauses("one"), pauses("two"), says("July.")]);
  const memory = anthropicMemory({
    session,
    stream: (params: Params) => client.beta.messages.create({ ...params, stream: true }),
  });
  const stream = memory.stream({ ...request, messages: [question] });
  const { content } = await accumulate(await eventsOf(stream));
  assert.deepEqual(
    content,
    [pauses("one"), pauses("two"), says("July.")].flatMap((answer) => answer.content),
  );
  assert.equal((await session.receipts()).length, 2);
  await assert.rejects(stream.finalMessage(), /client\.beta\.messages\.stream\(params\)/);
});

test("a stream without a compaction is the API's, event for event [anthropic.streamed]", async (t) => {
  const session = await openNotes(t);
  const { client, memory } = await openStreams(t, session, [says("July."), says("July.")]);
  const given = await eventsOf(memory.stream({ ...request, messages: [question] }));
  const bare = await eventsOf(client.beta.messages.stream({ ...request, messages: [question] }));
  // The first event of each has the id of its message.
  assert.deepEqual(given.slice(1), bare.slice(1));
});

test("a failed compaction, a broken stream and a broken memory are streamed as they are [anthropic.streamed]", async (t) => {
  const session = await openNotes(t);
  const failing = await openStreams(t, session, [pauses(null), says("Here.")]);
  const answer = await failing.memory.stream({ ...request, messages: [question] }).finalMessage();
  assert.deepEqual(answer.content, [...pauses(null).content, ...says("Here.").content]);
  assert.deepEqual(await session.receipts(), []);

  const left = await openStreams(t, session, [says("July.")]);
  const stream = left.memory.stream({ ...request, messages: [question] });
  for await (const _event of stream) break;
  await assert.rejects(stream.finalMessage(), /left before its end/);

  const ended = await openStreams(t, session, [pauses("one")]);
  await assert.rejects(ended.memory.stream({ ...request, messages: [question] }).finalMessage());
  assert.equal((await session.receipts()).length, 1, "the compaction before the failure is accounted for");

  t.mock.method(session, "context", async () => Promise.reject(new Error("the disk is gone")));
  const broken = await openStreams(t, session, [says("Still here.")]);
  const still = await broken.memory.stream({ ...request, messages: [question] }).finalMessage();
  assert.deepEqual(still.content, says("Still here.").content);
  assert.deepEqual(
    broken.errors.map(({ message }) => message),
    ["the disk is gone"],
  );
});

test("anthropicMemory says which of the client's methods it needs [anthropic.streamed]", async (t) => {
  const session = await openNotes(t);
  assert.throws(() => anthropicMemory({ session }), /needs "create": pass .*client\.beta\.messages\.create/);
  const memory = anthropicMemory({ session, create: async (_: Params) => says("") });
  assert.throws(() => memory.stream({ ...request, messages: [] }), /needs "stream": pass/);
});
