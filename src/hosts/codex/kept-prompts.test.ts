import assert from "node:assert/strict";
import { test } from "node:test";
import { conversation, says, user } from "../../../test/support/conversation.ts";
import { keptByCodex } from "./kept-prompts.ts";

test("knows which messages Codex keeps: the newest 20,000 tokens of what the user said [hooks.kept-tail]", () => {
  const long = "word".repeat(9_000);
  const said = conversation(user(long), says("One."), user(long), says("Two."), user(long), says("Three."));
  assert.deepEqual(keptByCodex(said), { to: 6, among: new Set([5, 3]) });
  assert.deepEqual(keptByCodex([]), { to: 0, among: new Set() });
});
