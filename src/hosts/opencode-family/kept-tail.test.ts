import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../../test/support/conversation.ts";
import { keptByFamily } from "./kept-tail.ts";

const tokens = (count: number) => "word".repeat(count);

test("knows which messages opencode keeps: the newest quarter, 2,000 to 15,000 tokens [hooks.kept-tail]", () => {
  const turns = (count: number, size: number) =>
    conversation(...Array.from({ length: count }, () => [user("Go on."), says(tokens(size))]).flat());
  assert.equal(keptByFamily(turns(4, 300)).to, 8, "all of it fits, so nothing is kept");
  assert.equal(keptByFamily(turns(10, 900)).to, 16, "a quarter: two answers");
  assert.equal(keptByFamily(turns(40, 4_000)).to, 74, "at most 15,000 tokens: three answers");
  assert.deepEqual(keptByFamily([]), { to: 0 });
});

test("opencode keeps no result without its call [hooks.kept-tail]", () => {
  const called = conversation(
    user(tokens(9_000)),
    calls("write", { path: "a.ts", content: tokens(3_000) }, "w"),
    result("written", "w"),
    says("Done."),
  );
  assert.equal(keptByFamily(called).to, 3);
});
