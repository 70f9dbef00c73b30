import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ScriptedModel, startScriptedModel } from "../doctor/scripted-model.ts";
import { type ClientPlace, installClient, makePlace, run, writeJson } from "../test-support/clients.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@google/gemini-cli@0.61.0";

const program = () => join(installClient(spec), "node_modules/@google/gemini-cli/bundle/gemini.js");
const gemini = (place: ClientPlace, ...args: string[]) => run(process.execPath, [program(), ...args], place);

/** The user's settings. It compresses when the last request was over this share of the window. */
function writeSettings({ home }: ClientPlace, compressionThreshold: number): void {
  writeJson(join(home, ".gemini/settings.json"), {
    security: { auth: { selectedType: "vertex-ai" } },
    privacy: { usageStatisticsEnabled: false },
    model: { name: "gemini-2.5-pro", compressionThreshold },
  });
}

function prepare(place: ClientPlace, { url }: ScriptedModel): void {
  Object.assign(place.env, {
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_API_KEY: "none",
    GOOGLE_VERTEX_BASE_URL: url,
  });
  writeSettings(place, 0.9);
  writeJson(join(place.home, ".gemini/trustedFolders.json"), { [place.root]: "TRUST_FOLDER" });
}

testClient({
  host: "gemini",
  spec,
  prepare,
  limit: 943_718,
  begin: (place, words) => gemini(place, "-p", words),
  resume: (place, words) => gemini(place, "--resume", "latest", "-p", words),
  async compact(place) {
    writeSettings(place, 0.000_01);
    await gemini(place, "--resume", "latest", "-p", "Go on.");
    writeSettings(place, 0.9);
  },
  keepsMemory: true,
  answerOwn: ({ last }) =>
    last.includes("<state_snapshot>")
      ? {
          text: "<state_snapshot><overall_goal>The user asked for the ledger.</overall_goal></state_snapshot>",
        }
      : undefined,
});

test(`${spec}: a sub-agent cannot replace the main agent's notepad, and is told how to append`, {
  timeout: 180_000,
}, async (t) => {
  const call = (tool: string, input: Record<string, unknown>): ClientAnswer => ({ call: { tool, input } });
  const task = { agent_name: "generalist", prompt: "Count the sheets." };
  const forMain = [
    call("mcp_holdfast_write_notepad", { content: "plan: move the ledger" }),
    call("invoke_agent", task),
  ];
  const forSub = [
    call("mcp_holdfast_write_notepad", { content: "six sheets" }),
    call("mcp_holdfast_update_notepad", { operation: "append", content: "six sheets" }),
    call("complete_task", { result: "Six." }),
  ];
  const told: string[] = [];
  const model = await startScriptedModel(({ text, last }) => {
    const isMain = text.includes("Move the ledger.");
    if (!isMain) told.push(last);
    return (isMain ? forMain : forSub).shift() ?? { text: "Done." };
  });
  t.after(model.close);
  const place = makePlace("gemini");
  prepare(place, model);
  await gemini(place, "--approval-mode", "yolo", "-p", "Move the ledger.");
  assert.match(told[1] ?? "", /belongs to the agent that you work for.*update_notepad/);
  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  t.after(() => memory.close());
  const [session] = await memory.listSessions();
  const notepad = await (await memory.resumeSession(session?.id ?? "")).notepad.read();
  assert.match(notepad, /^plan: move the ledger\s+six sheets$/);
});
