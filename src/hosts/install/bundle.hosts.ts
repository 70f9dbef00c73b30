/** The plugin folders, in every client that takes one: that of Claude Code and Codex, and the Agent Plugins bundle. */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ScriptedModel, startScriptedModel } from "../doctor/scripted-model.ts";
import {
  builtCommand,
  type ClientPlace,
  installClient,
  makeBarePlace,
  run,
  useDoctorModel,
  writeJson,
} from "../test-support/clients.ts";

const root = join(import.meta.dirname, "../../..");
const bundle = join(root, "plugins/agent-plugins");
const marketplace = join(root, "plugins");

/** A place without `holdfast init`, where `holdfast` is on the PATH, and a model that writes to the notepad. */
async function start(t: TestContext): Promise<{ place: ClientPlace; model: ScriptedModel }> {
  const place = makeBarePlace();
  const bin = join(place.home, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\nexec "${process.execPath}" "${builtCommand()}" "$@"\n`;
  writeFileSync(join(bin, "holdfast"), script);
  chmodSync(join(bin, "holdfast"), 0o755);
  place.env.PATH = `${bin}${delimiter}${place.env.PATH ?? ""}`;
  let isCalled = false;
  const model = await startScriptedModel(({ text, tools }) => {
    const direct = tools.find((name) => /write_notepad$/.test(name));
    const hidden = /mcp__holdfast__write_notepad/.exec(text)?.[0];
    const input = { content: "cedar-4711" };
    if (isCalled || !text.includes("remember: cedar-4711")) return { text: "Done." };
    // Codex may ask before a plugin's server is up, so the model does something else meanwhile.
    if (!direct && tools.includes("exec_command") && model.requests.length < 30)
      return { call: { tool: "exec_command", input: { cmd: "holdfast --version" } } };
    isCalled = true;
    if (direct) return { call: { tool: direct, input } };
    // Where tools are hidden behind a search, another tool calls them.
    return hidden && tools.includes("tool_call")
      ? { call: { tool: "tool_call", input: { name: hidden, arguments: input } } }
      : { text: "Done." };
  });
  t.after(model.close);
  return { place, model };
}

const words = "Please remember: cedar-4711";

/** The tools work on the project's memory, and the skill is offered. */
async function assertBundle(place: ClientPlace, model: ScriptedModel): Promise<void> {
  assertSkill(model);
  const results = model.requests.filter(({ isResult }) => isResult).map(({ text }) => text);
  assert.match(results.join("\n"), /"?ok"?\W+true/, "the tool was called");
  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  const [session] = await memory.listSessions();
  const opened = session && (await memory.resumeSession(session.id));
  assert.equal(await opened?.notepad.read(), "cedar-4711");
  await memory.close();
}

/** The skill is offered with its description. */
function assertSkill({ requests }: ScriptedModel): void {
  const whole = requests.map(({ body }) => body).join("\n");
  assert.match(
    whole,
    /holdfast[\s\S]{0,80}Keep what matters in working memory that survives/,
    "the skill is offered",
  );
}

const timeout = 600_000;

test("Claude Code takes its folder: hooks, tools and skill", { timeout }, async (t) => {
  const { place, model } = await start(t);
  await useDoctorModel("claude-code", place, model);
  const folder = installClient("@anthropic-ai/claude-code@2.1.325");
  const program = join(folder, "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
  const allowed = ["--allowedTools", "mcp__plugin_holdfast_holdfast__*"];
  await run(program, ["-p", words, "--plugin-dir", join(marketplace, "claude-code"), ...allowed], place);
  await assertBundle(place, model);
  assert.match(model.requests[0]?.text ?? "", /## Session Notepad/, "the hook ran");
});

test("Codex takes the folder of Claude Code: hooks, tools and skill", { timeout }, async (t) => {
  const { place, model } = await start(t);
  const folder = join(place.home, ".codex");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "config.toml"),
    `model = "scripted"
model_provider = "scripted"
model_providers.scripted = { name = "scripted", base_url = "${model.url}/v1", wire_api = "responses" }

[projects.${JSON.stringify(realpathSync(place.root))}]
trust_level = "trusted"
`,
  );
  const program = join(installClient("@openai/codex@0.166.0"), "node_modules/@openai/codex/bin/codex.js");
  const codex = (...args: string[]) => run(process.execPath, [program, ...args], place);
  await codex("plugin", "marketplace", "add", marketplace);
  await codex("plugin", "add", "holdfast@holdfast");
  const options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"];
  await codex("exec", ...options, "--dangerously-bypass-approvals-and-sandbox", words);
  await assertBundle(place, model);
  assert.match(model.requests[0]?.text ?? "", /## Session Notepad/, "the hook ran");
});

test("Copilot CLI takes the bundle: tools and skill", { timeout }, async (t) => {
  const { place, model } = await start(t);
  await useDoctorModel("copilot", place, model);
  const folder = installClient("@github/copilot@1.0.102");
  const program = join(folder, "node_modules/@github/copilot/npm-loader.js");
  await run(process.execPath, [program, "-p", words, "--plugin-dir", bundle, "--allow-all-tools"], place);
  await assertBundle(place, model);
});

test("Qwen Code takes the bundle: tools and skill", { timeout }, async (t) => {
  const { place, model } = await start(t);
  await useDoctorModel("qwen", place, model);
  writeJson(join(place.home, ".qwen/settings.json"), {
    security: { auth: { selectedType: "openai" } },
    memory: { enableManagedAutoMemory: false },
  });
  const folder = installClient("@qwen-code/qwen-code@0.24.4");
  const program = join(folder, "node_modules/@qwen-code/qwen-code/cli.js");
  const qwen = (...args: string[]) => run(process.execPath, [program, ...args], place);
  await qwen("extensions", "install", "--consent", bundle);
  await qwen("-p", words, "--yolo");
  await assertBundle(place, model);
});

test("OpenClaw takes the folder of Claude Code: the skill, but not the tools", { timeout }, async (t) => {
  const { place, model } = await start(t);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const window = { contextWindow: 60_000, maxTokens: 2_000 };
  const scripted = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost, ...window };
  const api = { baseUrl: `${model.url}/v1`, apiKey: "none", api: "openai-completions", models: [scripted] };
  writeJson(join(place.home, ".openclaw/openclaw.json"), {
    agents: {
      defaults: { workspace: place.root, skipBootstrap: true, model: { primary: "local/scripted" } },
    },
    models: { mode: "merge", providers: { local: api } },
  });
  const program = join(installClient("openclaw@2026.9.6"), "node_modules/openclaw/openclaw.mjs");
  const openclaw = (...args: string[]) => run(process.execPath, [program, ...args], place);
  const consent = ["--force", "--accept-capabilities"];
  await openclaw("plugins", "install", "--marketplace", marketplace, "holdfast", ...consent);
  await openclaw("agent", "--local", "--agent", "main", "--session-key", "agent:main:test", "-m", words);
  assertSkill(model);
  assert.doesNotMatch(model.requests[0]?.body ?? "", /write_notepad/);
});

test("Gemini CLI takes no bundle, only its own extension", { timeout }, async (t) => {
  const { place } = await start(t);
  const folder = installClient("@google/gemini-cli@0.61.0");
  const program = join(folder, "node_modules/@google/gemini-cli/bundle/gemini.js");
  const gemini = (...args: string[]) => run(process.execPath, [program, ...args], place);
  const said = await gemini("extensions", "link", bundle, "--consent").catch(String);
  assert.match(said, /Configuration file not found at .*gemini-extension\.json/);
  const linked = await gemini("extensions", "link", join(root, "plugins/gemini"), "--consent");
  assert.match(linked, /"?holdfast"? .*linked successfully/i);
});
