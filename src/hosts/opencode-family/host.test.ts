import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../../test/support/conversation.ts";
import { lastRemovedByFamily } from "./host.ts";

const tokens = (count: number) => "word".repeat(count);

test("knows which messages opencode keeps: the newest quarter, 2,000 to 15,000 tokens [hooks.kept-tail]", () => {
  const turns = (count: number, size: number) =>
    conversation(...Array.from({ length: count }, () => [user("Go on."), says(tokens(size))]).flat());
  assert.equal(lastRemovedByFamily(turns(4, 300)), 8, "all of it fits, so nothing is kept");
  assert.equal(lastRemovedByFamily(turns(10, 900)), 16, "a quarter: two answers");
  assert.equal(lastRemovedByFamily(turns(40, 4_000)), 74, "at most 15,000 tokens: three answers");
  assert.equal(lastRemovedByFamily([]), 0);
});

test("opencode keeps no result without its call [hooks.kept-tail]", () => {
  const called = conversation(
    user(tokens(9_000)),
    calls("write", { path: "a.ts", content: tokens(3_000) }, "w"),
    result("written", "w"),
    says("Done."),
  );
  assert.equal(lastRemovedByFamily(called), 3);
});
