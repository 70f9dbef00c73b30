import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestSession } from "../../test/support/memory.ts";
import { handleToolUse } from "./anthropic/index.ts";
import { handleToolCalls } from "./openai/index.ts";

test("a model's answer that is handled twice changes memory once, in the OpenAI and Anthropic adapters [adapters.repeated-calls]", async () => {
  const session = await openTestSession();
  const called = {
    tool_calls: [
      {
        id: "call_Fy2bbkUjKPqQvXc1",
        type: "function" as const,
        function: { name: "add_note", arguments: JSON.stringify({ content: "from OpenAI" }) },
      },
    ],
  };
  assert.deepEqual(await handleToolCalls(session, called), await handleToolCalls(session, called));
  const used = {
    content: [
      {
        type: "tool_use",
        id: "toolu_01A09q90qw90lq917835lq9",
        name: "add_note",
        input: { content: "from Anthropic" },
      },
    ],
  };
  assert.deepEqual(await handleToolUse(session, used), await handleToolUse(session, used));
  assert.deepEqual((await session.notes.all()).map(({ content }) => content).sort(), [
    "from Anthropic",
    "from OpenAI",
  ]);
});
