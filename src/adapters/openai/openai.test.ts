import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { append, call } from "../../../test/support/agent.ts";
import { openTestSession, rejection } from "../../../test/support/memory.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { startJsonServer } from "../test-support/json-server.ts";
import { handleFunctionCalls, handleToolCalls, openaiResponsesTools, openaiTools } from "./index.ts";

test("a loop on chat completions with the real client [openai.chat]", async (t) => {
  const session = await openTestSession();
  const server = await startScriptedServer((_, number) =>
    number === 0
      ? {
          toolCalls: [
            append("- July"),
            call("session_scratchpad", { action: "set_plan", content: "1. Read" }),
            call("weather", {}),
            call("read_notepad", {}),
          ],
        }
      : { text: "Saved." },
  );
  t.after(() => server.close());
  const client = new OpenAI({ baseURL: server.url, apiKey: "none" });
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: "Remember July." }];
  const weather = {
    type: "function",
    function: { name: "weather", parameters: { type: "object" } },
  } as const;
  const tools = [...(await openaiTools(session)), weather];
  const first = await client.chat.completions.create({ model: "m", messages, tools });
  const message = first.choices[0]?.message;
  assert.ok(message);
  const answers = await handleToolCalls(session, message);
  const own = { role: "tool", tool_call_id: message.tool_calls?.[2]?.id ?? "", content: "sunny" } as const;
  messages.push(message, ...answers, own);
  const second = await client.chat.completions.create({ model: "m", messages, tools });
  assert.equal(second.choices[0]?.message.content, "Saved.");

  assert.equal(await session.notepad.read(), "- July");
  assert.equal((await session.scratchpad.read()).plan, "1. Read");
  assert.deepEqual(
    server.requests[0]?.tools?.map(({ function: { name } }) => name),
    tools.map((tool) => tool.function.name),
  );
  assert.deepEqual(
    answers.map(({ content }) => content),
    [`{"ok":true}`, "plan updated (7 / 2000 characters)", `{"content":"- July"}`],
    "a call of another tool is left to its owner",
  );
  assert.deepEqual(await handleToolCalls(session, second.choices[0]?.message ?? {}), []);
});

test("a loop on the responses API with the real client [openai.responses]", async (t) => {
  const session = await openTestSession();
  const functionCall = (name: string, input: unknown) => ({
    type: "function_call",
    id: `fc_${name}`,
    call_id: `call_${name}`,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  });
  const server = await startJsonServer(t, (_, number) => ({
    id: `resp_${number}`,
    object: "response",
    output:
      number === 0
        ? [
            functionCall("write_notepad", { content: "- July" }),
            functionCall("weather", {}),
            functionCall("update_notepad", { operation: "drop" }),
          ]
        : [
            {
              type: "message",
              id: "msg_1",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "Saved.", annotations: [] }],
            },
          ],
  }));
  const client = new OpenAI({ baseURL: server.url, apiKey: "none" });
  const tools = await openaiResponsesTools(session, { surfaces: ["notepad"] });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Remember July." }];
  const first = await client.responses.create({ model: "m", input, tools });
  const items = await handleFunctionCalls(session, first);
  assert.deepEqual(
    items.map(({ call_id }) => call_id),
    ["call_write_notepad", "call_update_notepad"],
  );
  assert.match(items[1]?.output ?? "", /"operation" must be one of/);
  const second = await client.responses.create({ model: "m", input: [...input, ...items], tools });
  assert.equal(second.output_text, "Saved.");
  assert.equal(await session.notepad.read(), "- July");
  assert.deepEqual(server.requests[0]?.body.tools[0], tools[0]);
  assert.deepEqual(
    tools.map(({ name, strict }) => [name, strict]),
    [
      ["read_notepad", false],
      ["write_notepad", false],
      ["update_notepad", false],
    ],
  );
});

test("arguments that are not JSON get an answer with the expected input [openai.chat]", async () => {
  const session = await openTestSession();
  const called = (given: string) => ({
    tool_calls: [{ id: "c", type: "function", function: { name: "write_notepad", arguments: given } }],
  });
  assert.match(
    (await handleToolCalls(session, called("{oops")))[0]?.content ?? "",
    /the input must be an object \(got string\). Nothing was changed/,
  );
  assert.match((await handleToolCalls(session, called("")))[0]?.content ?? "", /"content" is missing/);
  assert.deepEqual(await handleToolCalls(session, { tool_calls: null }), []);
  assert.equal(await session.notepad.read(), "");
});

test("surfaces can be left out, and an unavailable one is reported [openai.chat]", async () => {
  const session = await openTestSession({ surfaces: ["notepad", "notes"] });
  assert.equal((await openaiTools(session, { surfaces: ["notepad"] })).length, 3);
  const { message } = await rejection(
    openaiTools(session, { surfaces: ["notepad", "results"] }),
    "unknown_surface",
  );
  assert.match(
    message,
    /opened without results\. Add it in openMemory\(\{ surfaces \}\); the memory has: notepad, notes/,
  );
});
