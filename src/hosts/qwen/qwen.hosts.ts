import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ScriptedModel, startScriptedModel } from "../doctor/scripted-model.ts";
import { type ClientPlace, installClient, makePlace, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@qwen-code/qwen-code@0.24.4";

const program = () => join(installClient(spec), "node_modules/@qwen-code/qwen-code/cli.js");
const qwen = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

async function prepare(place: ClientPlace, { url }: ScriptedModel): Promise<void> {
  Object.assign(place.env, {
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: "scripted",
  });
  writeJson(join(place.home, ".qwen/settings.json"), {
    security: { auth: { selectedType: "openai" } },
    // Its own memory asks the model after each turn.
    memory: { enableManagedAutoMemory: false },
  });
  await qwen(place, "mcp", "approve", "holdfast");
}

testClient({
  host: "qwen",
  spec,
  prepare,
  // Of the window of a model that it does not know.
  limit: 167_000,
  begin: (place, words) => qwen(place, "-p", words),
  resume: (place, words) => qwen(place, "--continue", "-p", words),
  compact: (place) => qwen(place, "--continue", "-p", "/compress"),
  answerOwn: ({ last }) =>
    last.includes("<state_snapshot>")
      ? {
          text: "<state_snapshot><overall_goal>The user asked for the ledger.</overall_goal></state_snapshot>",
        }
      : last.includes("MEMORY.md")
        ? { text: "Nothing to save." }
        : undefined,
});

test(`${spec}: a sub-agent cannot replace the main agent's notepad, and is told how to append`, {
  timeout: 180_000,
}, async (t) => {
  const call = (tool: string, input: Record<string, unknown>): ClientAnswer => ({ call: { tool, input } });
  const plan = call("mcp__holdfast__write_notepad", { content: "plan: move the ledger" });
  const task = { description: "Count", prompt: "Count the sheets.", subagent_type: "general-purpose" };
  const forMain = [plan, call("agent", task)];
  const forSub = [
    call("mcp__holdfast__write_notepad", { content: "six sheets" }),
    call("mcp__holdfast__update_notepad", { operation: "append", content: "six sheets" }),
  ];
  const told: string[] = [];
  const model = await startScriptedModel(({ text, last }) => {
    const isMain = text.includes("Move the ledger.");
    if (!isMain) told.push(last);
    return (isMain ? forMain : forSub).shift() ?? { text: "Done." };
  });
  t.after(model.close);
  const place = makePlace("qwen");
  await prepare(place, model);
  await qwen(place, "--approval-mode", "yolo", "-p", "Move the ledger.");
  assert.match(told[1] ?? "", /belongs to the agent that you work for.*update_notepad/);
  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  t.after(() => memory.close());
  const [session] = await memory.listSessions();
  const notepad = await (await memory.resumeSession(session?.id ?? "")).notepad.read();
  assert.match(notepad, /^plan: move the ledger\s+six sheets$/);
});
