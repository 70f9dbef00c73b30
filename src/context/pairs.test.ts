import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../test/support/conversation.ts";
import { pairCalls } from "./pairs.ts";

test("a conversation whose calls are answered at once stays as it is [controller.prompt-pairs]", () => {
  const messages = conversation(user("Go"), calls("read", {}, "a"), result("one", "a"), says("Done."));
  assert.equal(pairCalls(messages), messages);
});

test("what came between a call and its result, and a second result, are told in words [controller.prompt-pairs]", () => {
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
  const said = pairCalls(messages).map(({ message: { role, content } }) =>
    typeof content === "string" ? `${role}: ${content}` : `${role}: ${JSON.stringify(content)}`,
  );
  assert.match(said[1] ?? "", /^assistant: .*"text":"\[Called read \{\\"path\\":\\"a.ts\\"\}\]"/);
  assert.match(said[3] ?? "", /^user: \[Late result of \w+\]\none$/);
  assert.match(said[4] ?? "", /"type":"tool-call"/);
  assert.match(said[5] ?? "", /^tool: /);
  assert.match(said[6] ?? "", /^user: \[Late result of \w+\]\ntwo again$/);
  assert.match(said[8] ?? "", /^user: \[Late result of \w+\]\nand again$/);
  assert.doesNotMatch(
    said.slice(9).join(),
    /tool-call|tool-result/,
    "a late result parts a call from its own",
  );
  assert.match(said[11] ?? "", /^user: \[Late result of \w+\]\nthree$/);
});
