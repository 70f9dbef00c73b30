import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../test/support/conversation.ts";
import { pairCalls } from "./conversation.ts";

test("a conversation whose calls are directly followed by their results is unchanged [controller.prompt-pairs]", () => {
  const messages = conversation(user("Go"), calls("read", {}, "a"), result("one", "a"), says("Done."));
  assert.equal(pairCalls(messages), messages);
});

test("a call separated from its result, and a second result, become text [controller.prompt-pairs]", () => {
  const messages = conversation(
    user("Go"),
    calls("read", { path: "a.ts" }, "a"),
    user("And you?"),
    result("one", "a"),
    calls("read", {}, "b"),
    result("two", "b"),
    result("two again", "b"),
    says("Done."),
    result("and again", "b"),
    calls("read", {}, "c"),
    result("once more", "b"),
    result("three", "c"),
  );
  const shown = pairCalls(messages).map(({ message: { role, content } }) =>
    typeof content === "string" ? `${role}: ${content}` : `${role}: ${JSON.stringify(content)}`,
  );
  assert.match(shown[1] ?? "", /^assistant: .*"text":"\[Called read \{\\"path\\":\\"a.ts\\"\}\]"/);
  assert.match(shown[3] ?? "", /^user: \[Late result of \w+\]\none$/);
  assert.match(shown[4] ?? "", /"type":"tool-call"/);
  assert.match(shown[5] ?? "", /^tool: /);
  assert.match(shown[6] ?? "", /^user: \[Late result of \w+\]\ntwo again$/);
  assert.match(shown[8] ?? "", /^user: \[Late result of \w+\]\nand again$/);
  assert.doesNotMatch(
    shown.slice(9).join(),
    /tool-call|tool-result/,
    "a late result separates a call from its own result",
  );
  assert.match(shown[11] ?? "", /^user: \[Late result of \w+\]\nthree$/);
});
