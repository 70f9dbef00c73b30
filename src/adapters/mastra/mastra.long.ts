import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { jsonSchema, tool } from "ai";
import {
  filler,
  inOrder,
  isSummaryRequest,
  isWarning,
  modelAt,
  ofType,
  plainSummary,
  textsOf,
} from "../../../test/support/agent.ts";
import { openTestMemory } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { installClient } from "../../hosts/test-support/clients.ts";
import { openMemory } from "../../index.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { fullConversation, openDriverSession } from "../test-support/driver-session.ts";
import { readSheets, sheetText } from "../test-support/sheets.ts";
import { holdfastEnd, holdfastMastra } from "./index.ts";
import { toUiMessages } from "./test-support/ui-messages.ts";

const spec = "@mastra/core@1.71.0";
const root = join(import.meta.dirname, "../../..");

type MastraAgent = new (
  config: object,
) => {
  generate(prompt: string | object[], options?: object): Promise<{ text: string; steps: unknown[] }>;
};

/** 130 MB, so that it is installed for this test only. */
function entryOf(name = "@mastra/core/agent"): string {
  const folder = installClient("@mastra/memory@1.31.0", [spec, "@mastra/libsql@1.23.1"]);
  return pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href;
}

testDriver("Mastra adapter with Mastra itself", async (t) => ({
  contextWindow: 16_000,
  async warned() {
    const { Agent } = (await import(entryOf())) as { Agent: MastraAgent };
    const server = await startScriptedServer(inOrder([]));
    t.after(() => server.close());
    const { session } = await openDriverSession(t, "", []);
    const model = modelAt(server.url);
    const { processor, tools } = holdfastMastra({ session, model, contextWindow: 16_000 });
    const names = { id: "driver", name: "Driver", instructions: "You audit workbooks." };
    await new Agent({ ...names, model, tools, inputProcessors: [processor] }).generate(
      toUiMessages(fullConversation),
    );
    return { session, shown: textsOf(server.requests.find(isWarning)) };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const { Agent } = (await import(entryOf())) as { Agent: MastraAgent };
    const server = await startScriptedServer(inOrder([], { summary: () => ({ text: summary }) }));
    t.after(() => server.close());
    const { session } = await openDriverSession(t, notepad, surfaces);
    const model = modelAt(server.url);
    const limits = { contextWindow: 16_000, compactAt: 0.1, keep: 0.01 };
    const { processor, tools } = holdfastMastra({ session, model, ...limits });
    const names = { id: "driver", name: "Driver", instructions: "You audit workbooks." };
    const agent = new Agent({ ...names, model, tools, inputProcessors: [processor] });
    await agent.generate(toUiMessages([...messages, { role: "user", content: "Go on." }]));
    await holdfastEnd(session);
    return { session, shown: textsOf(server.requests.at(-1)) };
  },
}));

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

/** An agent with Mastra's own memory, as a new process on the same files. */
async function openWithHistory(directory: string, url: string, options: object) {
  const { Agent } = (await import(entryOf())) as { Agent: MastraAgent };
  const { Memory } = (await import(entryOf("@mastra/memory"))) as { Memory: new (config: object) => object };
  const { LibSQLStore } = (await import(entryOf("@mastra/libsql"))) as {
    LibSQLStore: new (config: object) => object;
  };
  const memory = await openMemory({ store: join(directory, "memory.db") });
  const session = await memory.openSession("audit");
  const model = modelAt(url);
  const { processor, tools } = holdfastMastra({ session, model, contextWindow: 6_000 });
  const storage = new LibSQLStore({ id: "auditor", url: `file:${join(directory, "mastra.db")}` });
  const names = { id: "auditor", name: "Auditor", instructions: "You audit workbooks." };
  const history = new Memory({ storage, options });
  const agent = new Agent({ ...names, model, tools, inputProcessors: [processor], memory: history });
  const ask = (text: string) => agent.generate(text, { memory: { thread: "audit", resource: "dana" } });
  return { memory, session, ask };
}

test(`${spec}: with the option of the guide, what was said long ago survives, in a new process too [mastra.history]`, {
  timeout: 300_000,
}, async (t) => {
  const directory = temporaryDirectory();
  const server = await startScriptedServer((request) => ({
    text: isSummaryRequest(request) ? plainSummary(request) : `Noted. ${filler(30, "cell")}`,
  }));
  t.after(() => server.close());
  // The first generate is the only one to name the ticket.
  const questions = [
    "Never touch sheet 7, see TKT-4711.",
    ...Array.from({ length: 11 }, (_, at) => `Sheet ${at}?`),
  ];
  const first = await openWithHistory(directory, server.url, { lastMessages: 10_000 });
  for (const question of questions) await first.ask(question);
  assert.deepEqual(await first.session.receipts(), [], "the whole conversation still fits");
  await first.memory.close();
  const second = await openWithHistory(directory, server.url, { lastMessages: 10_000 });
  await second.ask("And now?");
  const whole = JSON.stringify(server.requests.at(-1)?.messages);
  assert.match(whole, /TKT-4711[\s\S]*Sheet 0\?[\s\S]*And now\?/);
  for (let at = 0; (await second.session.receipts()).length === 0 && at < 40; at++)
    await second.ask(`Again ${at}? ${filler(200, "row")}`);
  await second.ask("Which ticket?");
  assert.match(JSON.stringify(server.requests.at(-1)?.messages), /TKT-4711/, "after a compaction too");
  await second.memory.close();
});

test(`${spec}: the example runs`, { timeout: 300_000 }, async () => {
  const names = ["@mastra/core/agent", "@mastra/memory", "@mastra/libsql"];
  const entries = JSON.stringify(Object.fromEntries(names.map((name) => [name, entryOf(name)])));
  // Mastra's packages find each other themselves.
  const resolve = `import { registerHooks } from "node:module"; registerHooks({ resolve: (name, context, next) => next((context.parentURL?.includes("/examples/") && ${entries}[name]) || name, context) });`;
  const imports = [
    pathToFileURL(join(root, "test/support/resolve-holdfast.ts")).href,
    `data:text/javascript,${encodeURIComponent(resolve)}`,
  ];
  const args = [...imports.flatMap((each) => ["--import", each]), join(root, "examples/mastra.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: temporaryDirectory() });
  assert.equal(stdout, "July is counted twice. - July is counted twice\n");
});
