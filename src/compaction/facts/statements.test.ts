import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, user } from "../../../test/support/conversation.ts";
import { openAsks } from "./statements.ts";

test("what the agent says before a call that is recorded as a message of its own is no answer [controller.checkpoint]", () => {
  const asked = [
    user("Fix the deploy script."),
    says("I will look at it first."),
    calls("Bash", { command: "cat x" }),
  ];
  assert.deepEqual(openAsks(conversation(...asked, result("…"))), ["Fix the deploy script."]);
  assert.deepEqual(openAsks(conversation(...asked, result("…"), says("Fixed."))), []);
});

test("go-aheads and slash commands are no asks; sentences that begin with one are [controller.checkpoint]", () => {
  const isAsk = (text: string) => openAsks(conversation(user(text))).length === 1;
  for (const text of [
    "continue",
    "Continue from where you left off.",
    "keep going please",
    "ok do that",
    "Great, go ahead with it!",
    "yes please",
    "/compact",
    "/fix-issue 123 with high priority please",
    "<command-name>/model</command-name>\n<command-args></command-args>",
    "<local-command-stdout>Login successful</local-command-stdout>",
  ])
    assert.ok(!isAsk(text), text);
  for (const text of [
    "Continue with the parser, and rename it to reader.",
    "do that for the printer as well",
    "ok, now the tests",
    "/tmp is full, clean it up",
    "/etc/hosts has a wrong entry",
    "<nav-bar> is drawn twice, please fix it",
    "<div>why is this not closed?</div>",
  ])
    assert.ok(isAsk(text), text);
});
