import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginChat, runCli } from "../src/cli/test-support/chat.ts";
import type { OpenClawContext, OpenClawTool } from "../src/hosts/openclaw/api.ts";
import openClawPlugin from "../src/hosts/openclaw/index.ts";
import piExtension from "../src/hosts/pi/index.ts";
import { FakePi } from "../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory } from "../src/index.ts";
import { initialize, startMcp } from "../src/mcp/test-support/mcp-process.ts";
import { makeCorpus } from "../src/secrets/test-support/corpus.ts";
import { entryPoints, settingNames, settingOf } from "../src/workspace/settings.ts";
import { call, filler, isSummaryRequest } from "./support/agent.ts";
import { hook, hookProject } from "./support/hook.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const secret = makeCorpus(7).secrets[0]?.[1] ?? "";

function projectWith(config: unknown): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "holdfast.json"), JSON.stringify(config));
  return root;
}

test("every setting acts everywhere, or the docs say why it does not [config.acts]", () => {
  for (const name of settingNames) {
    const { actsIn, elsewhere = "" } = settingOf(name);
    assert.ok(actsIn.length > 0, name);
    assert.ok(actsIn.length === entryPoints.length || elsewhere !== "", `${name} does not say why`);
  }
});

test("chat: window, thresholds, steps, ledger, secrets, clearing, children, limits and files of the file act [config.acts]", async () => {
  const { server, cwd, chat } = await beginChat((request, number) => {
    if (isSummaryRequest(request)) return { text: "A summary: one, two and three were asked." };
    if (number === 0) return { toolCalls: [call("write_notepad", { content: secret })] };
    if (number === 1) return { toolCalls: [call("write_notepad", { content: "x".repeat(101) })] };
    if (number === 2)
      return {
        toolCalls: [
          call("spawn_session", { task: "a" }, "a"),
          call("spawn_session", { task: "b" }, "b"),
          call("spawn_session", { task: "c" }, "c"),
        ],
      };
    return { text: "Done." };
  });
  mkdirSync(join(cwd, ".git"));
  mkdirSync(join(cwd, "docs"));
  writeFileSync(join(cwd, "docs/NOTES.md"), "# Notes\n");
  const config = {
    store: "jsonl:kept",
    surfaces: ["notepad", "results", "sessions", "project"],
    contextWindow: 24_000,
    compactAt: 0.4,
    keep: 0.05,
    outputReserve: 500,
    maxSteps: 2,
    ledger: false,
    summaryInPlace: false,
    secrets: "allow",
    clearing: false,
    children: { running: 1 },
    limits: { notepadCharacters: 100 },
    project: { file: "docs/NOTES.md" },
  };
  writeFileSync(join(cwd, "holdfast.json"), JSON.stringify(config));
  const input = ["one", "two", `three ${filler(6_000)}`, "four"];
  const { stdout } = await runCli([...chat, "--session", "s", "--json"], { cwd, input });
  const events = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const of = (type: string) => events.filter((event) => event.type === type);
  assert.equal(of("result")[0]?.end, "steps", "maxSteps");
  assert.match(JSON.stringify(of("tool-result")), /the limit is 100/, "limits.notepadCharacters");
  assert.match(JSON.stringify(of("tool-result")), /1 sub-session|running/, "children.running");
  assert.ok(of("compaction").length > 0, "contextWindow and compactAt");
  assert.equal(of("clearing").length, 0);
  const summary = server.requests.find(isSummaryRequest);
  assert.equal(summary?.tools, undefined, "summaryInPlace");
  assert.match(JSON.stringify(server.requests[0]?.messages), /NOTES\.md/, "project.file");
  const memory = await openMemory({ store: `jsonl:${join(cwd, "kept")}` });
  const session = await memory.resumeSession("s");
  assert.equal(await session.notepad.read(), secret, "store and secrets");
  assert.deepEqual(await session.calls.list(), [], "ledger");
  await memory.close();
});

test("MCP: store, secrets, skills, project file and the scratchpad's tokens of the file act [config.acts]", async (context) => {
  const cwd = projectWith({
    store: "jsonl:kept",
    surfaces: ["notepad", "scratchpad", "knowledge", "project"],
    secrets: "refuse",
    skills: ["my-skills"],
    scratchpad: { maxTokens: 5 },
    project: { file: "docs/NOTES.md" },
  });
  mkdirSync(join(cwd, "my-skills/audit"), { recursive: true });
  const skill = "---\nname: audit\ndescription: How to audit\n---\nCount twice.\n";
  writeFileSync(join(cwd, "my-skills/audit/SKILL.md"), skill);
  const server = startMcp(context, ["--session", "s"], { cwd });
  await initialize(server);
  const text = async (tool: string, input: object) => (await server.call(tool, input)).content[0].text;
  assert.match(await text("write_notepad", { content: `key ${secret}` }), /secret/i);
  assert.match(await text("list_skills", {}), /audit/);
  const long = "a plan of many words, too long for five tokens";
  assert.match(await text("session_scratchpad", { content: long }), /truncated to 5 tokens/);
  assert.match(await text("set_goal", { goal: "Ship" }), /Added the sub-goal/);
  await server.end();
  const { readFileSync } = await import("node:fs");
  assert.match(readFileSync(join(cwd, "docs/NOTES.md"), "utf8"), /Ship/);
  const memory = await openMemory({ store: `jsonl:${join(cwd, "kept")}` });
  assert.equal((await memory.resumeSession("s")).id, "s");
  await memory.close();
});

test("a hook: store and the limit for found rules of the file act [config.acts]", async () => {
  const project = await hookProject({ withMemory: false });
  const config = { store: "kept.db", limits: { foundRuleBytes: 40 } };
  writeFileSync(join(project.root, "holdfast.json"), JSON.stringify(config));
  const transcript_path = join(project.root, "transcript.jsonl");
  const rules = [
    "Never push to main.",
    "Always run the linter before you commit anything.",
    "Never use npm.",
  ];
  const lines = rules.map((content, index) =>
    JSON.stringify({ type: "user", uuid: `u${index}`, message: { role: "user", content } }),
  );
  writeFileSync(transcript_path, `${lines.join("\n")}\n`);
  const event = { session_id: "s", transcript_path };
  await hook(project, "claude-code", { ...event, hook_event_name: "SessionStart", source: "startup" });
  await hook(project, "claude-code", { ...event, hook_event_name: "PreCompact", trigger: "auto" });
  const memory = await openMemory({ store: join(project.root, "kept.db"), surfaces: ["pins"] });
  const pins = await (await memory.resumeSession("claude-code.s")).pins.list();
  assert.ok(pins.length > 0 && pins.length < rules.length, JSON.stringify(pins));
  await memory.close();
});

test("pi and OpenClaw: surfaces, limits and secrets of the file act [config.acts] [config.openclaw]", async (t) => {
  const config = { surfaces: ["notepad"], secrets: "refuse", limits: { notepadCharacters: 300 } };
  const root = projectWith(config);
  const before = process.cwd();
  process.chdir(root);
  t.after(() => process.chdir(before));
  const pi = new FakePi({ cwd: root, id: "s" });
  await piExtension(pi);
  await pi.emit("session_start", { reason: "startup" });
  t.after(() => pi.emit("session_shutdown"));
  const names = ["read_notepad", "write_notepad", "update_notepad"];
  assert.deepEqual([...pi.tools.keys()], names);
  const inPi = (content: string) => pi.call("write_notepad", { content });
  await assertRefusals(inPi);

  let tools: OpenClawTool[] = [];
  const context: OpenClawContext = { sessionKey: root, sessionId: root, workspaceDir: root };
  openClawPlugin.register({
    on: () => {},
    registerTool: (factory) => {
      tools = factory(context) ?? [];
    },
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    names,
  );
  const write = tools.find(({ name }) => name === "write_notepad");
  await assertRefusals(async (content) => JSON.stringify(await write?.execute("c", { content })));
});

/** A text over the limit and one with a secret are refused; another is written. */
async function assertRefusals(write: (content: string) => Promise<unknown>): Promise<void> {
  const answer = async (content: string) => {
    try {
      return JSON.stringify(await write(content));
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(await answer("x".repeat(301)), /the limit is 300/);
  assert.match(await answer(`key ${secret}`), /secret/i);
  assert.match(await answer("short"), /ok/);
}
