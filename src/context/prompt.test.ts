import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, stateWith, user } from "../../test/support/conversation.ts";
import type { Context } from "./blocks.ts";
import type { StoredMessage } from "./conversation.ts";
import { type PromptInput, planPrompt } from "./prompt.ts";

const context: Context = {
  surfaces: [],
  guidance: "Guidance.",
  blocks: [],
  ends: {},
  system: "",
  message: "",
};

function prompt(
  messages: StoredMessage[],
  records: Record<string, unknown> = {},
  more: Partial<PromptInput> = {},
) {
  return planPrompt({
    state: stateWith(records, null, messages.length),
    context,
    messages,
    base: "Base.",
    placement: "epoch",
    ...more,
  });
}

/** The prompt as role and text. */
function shape(...input: Parameters<typeof prompt>): string[] {
  return prompt(...input).messages.map(
    ({ role, content }) =>
      `${role}: ${typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : part.type)).join("+")}`,
  );
}

const span = (from: number, to: number, text: string, kind = "task") => ({ from, to, kind, text });

test("a task's span becomes one line, including its tool calls and the result of the call that ended it [controller.prompt-spans]", () => {
  const messages = conversation(
    user("go"),
    calls("begin_task", {}),
    result("ok"),
    calls("x", {}),
    result("y"),
    calls("end_task", {}),
    result("ok"),
    says("done"),
  );
  assert.deepEqual(shape(messages, { "span/task-1": span(2, 6, "[Task: t — s]") }), [
    "user: go",
    "user: [Task: t — s]",
    "assistant: done",
  ]);
});

test("unanswered user messages in a task stay; answered ones are collapsed [controller.prompt-spans]", () => {
  const messages = conversation(
    calls("begin_task", {}),
    result("ok"),
    user("first"),
    says("answered"),
    user("second"),
    calls("end_task", {}),
    result("ok"),
  );
  const records = { "span/task-1": span(1, 6, "[Task]") };
  assert.deepEqual(shape(messages, records), ["user: [Task]", "user: second"]);
  const later = [
    ...messages,
    ...conversation(says("answered too"), user("third")).map((stored, index) => ({
      ...stored,
      number: 8 + index,
    })),
  ];
  assert.deepEqual(
    shape(later, records),
    ["user: [Task]", "user: second", "assistant: answered too", "user: third"],
    "at the same position",
  );
});

test("nested and neighbouring spans, and one that began before the summary [controller.prompt-spans]", () => {
  const messages = conversation(user("1"), says("2"), says("3"), says("4"), says("5"), user("6"));
  assert.deepEqual(shape(messages, { "span/a": span(2, 3, "A"), "span/b": span(3, 4, "B") }), [
    "user: 1",
    "user: A",
    "user: B",
    "assistant: 5",
    "user: 6",
  ]);
  assert.deepEqual(
    shape(messages.slice(2), { "span/summary": span(1, 2, "S", "summary"), "span/a": span(1, 4, "A") }),
    ["user: S", "user: A", "assistant: 5", "user: 6"],
  );
});

test("injected changes keep their position: in front of a user message within it, elsewhere as their own message [controller.prompt-changes]", () => {
  const messages = conversation(user("go"), calls("x", {}), result("y"), says("done"), user("on"));
  const put = (before: number, text: string) => ({ before, surface: "", text });
  const records = { "shown/1": put(4, "C1"), "shown/2": put(5, "C2"), "shown/3": put(6, "C3") };
  assert.deepEqual(shape(messages, records), [
    "user: go",
    "assistant: tool-call",
    "tool: tool-result",
    "user: C1",
    "assistant: done",
    "user: C2\n\non",
    "user: C3",
  ]);
  const { conversation: shown, added } = prompt(messages, records);
  assert.deepEqual(shown, messages);
  assert.deepEqual(added, ["C1", "C2", "C3"]);
  assert.deepEqual(
    shape(messages, { ...records, "span/t": span(2, 4, "T") }),
    ["user: go", "user: T", "user: C1", "user: C2\n\non", "user: C3"],
    "a span does not hide changes",
  );
});

test("only the cleared result becomes a stub with its number [controller.prompt-stubs]", () => {
  const messages = conversation(
    calls("x", {}, "a"),
    result("long", "a"),
    calls("x", {}, "a"),
    result("the same id again", "a"),
  );
  const { messages: shown } = prompt(messages, {
    "cleared/r2_1": { message: 2, tool: "x", summary: "x gave 1 line." },
  });
  assert.match(
    JSON.stringify(shown[1]),
    /\[Result cleared: x gave 1 line\. Call recall_result with id \\"r2_1\\" to read it again\.\]/,
  );
  assert.match(JSON.stringify(shown[3]), /the same id again/);
  assert.match(JSON.stringify(messages[1]), /long/, "the stored message is unchanged");
});

test("hints come before the newest user message, even if memory follows it [controller.prompt-steer]", () => {
  const messages = conversation(user("one"), says("two"), user("three"), calls("x", {}), result("y"));
  assert.deepEqual(
    shape(messages, { "shown/1": { before: 6, surface: "", text: "C" } }, { steer: "[Hint: h]" }).filter(
      (line) => line.startsWith("user"),
    ),
    ["user: one", "user: [Hint: h]\n\nthree", "user: C"],
  );
  assert.deepEqual(
    shape(conversation(), { "span/summary": span(1, 9, "S", "summary") }, { steer: "[Hint: h]" }),
    ["user: [Hint: h]\n\nS"],
  );
});

test("an empty answer is omitted, because providers reject it [controller.prompt-valid]", () => {
  assert.deepEqual(shape(conversation(user("one"), says(""), user("two"))), ["user: one", "user: two"]);
  assert.deepEqual(
    shape(conversation(user("one"), { role: "assistant", content: "" }, { role: "assistant", content: [] })),
    ["user: one"],
  );
});
