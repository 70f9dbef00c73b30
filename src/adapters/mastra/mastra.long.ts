import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { jsonSchema, tool } from "ai";
import { z } from "zod";
import {
  call,
  filler,
  isSummaryRequest,
  modelAt,
  ofType,
  plainSummary,
} from "../../../test/support/agent.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { installClient } from "../../hosts/test-support/clients.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { readSheets, sheetText } from "../test-support/sheets.ts";
import { holdfastMastra } from "./index.ts";

const spec = "@mastra/core@1.71.0";
const root = join(import.meta.dirname, "../../..");

type MastraAgent = new (
  config: object,
) => {
  generate(prompt: string | object[], options?: object): Promise<{ text: string; steps: unknown[] }>;
};

/** 130 MB, so that it is installed for this test only. */
function entryOf(part = "agent"): string {
  return createRequire(join(installClient(spec), "package.json")).resolve(`@mastra/core/${part}`);
}

test(`${spec}: an agent goes through several compactions and its own messages stay whole`, {
  timeout: 300_000,
}, async () => {
  const { Agent } = (await import(entryOf())) as { Agent: MastraAgent };
  const server = await startScriptedServer(readSheets(16));
  const memory = await openTestMemory({ surfaces: ["notepad", "notes", "results"] });
  const session = await memory.openSession("audit");
  const events: AgentEvent[] = [];
  const model = modelAt(server.url);
  const onEvent = (event: AgentEvent) => events.push(event);
  const { processor, tools } = holdfastMastra({ session, model, contextWindow: 6_000, onEvent });
  const readSheet = tool({
    description: "Reads a sheet",
    inputSchema: jsonSchema<{ sheet: number }>({ type: "object", properties: { sheet: { type: "number" } } }),
    execute: async ({ sheet }) => sheetText(sheet),
  });
  const agent = new Agent({
    id: "auditor",
    name: "Auditor",
    instructions: "You audit workbooks.",
    model,
    tools: { ...tools, read_sheet: readSheet },
    inputProcessors: [processor],
  });
  const { text, steps } = await agent.generate("Audit every sheet of report.xlsx.", { maxSteps: 40 });
  assert.equal(text, "All sheets are read.");
  assert.equal(steps.length, 17, "no step was spent on memory");
  assert.ok(ofType(events, "compaction").length >= 2);
  assert.deepEqual(ofType(events, "error"), []);
  assert.match(await session.notepad.read(), /read up to sheet \d+/);
  const last = JSON.stringify(server.requests.at(-1)?.messages);
  assert.match(
    last,
    /You audit workbooks[\s\S]*read up to sheet \d+[\s\S]*Audit every sheet of report\.xlsx/,
  );
  assert.doesNotMatch(last, /cell1 cell1/);
  await Promise.all([memory.close(), server.close()]);
});

test(`${spec}: a call that a pin forbids does not run [mastra.pins]`, { timeout: 300_000 }, async (t) => {
  const { Agent } = (await import(entryOf())) as { Agent: MastraAgent };
  const { createTool } = (await import(entryOf("tools"))) as { createTool: (config: object) => object };
  const calls = [call("read_sheet", { sheet: 7 }, "call_1"), call("own_sheet", { sheet: 7 }, "call_2")];
  calls.push(call("own_sheet", { sheet: 8 }, "call_3"));
  const server = await startScriptedServer((_, number) => {
    const next = calls[number];
    return next ? { toolCalls: [next] } : { text: "Then not." };
  });
  const memory = await openTestMemory({ surfaces: ["notepad", "pins"] });
  t.after(() => Promise.all([memory.close(), server.close()]));
  const session = await memory.openSession("audit");
  await session.pins.pin("Never read sheet 7.", { rule: { tool: "*_sheet", pattern: "*7*" } });
  const model = modelAt(server.url);
  const { processor, tools } = holdfastMastra({ session, model, contextWindow: 60_000 });
  const ran: string[] = [];
  const inputSchema = z.object({ sheet: z.number() });
  const execute = async ({ sheet }: { sheet: number }) => ran.push(`sheet ${sheet}`);
  const agent = new Agent({
    id: "auditor",
    name: "Auditor",
    instructions: "You audit workbooks.",
    model,
    tools: {
      ...tools,
      read_sheet: tool({ description: "Reads a sheet", inputSchema, execute }),
      own_sheet: createTool({ id: "own_sheet", description: "Reads a sheet", inputSchema, execute }),
    },
    inputProcessors: [processor],
  });
  assert.equal((await agent.generate("Read sheet 7.", { maxSteps: 5 })).text, "Then not.");
  assert.deepEqual(ran, ["sheet 8"]);
  const last = JSON.stringify(server.requests.at(-1)?.messages);
  assert.equal(last.match(/The user said: \\+"Never read sheet 7\./g)?.length, 2);
});

test(`${spec}: a rejected request is compacted and sent again`, { timeout: 300_000 }, async (t) => {
  const { Agent } = (await import(entryOf())) as { Agent: MastraAgent };
  let refusals = 1;
  const server = await startScriptedServer((request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    const isLong = JSON.stringify(request.messages).includes("cell0 cell0");
    return isLong && refusals-- > 0 ? { status: 400, error: "prompt is too long" } : { text: "It fits now." };
  });
  const memory = await openTestMemory({ surfaces: ["notepad", "results"] });
  t.after(() => Promise.all([memory.close(), server.close()]));
  const session = await memory.openSession("audit");
  const events: AgentEvent[] = [];
  const model = modelAt(server.url);
  const onEvent = (event: AgentEvent) => events.push(event);
  const { processor, tools } = holdfastMastra({ session, model, contextWindow: 60_000, keep: 0.01, onEvent });
  const agent = new Agent({
    id: "auditor",
    name: "Auditor",
    instructions: "You audit workbooks.",
    model,
    tools,
    inputProcessors: [processor],
    errorProcessors: [processor],
    maxProcessorRetries: 3,
    maxRetries: 0,
  });
  const turns = [0, 1, 2].flatMap((turn) => [
    { role: "user", content: `Sheet ${turn}?` },
    { role: "assistant", content: filler(400, `cell${turn}`) },
  ]);
  const { text } = await agent.generate([...turns, { role: "user", content: "And now?" }]);
  assert.equal(text, "It fits now.");
  assert.equal(ofType(events, "compaction")[0]?.trigger, "overflow");
});

test(`${spec}: the example runs`, { timeout: 300_000 }, async () => {
  const entry = pathToFileURL(entryOf()).href;
  const resolve = `import { registerHooks } from "node:module"; registerHooks({ resolve: (name, context, next) => next(name === "@mastra/core/agent" ? ${JSON.stringify(entry)} : name, context) });`;
  const imports = [
    pathToFileURL(join(root, "test/support/resolve-holdfast.ts")).href,
    `data:text/javascript,${encodeURIComponent(resolve)}`,
  ];
  const args = [...imports.flatMap((each) => ["--import", each]), join(root, "examples/mastra.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: temporaryDirectory() });
  assert.equal(stdout, "July is counted twice. - July is counted twice\n");
});
