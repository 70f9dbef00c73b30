import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { append, call, filler, finish, inOrder, ofType, openStage } from "../../test/support/agent.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../testing/index.ts";
import { readNotepadIn } from "./test-support/notepad-reader.ts";

const readFile = tool({
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => `content of ${path}`,
});
const begin = (description: string): ScriptedAnswer => ({ toolCalls: [call("begin_task", { description })] });
const end = (summary: string): ScriptedAnswer => ({ toolCalls: [call("end_task", { summary })] });
const cancel = (reason: string): ScriptedAnswer => ({ toolCalls: [call("cancel_task", { reason })] });
const read = (path: string): ScriptedAnswer => ({ toolCalls: [call("read_file", { path })] });
const shape = (request: ScriptedRequest | undefined) =>
  (request?.messages ?? [])
    .slice(1)
    .map(({ role, content, tool_calls }) =>
      tool_calls
        ? `${role} calls ${tool_calls.map(({ function: { name } }) => name).join()}`
        : `${role}: ${content}`,
    );

async function play(t: Parameters<typeof openStage>[0], answers: ScriptedAnswer[], more: object = {}) {
  return openStage(t, {
    script: inOrder(answers),
    tools: { read_file: readFile },
    surfaces: ["notepad", "tasks", "results", "recall"],
    ...more,
  });
}

test("ending a task replaces its calls and results with one line in the next request [controller.tasks]", async (t) => {
  const stage = await play(t, [
    begin("Look at a.ts"),
    read("a.ts"),
    { text: "Hm.", toolCalls: [call("read_file", { path: "b.ts" })] },
    end("both are empty"),
    { text: "They are empty." },
  ]);
  const { text } = await stage.say("What is in them?");
  assert.equal(text, "They are empty.");
  assert.deepEqual(shape(stage.turns().at(-1)), [
    "user: What is in them?",
    "user: [Task: Look at a.ts — both are empty]",
  ]);
  await stage.say("Sure?");
  assert.deepEqual(shape(stage.turns().at(-1)), [
    "user: What is in them?",
    "user: [Task: Look at a.ts — both are empty]",
    "assistant: They are empty.",
    "user: Sure?",
  ]);
});

test("cancelling a task keeps the reason, so that the dead end is not tried again [controller.tasks]", async (t) => {
  const stage = await play(t, [
    begin("Use regex"),
    read("a.ts"),
    cancel("too\n slow  on [System] 40 MB"),
    { text: "Ok." },
  ]);
  await stage.say("Parse it.");
  assert.deepEqual(shape(stage.turns().at(-1)), [
    "user: Parse it.",
    "user: [Cancelled: Use regex — too slow on [\\System] 40 MB]",
  ]);
});

test("tasks nest four deep: the outer line replaces the inner ones, and the fifth is rejected with the next step [controller.tasks]", async (t) => {
  const stage = await play(t, [
    begin("one"),
    begin("two"),
    begin("three"),
    begin("four"),
    begin("five"),
    end("4 done"),
    end("3 done"),
    { text: "Half way." },
    cancel("2 given up"),
    end("1 done"),
    { text: "Done." },
  ]);
  const { events } = await stage.say("Nest.");
  assert.match(
    ofType(events, "tool-result")[4]?.text ?? "",
    /Tasks can be nested 4 deep, and 4 are open\. Call end_task or cancel_task first\. The innermost is: four/,
  );
  const inner = shape(stage.turns()[7]).filter((line) => line.startsWith("user: ["));
  assert.deepEqual(
    [inner[0], inner.at(-1)],
    ["user: [Task: three — 3 done]", "user: [Open tasks]\n- one\n  - two\n[End of open tasks]"],
  );
  await stage.say("Go on.");
  const outer = shape(stage.turns().at(-1));
  assert.deepEqual(outer.slice(0, 3), ["user: Nest.", "user: [Task: one — 1 done]", "user: Go on."]);
  assert.equal(outer.at(-1), "user: [The tasks block is empty now]");
  assert.ok(!outer.some((line) => line.includes("calls")));
});

test("a user message in the middle of a task is kept when the task ends [controller.tasks]", async (t) => {
  const stage = await play(t, [
    begin("Long job"),
    { text: "Started." },
    read("a.ts"),
    end("finished"),
    { text: "42." },
  ]);
  await stage.say("Start.");
  await stage.say("And what is the total?");
  const last = shape(stage.turns().at(-1));
  assert.deepEqual(last.slice(0, 3), [
    "user: Start.",
    "user: [Task: Long job — finished]",
    "user: And what is the total?",
  ]);
});

test("a forgotten end_task is harmless, also through compactions [controller.tasks-forgotten]", async (t) => {
  const stage = await play(t, [begin("Never ended"), read("a.ts"), { text: "Done anyway." }], {
    contextWindow: 20_000,
  });
  await stage.say(`One. ${filler(500)}`);
  await stage.say(`Two. ${filler(500)}`);
  const compacted = await finish(stage.agent.compact("s"));
  assert.deepEqual(ofType(compacted.events, "handoff")[0]?.handoff.tasks, ["Never ended"]);
  const { text } = await stage.say("Three.");
  assert.equal(text, "Done.");
  assert.match(String(stage.turns().at(-1)?.messages[1]?.content), /\n- open task: Never ended\n/);
});

test("a task that began before a compaction ends after it [controller.tasks-forgotten]", async (t) => {
  const stage = await play(t, [
    begin("Across"),
    { text: `Wait. ${filler(400)}` },
    { text: `Still. ${filler(400)}` },
    end("done at last"),
    { text: "Good." },
  ]);
  await stage.say("One.");
  await stage.say("Two.");
  await stage.agent.compact("s").result;
  await stage.say("Three.");
  const last = shape(stage.turns().at(-1));
  assert.match(last[0] ?? "", /^user: \[Summary/);
  assert.equal(last[1], "user: [Task: Across — done at last]");
  assert.ok(
    last.some((line) => line.endsWith("Three.")),
    "the open ask",
  );
});

test("collapsing leaves the notepad untouched, and the originals can be recalled [controller.tasks-originals]", async (t) => {
  const stage = await play(t, [
    begin("Count"),
    read("ledger.csv"),
    { toolCalls: [append("- 1,204 rows")] },
    end("1,204 rows"),
    { toolCalls: [call("recall", { query: "ledger.csv" })] },
    { toolCalls: [call("recall", { from: "5" })] },
  ]);
  const { events } = await stage.say("Count the rows.");
  assert.equal(await (await stage.session()).notepad.read(), "- 1,204 rows");
  assert.equal(
    readNotepadIn(stage.turns()[4] as ScriptedRequest),
    "- 1,204 rows",
    "and the model still sees it",
  );
  const [found, original] = ofType(events, "tool-result")
    .slice(-2)
    .map(({ text }) => text);
  assert.match(
    found ?? "",
    /^\[5\.1\] result of read_file.*\nread_file\npath: ledger\.csv\n→ content of ledger\.csv/,
  );
  assert.match(original ?? "", /content of ledger\.csv/);
});

test("several tasks in one answer, and one begun and ended at once, leave a valid prompt [controller.tasks]", async (t) => {
  const both: ScriptedAnswer = {
    toolCalls: [
      call("end_task", { summary: "first" }),
      call("begin_task", { description: "B" }),
      call("read_file", { path: "b.ts" }),
    ],
  };
  const atOnce: ScriptedAnswer = {
    toolCalls: [call("begin_task", { description: "C" }), call("end_task", { summary: "at once" })],
  };
  const stage = await play(t, [begin("A"), both, end("second"), atOnce, end("none open"), { text: "Done." }]);
  const { text } = await stage.say("Go.");
  assert.equal(text, "Done.");
  const last = shape(stage.turns().at(-1));
  assert.deepEqual(last.slice(0, 3), ["user: Go.", "user: [Task: A — first]", "user: [Task: B — second]"]);
  assert.ok(
    last.some((line) => line.includes("There is no open task. Call begin_task first, or just continue")),
  );
});
