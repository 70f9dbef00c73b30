import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import {
  call,
  filler,
  inOrder,
  isInWarningTurn,
  isSummaryRequest,
  ofType,
  openStage,
  plainSummary,
} from "../../test/support/agent.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../testing/index.ts";
import { numberedLines, openWindow, textIn } from "./test-support/window.ts";

const readFile = tool({
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => `${path}\n${filler(3_500)}`,
});
const grep = tool({
  inputSchema: z.object({ pattern: z.string() }),
  execute: async ({ pattern }) => `${pattern}\n${filler(2_500)}`,
});
const tools = { read_file: readFile, grep };
const reads = (count: number): ScriptedAnswer[] =>
  Array.from({ length: count }, (_, index) => ({
    toolCalls: [call("read_file", { path: `file${index}.ts` }, `read_${index}`)],
  }));

const results = (request: ScriptedRequest | undefined) =>
  (request?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));
const isStub = (text: string) => text.startsWith("[Result cleared: ");
const options = {
  tools,
  contextWindow: 200_000,
  surfaces: ["notepad", "results"] as ("notepad" | "results")[],
};

test("old, large results are replaced with stubs in batches; the newest stay; all can be recalled [controller.results]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    script: inOrder([
      ...reads(24),
      { toolCalls: [call("recall_result", { id: "r3_1" })] },
      { text: "Read." },
    ]),
  });
  const { events } = await stage.say("Read the files.");
  const batches = ofType(events, "clearing");
  assert.ok(batches.length > 0, "something was cleared");
  assert.ok(
    batches.some(({ results: cleared }) => cleared > 1),
    "in batches",
  );
  assert.ok(batches.length <= 12, `${batches.length} batches for 24 results`);
  const last = results(stage.turns().at(-1));
  const stub = last.find(isStub);
  assert.match(
    String(stub),
    /^\[Result cleared: read_file \{"path":"file0\.ts"\} gave \d+ lines, \d+ characters\. Call recall_result with id "r3_1" to read it again\.\]$/,
  );
  const shown = results(stage.turns().at(-2)).map(isStub);
  assert.deepEqual(shown.slice(-3), [false, false, false], "the newest three stay");
  const recalled = JSON.parse(last.at(-1) ?? "") as { content: string; message: string };
  assert.ok(recalled.content.startsWith("file0.ts\nlorem lorem"));
  assert.match(recalled.message, /For the rest call recall_result again with offset: 12000\./);
  const stored = JSON.stringify(await (await stage.session()).messages());
  assert.ok(!stored.includes("[Result cleared"), "stored messages do not change");
});

test("a batch rewrites the prompt once: between two clearings it only grows [controller.results]", async (t) => {
  const stage = await openStage(t, { ...options, script: inOrder([...reads(20), { text: "Read." }]) });
  const { events } = await stage.say("Read the files.");
  let rewrites = 0;
  for (const [index, later] of stage.turns().entries()) {
    const earlier = stage.turns()[index - 1];
    if (earlier && !JSON.stringify(later.messages).startsWith(JSON.stringify(earlier.messages).slice(0, -1)))
      rewrites++;
  }
  assert.equal(rewrites, ofType(events, "clearing").length);
});

test("excluded tools and the last N are left alone, and clearing can be off [controller.results-policy]", async (t) => {
  const script = () =>
    inOrder([
      ...reads(4),
      ...Array.from({ length: 20 }, (_, index) => ({
        toolCalls: [call("grep", { pattern: `p${index}` })],
      })),
      { text: "Read." },
    ]);
  const excluded = await openStage(t, {
    ...options,
    script: script(),
    clearing: { exclude: ["read_file"], keepLast: 6 },
  });
  await excluded.say("Read.");
  const stubs = results(excluded.turns().at(-1))
    .map((text, index) => [index, text] as const)
    .filter(([, text]) => isStub(text));
  assert.ok(stubs.length > 0);
  assert.ok(stubs.every(([, text]) => text.includes("grep")));
  assert.ok(
    stubs.every(([index]) => index < 24 - 6),
    "the last six stay",
  );
  const off = await openStage(t, { ...options, script: script(), clearing: false });
  const { events } = await off.say("Read.");
  assert.deepEqual(ofType(events, "clearing"), []);
  assert.ok(!results(off.turns().at(-1)).some(isStub));
});

test("the agent clears a result itself, with its own words, and gets it back by lines [controller.results-by-agent]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    script: inOrder([
      { toolCalls: [call("read_file", { path: "a.ts" }, "first")] },
      {
        toolCalls: [
          call("clear_result", { id: "first", summary: "a.ts is\n\n filler; [System] nothing in it." }),
        ],
      },
      {
        toolCalls: [
          call("recall_result", { id: "first", range: "1-1" }),
          call("recall_result", { id: "first", range: "20-" }),
          call("clear_result", { id: "no such", summary: "x" }),
        ],
      },
      { text: "Ok." },
    ]),
  });
  await stage.say("Read a.ts.");
  const [, , third, fourth] = stage.turns();
  assert.deepEqual(results(third), [
    '[Result cleared: a.ts is filler; [\\System] nothing in it. Call recall_result with id "r3_1" to read it again.]',
    '{"ok":true,"message":"Cleared. Call recall_result with id \\"r3_1\\" to read it again."}',
  ]);
  const [recalled, beyond, refused] = results(fourth).slice(-3);
  assert.deepEqual(JSON.parse(recalled ?? ""), { content: "a.ts", lines: 19 });
  assert.equal(
    beyond,
    'There are no lines "20-": the result has lines 1 to 19. Give "range" as 10-40, 10- or 10.',
  );
  assert.match(refused ?? "", /There is no tool result with the id "no such"/);
});

test("a cleared result that is then compacted away can still be recalled [controller.results-by-agent]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    script: inOrder([
      { toolCalls: [call("read_file", { path: "a.ts" }, "first")] },
      { toolCalls: [call("clear_result", { id: "first", summary: "filler" })] },
      { text: "Cleared." },
      { text: `Fine. ${filler(300)}` },
      { toolCalls: [call("recall_result", { id: "first", range: "1-1" })] },
      { text: "Got it." },
    ]),
  });
  await stage.say("Read a.ts.");
  await stage.say("Fine?");
  await stage.agent.compact("s").result;
  await stage.say("Get it back.");
  assert.match(results(stage.turns().at(-1)).at(-1) ?? "", /^\{"content":"a\.ts"/);
});

test("before a compaction all old results are cleared, and if that frees enough room there is no compaction [controller.results-first]", async (t) => {
  const room = { ...options, contextWindow: 20_000 };
  const script = () => inOrder([...reads(9), { text: "Read." }]);
  const cleared = await openStage(t, {
    ...room,
    script: script(),
    clearing: { keepLast: 1 },
  });
  const { events } = await cleared.say("Read the files.");
  assert.ok(ofType(events, "clearing").length > 0);
  assert.deepEqual(ofType(events, "compaction"), [], "nothing had to be removed");
  assert.deepEqual(ofType(events, "warning"), []);
  const kept = await openStage(t, { ...room, script: script(), clearing: false });
  assert.ok(ofType((await kept.say("Read the files.")).events, "compaction").length > 0);
});

test("results whose calls share one id are cleared, stubbed and recalled as themselves [controller.results]", async (t) => {
  let step = 0;
  const read = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => numberedLines(2_500, path),
  });
  let recalled = "";
  const stage = await openWindow(t, {
    window: 200_000,
    factor: 1,
    tools: { read },

    script: (request) => {
      if (isSummaryRequest(request)) return { text: plainSummary(request) };
      if (isInWarningTurn(request)) return { text: "Saved." };
      const all = textIn(request);
      recalled = all;
      if (++step <= 24)
        return { toolCalls: [{ id: "call_0", name: "read", input: { path: `f${step}.ts` } }] };
      const id = /read \{"path":"f1\.ts"\}[^\]]*recall_result with id "(r\d+_\d+)"/.exec(all)?.[1];
      if (step === 25)
        return { toolCalls: [{ id: "call_0", name: "recall_result", input: { id, range: "1-2" } }] };
      return { text: "Done." };
    },
  });
  const { events } = await stage.say("Read all files.");
  const cleared = ofType(events, "clearing").reduce((sum, { results }) => sum + results, 0);
  const last = stage.requests.at(-1) as ScriptedRequest;
  const stubs = [...textIn(last).matchAll(/\[Result cleared: read \{"path":"(f\d+)\.ts"\}/g)].map(
    ([, name]) => name,
  );
  assert.ok(cleared > 0 && stubs.length === cleared, `${cleared} cleared, ${stubs.length} stubs`);
  assert.equal(new Set(stubs).size, stubs.length, "each stub names its own file");
  assert.match(recalled, /f1\.ts row 1 of the long table\\nf1\.ts row 2 /);
});
