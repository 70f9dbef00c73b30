import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openTestSession } from "../../../test/support/memory.ts";
import { type JsonRequest, startJsonServer } from "../test-support/json-server.ts";
import { anthropicTools, handleToolUse } from "./index.ts";

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: unknown };

/** The Messages API without a model: each request gets the next answer. */
function startMessagesServer(t: Parameters<typeof startJsonServer>[0], answers: Block[][]) {
  return startJsonServer(t, (_, number) => {
    const content = answers[number] ?? [{ type: "text", text: "Done." }];
    return {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content,
      stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
  });
}

/** The blocks of the newest message in a request. */
function lastContent({ requests }: { requests: JsonRequest[] }, number: number) {
  const request = requests[number];
  assert.ok(request);
  return request.body.messages.at(-1).content;
}

const use = (id: string, name: string, input: unknown): Block => ({ type: "tool_use", id, name, input });

test("a loop on messages with the real client [anthropic.messages]", async (t) => {
  const session = await openTestSession();
  const server = await startMessagesServer(t, [
    [
      { type: "text", text: "Saving." },
      use("toolu_1", "update_notepad", { operation: "append", content: "- July" }),
      use("toolu_2", "weather", {}),
      use("toolu_3", "update_notepad", { operation: "delete", content: "nowhere" }),
      use("toolu_4", "session_scratchpad", { action: "set_plan", content: "1. Read" }),
    ],
  ]);
  const client = new Anthropic({ baseURL: server.url, apiKey: "none" });
  const tools = await anthropicTools(session);
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Remember July." }];
  const first = await client.messages.create({ model: "m", max_tokens: 100, messages, tools });
  const results = await handleToolUse(session, first);
  assert.deepEqual(
    results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error]),
    [
      ["toolu_1", undefined],
      ["toolu_3", true],
      ["toolu_4", undefined],
    ],
  );
  messages.push({ role: "assistant", content: first.content }, { role: "user", content: results });
  const second = await client.messages.create({ model: "m", max_tokens: 100, messages, tools });
  assert.equal(second.content[0]?.type === "text" && second.content[0].text, "Done.");
  assert.equal(await session.notepad.read(), "- July");
  assert.equal(server.requests[0]?.path, "/v1/messages");
  assert.deepEqual(server.requests[0]?.body.tools, tools);
  assert.deepEqual(lastContent(server, 1), results);
});
