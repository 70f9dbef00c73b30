import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { tool } from "ai";
import { z } from "zod";
import { call, inOrder, openStage } from "../../../test/support/agent.ts";
import { startMcpEndpoint } from "../../../test/support/mcp-http.ts";
import { tickingClock } from "../../../test/support/memory.ts";
import { openMemory } from "../../index.ts";
import { createSandbox, sandboxSurface } from "./index.ts";

const sandbox = createSandbox({ workers: 1, limits: { cpuMilliseconds: 1_000 } });
after(() => sandbox.close());

/** Appends to the notepad as it goes; never ends on the sheet "endless". */
const survey = {
  name: "survey_sheets",
  description: "Surveys the sheets, noting each",
  schema: {
    type: "object",
    properties: { sheets: { type: "array", items: { type: "string" } } },
    required: ["sheets"],
  },
  code: `for (const sheet of input.sheets) {
  await session.notepad.append("- " + sheet + ": surveyed");
  if (sheet === "endless") for (;;) {}
}
return input.sheets.length`,
};

test("an agent creates a tool in one step and calls it in the next; the tool's notes are in the prompt [sandbox.controller]", async (t) => {
  const surfaces = ["notepad" as const, sandboxSurface({ sandbox })];
  const memory = await openMemory({ store: "memory:", clock: tickingClock(), surfaces });
  const stage = await openStage(t, {
    memory,
    surfaces,
    placement: "system",
    script: inOrder([
      { toolCalls: [call("create_tool", survey)] },
      { toolCalls: [call("survey_sheets", { sheets: ["Q1", "Q2"] })] },
      { toolCalls: [call("survey_sheets", { sheets: ["Q3", "endless", "Q4"] })] },
      { text: "Surveyed." },
    ]),
  });
  const { text } = await stage.say("Survey the sheets.");
  assert.equal(text, "Surveyed.");
  const [first, second, third, last] = stage.turns();
  const offered = (request = first) => request?.tools?.map((tool) => tool.function.name) ?? [];
  assert.ok(!offered(first).includes("survey_sheets") && offered(second).includes("survey_sheets"));
  assert.equal(third?.messages.at(-1)?.content, "2");
  assert.match(JSON.stringify(last?.messages.at(-1)), /ran for more than 1000 ms/);
  const notepad = "- Q1: surveyed\n- Q2: surveyed\n- Q3: surveyed\n- endless: surveyed";
  assert.equal(await (await stage.session()).notepad.read(), notepad);
  assert.ok(String(last?.messages[0]?.content).endsWith(`## Session Notepad\n${notepad}`));
  assert.match(String(last?.messages[0]?.content), /- survey_sheets: Surveys the sheets, noting each/);
});

test("aborting a turn ends the program it waits for and keeps the program's notes [sandbox.abort]", async (t) => {
  const started = Promise.withResolvers<void>();
  const execute = () => {
    started.resolve();
    return new Promise(() => undefined);
  };
  const surfaces = ["notepad" as const, sandboxSurface({ sandbox, hostTools: { hang: { execute } } })];
  const memory = await openMemory({ store: "memory:", clock: tickingClock(), surfaces });
  const code = 'await session.notepad.append("begun"); await tools.hang({})';
  const script = inOrder([{ toolCalls: [call("run_sandbox_code", { code })] }]);
  const stage = await openStage(t, { memory, surfaces, script });
  const abort = new AbortController();
  const turn = stage.agent.send("s", "Run it.", { signal: abort.signal });
  await started.promise;
  abort.abort();
  await turn.result.catch(() => undefined);
  const session = await stage.session();
  assert.equal(await session.notepad.read(), "begun");
  const [last] = (await session.messages(1, 10)).slice(-1);
  assert.match(JSON.stringify(last), /The program was aborted\. Everything it did until then remains/);
});

test("an agent cannot create a tool with the name of a developer's or another surface's tool [sandbox.create-tool]", async (t) => {
  const surfaces = ["notepad" as const, "tasks" as const, sandboxSurface({ sandbox })];
  const memory = await openMemory({ store: "memory:", clock: tickingClock() });
  const lookup = tool({ inputSchema: z.object({}), execute: async () => "the developer's" });
  const make = (name: string) => call("create_tool", { ...survey, name });
  const stage = await openStage(t, {
    memory,
    surfaces,
    tools: { lookup },
    script: inOrder([
      { toolCalls: [make("lookup")] },
      { toolCalls: [make("begin_task")] },
      { toolCalls: [make("survey_sheets")] },
      { text: "Made." },
    ]),
  });
  await stage.say("Make tools.");
  const [, ...answers] = stage.turns().map(({ messages }) => JSON.stringify(messages.at(-1)));
  assert.match(answers[0] ?? "", /already a tool called .{1,4}lookup/);
  assert.match(answers[1] ?? "", /already a tool called .{1,4}begin_task/);
  const tools = await (await (await stage.session()).knowledge()).tools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["survey_sheets"],
  );
});

test("an agent creates a tool over MCP, sees it listed and calls it [sandbox.mcp]", async (t) => {
  const { url, memory } = await startMcpEndpoint(t, ["notepad", "sandbox"]);
  const client = new Client({ name: "test", version: "1" });
  t.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}?session=s`)));
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  assert.ok(!(await names()).includes("survey_sheets"));
  const created = await client.callTool({ name: "create_tool", arguments: survey });
  assert.ok(!created.isError, JSON.stringify(created));
  assert.ok((await names()).includes("survey_sheets"));
  const called = await client.callTool({ name: "survey_sheets", arguments: { sheets: ["Q1"] } });
  assert.deepEqual(called.structuredContent, { value: 1 });
  const refused = await client.callTool({ name: "survey_sheets", arguments: { sheets: "Q1" } });
  assert.ok(refused.isError);
  const killed = await client.callTool({ name: "survey_sheets", arguments: { sheets: ["Q2", "endless"] } });
  assert.ok(killed.isError);
  const session = await memory.openSession("s");
  assert.equal(await session.notepad.read(), "- Q1: surveyed\n- Q2: surveyed\n- endless: surveyed");
});
