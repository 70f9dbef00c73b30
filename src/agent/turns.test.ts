import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import {
  append,
  call,
  filler,
  finish,
  inOrder,
  isSummaryRequest,
  isWarning,
  modelAt,
  ofType,
  openStage,
} from "../../test/support/agent.ts";
import { openMemory } from "../index.ts";
import { memoryStore } from "../stores/memory.ts";
import type { ScriptedAnswer } from "../testing/index.ts";
import { type AgentEvent, createAgent } from "./index.ts";
import { mockModel } from "./test-support/mock-model.ts";

/** A promise with its resolver. */
function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

const never = () => new Promise<ScriptedAnswer>(() => undefined);
const roles = async (session: { messages(): Promise<unknown[]> }) =>
  ((await session.messages()) as { message: { role: string } }[]).map(({ message }) => message.role);

test("a turn emits every event, in order [controller.events]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([
      { text: "Let me note it.", toolCalls: [append("- x"), call("nonsense", {})] },
      { text: "Done." },
    ]),
  });
  const { events, text, steps, end, wroteMemory, compacted } = await stage.say("Note x.");
  assert.deepEqual(
    { text, steps, end, wroteMemory, compacted },
    { text: "Done.", steps: 2, end: "done", wroteMemory: true, compacted: false },
  );
  const joined: AgentEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === "text" && last?.type === "text") last.text += event.text;
    else joined.push({ ...event });
  }
  assert.deepEqual(
    joined.map(({ type }) => type),
    ["text", "usage", "tool-call", "tool-result", "tool-call", "tool-result", "text", "usage"],
  );
  assert.deepEqual(
    ofType(joined, "text").map((event) => event.text),
    ["Let me note it.", "Done."],
  );
  assert.deepEqual(ofType(joined, "tool-call")[0], {
    type: "tool-call",
    id: "call_0_0",
    tool: "update_notepad",
    input: { operation: "append", content: "- x" },
  });
  assert.deepEqual(ofType(joined, "tool-result")[0], {
    type: "tool-result",
    id: "call_0_0",
    tool: "update_notepad",
    text: '{"ok":true}',
    isError: false,
  });
  assert.equal(ofType(joined, "tool-result")[1]?.isError, true);
  assert.ok((ofType(joined, "usage")[0]?.reported.inputTokens ?? 0) > 0);
});

test("a tool runs once, and its result or error reaches the model [controller.events]", async (t) => {
  let runs = 0;
  const count = tool({
    inputSchema: z.object({ fail: z.boolean() }),
    execute: async ({ fail }) => {
      runs++;
      if (fail) throw new Error("disk full");
      return { rows: 3 };
    },
  });
  const stage = await openStage(t, {
    tools: { count },
    script: inOrder([
      {
        toolCalls: [
          call("count", { fail: false }),
          call("count", { fail: true }),
          call("count", { fail: "?" }),
        ],
      },
    ]),
  });
  await stage.say("Count.");
  assert.equal(runs, 2);
  const answers =
    stage
      .turns()[1]
      ?.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => content) ?? [];
  assert.deepEqual(answers.slice(0, 2), ['{"rows":3}', "count failed: disk full"]);
  assert.match(String(answers[2]), /^count was not run: /);
});

test("the turn handles NUL in a tool's result and a tool that yields progress [controller.events]", async (t) => {
  const binary = tool({ inputSchema: z.object({}), execute: async () => "PK\u0000\u0003" });
  const slow = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield "half";
      yield "whole";
    },
  });
  const stage = await openStage(t, {
    tools: { binary, slow },
    script: inOrder([{ toolCalls: [call("binary", {}), call("slow", {})] }, { text: "It is\u0000 a zip." }]),
  });
  await stage.say("Look.");
  const answers = stage.turns()[1]?.messages.filter(({ role }) => role === "tool") ?? [];
  assert.deepEqual(
    answers.map(({ content }) => content),
    ["PK\ufffd\u0003", "whole"],
  );
  await stage.say("And?");
  assert.ok(JSON.stringify(stage.turns()[2]?.messages).includes("It is\ufffd a zip."));
  await assert.rejects(stage.agent.send("s", "a\u0000b").result, /NUL/);
});

test("a resumed turn runs the memory call that a dead process left open, and reports the write [controller.events]", async (t) => {
  const stage = await openStage(t, { script: inOrder([{ text: "Noted." }]) });
  const session = await stage.session();
  const input = { operation: "append", content: "x" };
  const open = { type: "tool-call", toolCallId: "c1", toolName: "update_notepad", input };
  const messages = [
    { at: 0, message: { role: "user", content: "Note x." } },
    { at: 0, message: { role: "assistant", content: [open] } },
  ];
  await session.apply({ type: "messages.add", messages });
  const { text, wroteMemory } = await stage.agent.resume("s").result;
  assert.deepEqual([text, wroteMemory, await session.notepad.read()], ["Noted.", true, "x"]);
});

test("an endless turn is cut off after maxSteps [controller.events]", async (t) => {
  const stage = await openStage(t, { script: () => ({ toolCalls: [call("list_notes", {})] }), maxSteps: 3 });
  const { end, steps } = await stage.say("Go.");
  assert.deepEqual([end, steps], ["steps", 3]);
  assert.equal(stage.turns().length, 3);
});

test("a provider's error is an event and a rejection; the user's message is kept [controller.events]", async (t) => {
  const stage = await openStage(t, {
    script: (_, number) => (number === 0 ? { status: 401, error: "bad key" } : { text: "Hello." }),
  });
  const turn = stage.agent.send("s", "Hi.");
  const events: AgentEvent[] = [];
  for await (const event of turn) events.push(event);
  assert.deepEqual(events, [{ type: "error", message: "bad key" }]);
  await assert.rejects(turn.result, /bad key/);
  const resumed = await finish(stage.agent.resume("s"));
  assert.equal(resumed.text, "Hello.");
  assert.deepEqual(await roles(await stage.session()), ["user", "assistant"]);
});

test("two sends to one session run one after the other, even if the first fails [controller.queue]", async (t) => {
  const { opened, open } = gate();
  const stage = await openStage(t, {
    script: async (_, number) => {
      if (number === 0) await opened;
      return number === 1 ? { status: 401, error: "no" } : { text: `Answer ${number}.` };
    },
  });
  const turns = ["One.", "Two.", "Three."].map((text) => stage.agent.send("s", text));
  const other = await stage.agent.send("other", "Elsewhere.").result.catch((error: Error) => error.message);
  assert.equal(other, "no", "another session does not wait");
  open();
  const results = await Promise.allSettled(turns.map(({ result }) => result));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "fulfilled", "fulfilled"],
  );
  const said = (
    (await (await stage.session()).messages()) as { message: { role: string; content: unknown } }[]
  ).map(({ message }) => (message.role === "user" ? message.content : "…"));
  assert.deepEqual(said, ["One.", "…", "Two.", "…", "Three.", "…"]);
});

test("a send that is aborted while it waits ends at once, and the next one keeps its place [controller.queue]", async (t) => {
  const { opened, open } = gate();
  const stage = await openStage(t, {
    script: async (_, number) => {
      if (number === 0) await opened;
      return { text: `Answer ${number}.` };
    },
  });
  const controller = new AbortController();
  const first = stage.agent.send("s", "One.");
  const second = finish(stage.agent.send("s", "Two.", { signal: controller.signal }));
  const third = stage.agent.send("s", "Three.");
  controller.abort();
  await assert.rejects(second, { name: "AbortError" });
  open();
  assert.deepEqual([(await first.result).text, (await third.result).text], ["Answer 0.", "Answer 1."]);
});

test("two concurrent agents in one session: providers accept every prompt [controller.prompt-pairs]", async (t) => {
  const { opened, open } = gate();
  const { opened: asked, open: ask } = gate();
  const slow = tool({
    inputSchema: z.object({}),
    execute: async () => {
      ask();
      await opened;
      return "the slow result";
    },
  });
  const stage = await openStage(t, {
    tools: { slow },
    script: (_, number) =>
      number === 0 ? { text: "Wait.", toolCalls: [call("slow", {})] } : { text: `Answer ${number}.` },
  });
  const first = stage.agent.send("s", "One.");
  await asked;
  assert.equal((await stage.another().send("s", "Two.").result).text, "Answer 1.");
  open();
  assert.equal((await first.result).text, "Answer 2.");
  await stage.say("Three.");
  assert.ok(JSON.stringify(stage.turns().at(-1)?.messages).includes("the slow result"), "nothing is lost");
});

test("a store failure in memory's part of a turn does not block the turn [controller.failing-memory]", async (t) => {
  const inner = memoryStore();
  let failing = "none";
  const store = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (JSON.stringify(args)?.includes(`"type":"${failing}`)) throw new Error("disk I/O error");
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  const stage = await openStage(t, {
    memory: await openMemory({ store, clock: () => 0 }),
    contextWindow: 4_000,
    script: inOrder([{ toolCalls: [append("a finding")] }, { text: "One." }]),
  });
  await stage.say("Note it.");
  const session = await stage.session();
  await session.notepad.append("another finding", { actor: { kind: "person" } });
  for (const type of ["context.show", "context.tell", "context.warn", "context.c"]) {
    failing = type;
    const { text, events } = await stage.say(`Go on. ${filler(400)}`);
    // Where the compaction fails, the warning stays in the prompt.
    assert.match(text, type === "context.c" ? /^(?:Done|Saved)\.$/ : /^Done\.$/, type);
    const reported = ofType(events, "error").filter(({ message }) => message.includes("disk I/O error"));
    if (type === "context.show" || type === "context.c") assert.ok(reported.length > 0, type);
  }
  failing = "none";
  await stage.say("And now?");
  assert.ok(JSON.stringify(stage.turns().at(-1)?.messages).includes("a finding"));
});

test("aborting while the model answers: no partial answer is kept, and the next turn works [controller.abort]", async (t) => {
  const controller = new AbortController();
  const stage = await openStage(t, {
    script: (_, number) => {
      if (number > 0) return { text: "Yes." };
      controller.abort();
      return never();
    },
  });
  const turn = stage.agent.send("s", "One.", { signal: controller.signal });
  await assert.rejects(turn.result, { name: "AbortError" });
  assert.deepEqual(await roles(await stage.session()), ["user"]);
  assert.equal((await stage.say("Two.")).text, "Yes.");
  await assert.rejects(stage.agent.send("s", "Never.", { signal: AbortSignal.abort() }).result, {
    name: "AbortError",
  });
  assert.ok(!JSON.stringify(await (await stage.session()).messages()).includes("Never."));
});

test("aborting during a tool: every call gets a result, without waiting for a tool that ignores the signal [controller.abort]", async (t) => {
  const controller = new AbortController();
  const deaf = tool({
    inputSchema: z.object({}),
    execute: () => {
      controller.abort();
      return new Promise<string>(() => undefined);
    },
  });
  const stage = await openStage(t, {
    tools: { deaf },
    script: (_, number) =>
      number === 0
        ? { toolCalls: [append("- before"), call("deaf", {}), append("- after")] }
        : { text: "Again." },
  });
  await assert.rejects(stage.agent.send("s", "Go.", { signal: controller.signal }).result, {
    name: "AbortError",
  });
  assert.deepEqual(await roles(await stage.session()), ["user", "assistant", "tool"]);
  assert.equal(await (await stage.session()).notepad.read(), "- before");
  await stage.say("What happened?");
  const answers = stage
    .turns()
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content);
  assert.deepEqual(answers?.slice(1), [
    "deaf was aborted. Check what it did before calling it again.",
    "update_notepad was not run: the turn was aborted. Call it again if it is still needed.",
  ]);
});

test("aborting the warning or the summary removes nothing [controller.abort]", async (t) => {
  for (const phase of [isWarning, isSummaryRequest]) {
    const controller = new AbortController();
    let aborts = true;
    const stage = await openStage(t, {
      contextWindow: 5_000,
      surfaces: ["notepad", "results"],
      script: (request, number) => {
        if (!aborts || !phase(request)) return inOrder([])(request, number);
        controller.abort();
        return never();
      },
    });
    for (const text of ["One.", "Two."]) await stage.say(`${text} ${filler(1_200)}`);
    await assert.rejects(
      stage.agent.send("s", `Three. ${filler(700)}`, { signal: controller.signal }).result,
      { name: "AbortError" },
    );
    assert.deepEqual(await stage.agent.receipts("s"), []);
    aborts = false;
    const { events, text } = await stage.say("Four.");
    assert.equal(text, "Done.");
    assert.equal(ofType(events, "receipt").length, 1);
  }
});

test("calls that share one id are kept apart [controller.events]", async (t) => {
  const twice = [append("- one"), append("- two"), append("- two")].map((each) => ({
    ...each,
    id: "call_0",
  }));
  const stage = await openStage(t, { script: () => ({ status: 401, error: "stop" }) });
  const memory = stage.memory;
  const model = mockModel(({ messages }) =>
    messages.at(-1)?.role === "user" ? { toolCalls: twice } : { text: "Done." },
  );
  await createAgent({ memory, model, contextWindow: 30_000 }).send("s", "Note both.").result;
  assert.equal(await (await stage.session()).notepad.read(), "- one\n- two\n- two");
});

test("resume continues an unfinished turn and leaves a finished one alone [controller.resume]", async (t) => {
  const stage = await openStage(t, { script: inOrder([{ text: "Finished." }]) });
  assert.equal((await stage.agent.resume("s").result).text, "", "nothing was ever asked");
  await stage.say("Do it.");
  assert.equal(stage.turns().length, 1);
  const resumed = await stage.another().resume("s").result;
  assert.deepEqual([resumed.text, resumed.steps], ["Finished.", 0]);
  assert.equal(stage.turns().length, 1, "the model was not asked again");
});

test("invalid options are rejected by name [controller.options]", async () => {
  const memory = await openMemory({ store: "memory:" });
  const model = modelAt("http://127.0.0.1:1/v1");
  const bad = [
    { contextWindow: Number.NaN },
    { contextWindow: 0 },
    { contextWindow: 1_000, compactAt: 80 },
    { contextWindow: 1_000, keep: -1 },
    { contextWindow: 1_000, outputReserve: 1_000 },
    { contextWindow: 1_000, maxSteps: Number.NaN },
    { contextWindow: 1_000, placement: "epcoh" as never },
  ];
  await assert.rejects(createAgent({ memory, model, contextWindow: 1_000 }).send("s", " \n").result, {
    code: "invalid_input",
  });
  for (const options of bad)
    assert.throws(() => createAgent({ memory, model, ...options }), {
      code: "invalid_input",
      message: /The option "\w+" of createAgent must be/,
    });
  const tools = { write_notepad: tool({ inputSchema: z.object({}), execute: async () => "" }) };
  assert.throws(() => createAgent({ memory, model, tools, contextWindow: 1_000 }), {
    code: "duplicate_tool",
  });
});
