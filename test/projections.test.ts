import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isSource, readImports } from "../scripts/boundaries.ts";
import { holdfastTools } from "../src/adapters/ai-sdk/index.ts";
import { anthropicTools, handleToolUse } from "../src/adapters/anthropic/index.ts";
import {
  handleFunctionCalls,
  handleToolCalls,
  openaiResponsesTools,
  openaiTools,
} from "../src/adapters/openai/index.ts";
import type { Session, SurfaceName } from "../src/index.ts";
import { everything, openTestMemory, tickingClock } from "./support/memory.ts";

const surfaces: SurfaceName[] = ["notepad", "notes", "scratchpad", "tasks", "results", "recall"];

/** Calls a tool by its name in one format and returns the text that the model reads. */
type Projection = (session: Session, name: string, input: unknown) => Promise<string | undefined>;

const projections: Record<string, Projection> = {
  library: async (session, name, input) => (await session.call(name, input)).text,
  "ai-sdk": async (session, name, input) => {
    const { execute, toModelOutput } = holdfastTools(session, { surfaces })[name] ?? {};
    assert.ok(execute && toModelOutput);
    // Each call has a unique id, as from a provider.
    const toolCallId = crypto.randomUUID();
    try {
      const output = await execute(input, { toolCallId, messages: [], context: {} });
      const shown = await toModelOutput({ toolCallId, input, output });
      return shown.type === "text" ? shown.value : undefined;
    } catch (error) {
      return (error as Error).message;
    }
  },
  "openai chat": async (session, name, input) => {
    const called = { id: "call_1", type: "function", function: { name, arguments: JSON.stringify(input) } };
    const [message] = await handleToolCalls(session, { tool_calls: [called] });
    return message?.content;
  },
  "openai responses": async (session, name, input) => {
    const called = { type: "function_call", call_id: "call_1", name, arguments: JSON.stringify(input) };
    const [item] = await handleFunctionCalls(session, { output: [called] });
    return item?.output;
  },
  anthropic: async (session, name, input) => {
    const [block] = await handleToolUse(session, {
      content: [{ type: "tool_use", id: "toolu_1", name, input }],
    });
    return block?.content;
  },
};

const calls: [name: string, input: unknown][] = [
  ["write_notepad", { content: "# Audit\n- July" }],
  ["update_notepad", { operation: "find_replace", find: "July", replace: "August" }],
  ["update_notepad", { operation: "delete", content: "nowhere" }],
  ["update_notepad", { operation: "append" }],
  ["read_notepad", {}],
  ["add_note", { content: "double-counted", tags: ["q3", "bug"] }],
  ["add_note", { content: "x".repeat(5_000) }],
  ["search_notes", { query: "counted" }],
  ["list_tags", {}],
  ["update_note", { id: "note_1", content: "y" }],
  ["session_scratchpad", { action: "set_plan", content: "1. Read" }],
  ["session_scratchpad", { action: "refs.add" }],
  ["session_scratchpad", { nonsense: true }],
  ["begin_task", { description: "Sheet 1" }],
  ["end_task", { summary: "clean" }],
  ["end_task", { summary: "again" }],
  ["recall", { query: "nothing" }],
  ["write_notepad", "no object"],
  ["write_notepad", null],
];

test("the same call through every projection gives the same answer and the same memory [tools.projections]", async () => {
  const outcomes = await Promise.all(
    Object.entries(projections).map(async ([name, project]) => {
      const memory = await openTestMemory({ surfaces, clock: tickingClock() });
      const session = await memory.createSession({ id: "same" });
      const answers: (string | undefined)[] = [];
      for (const [tool, input] of calls) answers.push(await project(session, tool, input));
      return { name, answers, memory: await everything(session) };
    }),
  );
  const [library, ...others] = outcomes;
  assert.ok(library);
  assert.ok(library.answers.every((answer) => answer));
  assert.equal(others.length, 4);
  for (const { name, answers, memory } of others) {
    for (const [index, answer] of answers.entries())
      assert.equal(answer, library.answers[index], `${name}: ${JSON.stringify(calls[index])}`);
    assert.deepEqual(memory, library.memory, name);
  }
});

test("every format offers the same tools with the same schemas, and no dots [tools.projections]", async () => {
  const memory = await openTestMemory({ surfaces });
  const session = await memory.createSession();
  const chat = (await openaiTools(session)).map((tool) => tool.function);
  assert.deepEqual(
    (await openaiTools(memory)).map((tool) => tool.function),
    chat,
    "the same for a memory and its session",
  );
  const formats = {
    responses: (await openaiResponsesTools(session)).map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    })),
    anthropic: (await anthropicTools(session)).map(({ name, description, input_schema }) => ({
      name,
      description,
      parameters: input_schema,
    })),
    "ai-sdk": Object.entries(holdfastTools(session, { surfaces })).map(
      ([name, { description, inputSchema }]) => ({
        name,
        description,
        parameters: "jsonSchema" in inputSchema ? inputSchema.jsonSchema : undefined,
      }),
    ),
  };
  assert.equal(chat.length, 17);
  const { "ai-sdk": sdk, ...others } = formats;
  for (const [name, tools] of Object.entries(others)) assert.deepEqual(tools, chat, name);
  // The AI SDK adapter keeps the conversation, so some descriptions differ there.
  const withoutTexts = (tools: typeof chat) => tools.map(({ name, parameters }) => ({ name, parameters }));
  assert.deepEqual(withoutTexts(sdk as typeof chat), withoutTexts(chat), "ai-sdk");
  for (const { name, parameters } of chat) {
    assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(parameters.type, "object");
  }
});

/** A framework's adapter may import that framework, which is an optional peer; no other adapter may. */
const frameworks: Record<string, RegExp> = {
  "src/adapters/langchain/": /^(?:langchain|@langchain\/core)(?:\/|$)/,
  "src/adapters/openai-agents/": /^@openai\/agents-core$/,
};

test("only the tests need the providers' packages [tools.projections]", () => {
  const root = join(import.meta.dirname, "..");
  const files = globSync("src/adapters/**/*.ts", { cwd: root }).filter(isSource);
  assert.ok(
    files.includes("src/adapters/openai/index.ts") && files.includes("src/adapters/anthropic/index.ts"),
  );
  for (const name of files) {
    const imports = readImports(name, readFileSync(join(root, name), "utf8"));
    const framework = Object.entries(frameworks).find(([folder]) => name.startsWith(folder))?.[1];
    const outside = imports.filter(
      (path) =>
        !path.startsWith("src/") &&
        !["ai", "zod", "@ai-sdk/provider"].includes(path) &&
        !framework?.test(path),
    );
    assert.deepEqual(outside, [], name);
  }
});
