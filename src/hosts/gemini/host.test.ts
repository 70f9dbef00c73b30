import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../../test/support/conversation.ts";
import { lastRemoved } from "./host.ts";

const long = (characters: number) => "x".repeat(characters);

test("knows which messages Gemini CLI keeps: from the first prompt behind 70 % of the conversation [hooks.kept-tail]", () => {
  const answered = [
    user(long(10)),
    says(long(300)),
    user(long(10)),
    says(long(400)),
    user(long(10)),
    says(long(200)),
  ];
  assert.equal(lastRemoved(conversation(...answered)), 4);
  assert.equal(lastRemoved(conversation(user(long(10)), says(long(300)))), 2, "answered: all");
  const working = [user("a"), says(long(300)), user("b"), calls("read", { path: "a" }), result(long(900))];
  assert.equal(lastRemoved(conversation(...working)), 2, "at work: up to the last prompt");
  assert.equal(lastRemoved([]), 0);
});
