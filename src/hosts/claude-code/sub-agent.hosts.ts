import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, startScriptedModel } from "../doctor/scripted-model.ts";
import { installClient, makePlace, run, useDoctorModel, writeJson } from "../test-support/clients.ts";

const spec = "@anthropic-ai/claude-code@2.1.325";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

test(`${spec}: a sub-agent writes to a notepad of its own, and the main agent's plan stays`, {
  timeout: 180_000,
}, async () => {
  const write = (content: string): ClientAnswer => ({
    call: { tool: "mcp__holdfast__write_notepad", input: { content } },
  });
  const task = { description: "Count", prompt: "Count the sheets.", subagent_type: "general-purpose" };
  const forMain: ((tools: string[]) => ClientAnswer)[] = [
    () => write("plan: move the ledger"),
    (tools) => ({ call: { tool: tools.includes("Task") ? "Task" : "Agent", input: task } }),
  ];
  const forSub = [write("six sheets")];
  const subContexts: string[] = [];
  const model = await startScriptedModel(({ tools, text }) => {
    const isMain = text.includes("Move the ledger.");
    if (!isMain) subContexts.push(text);
    return (isMain ? forMain.shift()?.(tools) : forSub.shift()) ?? { text: "Done." };
  });
  stops.push(model.close);
  const place = makePlace("claude-code");
  await useDoctorModel("claude-code", place, model);
  writeJson(join(place.home, ".claude.json"), {
    projects: { [place.root]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] } },
  });
  const program = join(installClient(spec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
  const allowed = ["--allowedTools", "Task,Agent,mcp__holdfast__*"];
  await run(program, ["-p", ...allowed, "--", "Move the ledger."], place);

  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  stops.push(() => memory.close());
  const sessions = await memory.listSessions();
  const child = sessions.find(({ parent }) => parent !== null);
  assert.ok(child?.parent, "the sub-agent has a session below the main agent's");
  assert.equal(await (await memory.resumeSession(child.id)).notepad.read(), "six sheets");
  assert.equal(await (await memory.resumeSession(child.parent)).notepad.read(), "plan: move the ledger");
  assert.match(subContexts[0] ?? "", /Your memory is your own and starts empty/);
  assert.doesNotMatch(subContexts[0] ?? "", /move the ledger/);
});
