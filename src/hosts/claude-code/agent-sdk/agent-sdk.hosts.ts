import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openTestMemory } from "../../../../test/support/memory.ts";
import { type ClientAnswer, type ClientRequest, startScriptedModel } from "../../doctor/scripted-model.ts";
import { installClient, makePlace, useDoctorModel } from "../../test-support/clients.ts";
import { holdfastClaude } from "./index.ts";

const spec = "@anthropic-ai/claude-agent-sdk@0.3.325";
const root = join(import.meta.dirname, "../../../..");

type Message = { type: string; result?: string; mcp_servers?: { name: string; status: string }[] };
type Query = (call: { prompt: AsyncIterable<object>; options: object }) => AsyncIterable<Message>;

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function openPlace(script?: (request: ClientRequest) => ClientAnswer) {
  const place = makePlace("claude-code");
  const model = await startScriptedModel(script);
  stops.push(model.close);
  await useDoctorModel("claude-code", place, model);
  const sdk = join(installClient(spec), "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");
  return { place, model, env: place.env, sdk: pathToFileURL(sdk).href };
}

/** Notes a question, once. */
function takeNote({ last, isResult }: ClientRequest): ClientAnswer {
  const input = { operation: "append", content: "asked for src/ledger.ts" };
  return !isResult && last.includes("Where is src/ledger.ts?")
    ? { call: { tool: "mcp__holdfast__update_notepad", input } }
    : { text: "ok" };
}

test(`${spec}: the memory is written, and shown again after a compaction`, { timeout: 240_000 }, async () => {
  const { place, model, env, sdk } = await openPlace(takeNote);
  const { query } = (await import(sdk)) as { query: Query };
  const memory = await openTestMemory({ surfaces: ["notepad", "pins"] });
  stops.push(() => memory.close());
  const session = await memory.openSession("s");
  await session.notepad.write("the ledger is cedar-4711");
  const turns = [`Where is src/ledger.ts? ${"pad ".repeat(3_000)}`, "/compact", "Go on."];
  let isAnswered = () => {};
  async function* prompts() {
    for (const content of turns) {
      const answered = new Promise<void>((done) => {
        isAnswered = done;
      });
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" };
      await answered;
    }
  }
  const given = await holdfastClaude({ session, onError: (error) => assert.fail(error) });
  const options = { ...given, cwd: place.root, env, settingSources: [] };
  for await (const message of query({ prompt: prompts(), options })) {
    for (const { name, status } of message.mcp_servers ?? [])
      if (name === "holdfast") assert.equal(status, "connected");
    if (message.type === "result") isAnswered();
  }
  assert.match(model.requests[0]?.body ?? "", /mcp__holdfast__write_notepad/);
  assert.match(model.requests[0]?.body ?? "", /## Session Notepad\\nthe ledger is cedar-4711/);
  const last = model.requests.findLast(({ body }) => body.includes("Go on."))?.body ?? "";
  assert.match(last, /## Session Notepad\\nthe ledger is cedar-4711(?:\\n)+asked for src\/ledger\.ts/);
  assert.match(last, /\[Handoff[\s\S]*\[Receipt: /);
  assert.ok(last.split("pad ").length < 1_000, "the long message is cut in the handoff, and nowhere else");
  const [receipt] = await session.receipts();
  assert.equal(receipt?.summaryBy, "unknown", "the session starts again before its summary is reported");
});

test(`${spec}: the example runs`, { timeout: 240_000 }, async () => {
  const { place, model, env, sdk } = await openPlace();
  const resolve = `import { registerHooks } from "node:module"; registerHooks({ resolve: (name, context, next) => next(name === "@anthropic-ai/claude-agent-sdk" ? ${JSON.stringify(sdk)} : name, context) });`;
  const imports = [
    pathToFileURL(join(root, "test/support/resolve-holdfast.ts")).href,
    `data:text/javascript,${encodeURIComponent(resolve)}`,
  ];
  const args = [...imports.flatMap((each) => ["--import", each]), join(root, "examples/claude-agent-sdk.ts")];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: place.root, env });
  assert.equal(stdout, "ok\n");
  assert.match(model.requests[0]?.body ?? "", /July is counted twice/);
});
