import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginChat, runCli } from "../src/cli/test-support/chat.ts";
import { coveringNotes } from "../src/compaction/clearing.ts";
import { noNudges } from "../src/compaction/nudges.ts";
import type { StoredMessage } from "../src/context/conversation.ts";
import { changeText } from "../src/context/shown-memory.ts";
import type { OpenClawContext } from "../src/hosts/openclaw/api.ts";
import openClawPlugin from "../src/hosts/openclaw/index.ts";
import { PiExtension } from "../src/hosts/pi/extension.ts";
import { FakePi, shownIn } from "../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory } from "../src/index.ts";
import { initialize, startMcp } from "../src/mcp/test-support/mcp-process.ts";
import { checkpointProject, initProject, openProject } from "../src/surfaces/project/index.ts";
import { inPlugin } from "../src/surfaces/surface.ts";
import { hook, hookProject } from "./support/hook.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const hint = /\[Hint: Your session memory is still empty/;

function projectWith(config: unknown): string {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "holdfast.json"), JSON.stringify(config));
  return root;
}

test("chat: surfaces, limits, nudges, placement and thresholds of the file reach the model [config.acts] [config.chat-commands]", async () => {
  const { server, cwd, chat } = await beginChat(() => ({ text: "Done." }));
  const config = {
    surfaces: ["scratchpad"],
    placement: "message",
    scratchpad: { maxTokens: 700, nudgeAfterTurns: 1 },
    limits: { refs: 7 },
  };
  writeFileSync(join(cwd, "holdfast.json"), JSON.stringify(config));
  const lines = ["one", "two", "/context", "/pin Never push.", "/memory", "/clear", "three"];
  const { stdout } = await runCli([...chat, "--session", "s"], { cwd, input: lines });
  const asked = server.requests.map(({ messages }) => JSON.stringify(messages));
  assert.match(asked[0] ?? "", /Budget: ~700 tokens[\s\S]*refs \(7 items\)/);
  assert.doesNotMatch(asked[0] ?? "", hint);
  assert.match(asked[1] ?? "", hint);
  assert.deepEqual(
    server.requests[0]?.tools
      ?.map((tool) => tool.function.name)
      .filter((name) => name.includes("scratchpad")),
    ["session_scratchpad"],
  );
  assert.match(stdout, /^ {2}memory +\d+$/m);
  assert.match(stdout, /Never push\./);
  assert.match(stdout, /The conversation is cleared; the memory goes on in session/);
  assert.doesNotMatch(asked[2] ?? "", /"one"/, "the old conversation is gone");
});

test("chat --set acts, and NOTES.md is used without --surfaces [config.acts] [config.notes-found]", async () => {
  const { server, cwd, chat } = await beginChat(() => ({ text: "Done." }));
  mkdirSync(join(cwd, "grimoires/loa"), { recursive: true });
  writeFileSync(join(cwd, "grimoires/loa/NOTES.md"), "# Notes\n");
  await runCli([...chat, "--set", "nudgeAfterTurns=1", "--set", "compactAt=0.5"], {
    cwd,
    input: ["one", "two"],
  });
  assert.match(JSON.stringify(server.requests[1]?.messages), hint);
  assert.ok(server.requests[0]?.tools?.some((tool) => tool.function.name === "recover_context"));
});

test("MCP: surfaces and limits of the file are in its tools and refusals [config.acts] [config.tags]", async (context) => {
  const cwd = projectWith({ surfaces: ["notes"], limits: { noteCharacters: 20, noteTags: 2 } });
  const server = startMcp(context, ["--session", "s"], { cwd });
  await initialize(server);
  const { tools } = (await server.ask("tools/list")).result;
  assert.equal(tools.length, 7);
  const { content, tags } = tools.find(({ name }: { name: string }) => name === "add_note").inputSchema
    .properties;
  assert.deepEqual([content.maxLength, tags.maxItems], [20, 2]);
  assert.match(
    (await server.call("add_note", { content: "x".repeat(21) })).content[0].text,
    /maximum length of 20/,
  );
  const { note_id } = (await server.call("add_note", { content: "a", tags: ["Bug"] })).structuredContent;
  await server.call("add_note", { content: "b", tags: ["bug"] });
  await server.call("delete_note", { id: note_id });
  const listed = (await server.call("list_tags")).structuredContent;
  assert.deepEqual(listed.tags, [{ tag: "bug", count: 1 }], "no note spells it Bug any more");
  await server.end();
});

test("a hook takes its nudges, surfaces and project file from holdfast.json [config.acts] [config.nudge-count]", async () => {
  const project = await hookProject();
  writeFileSync(join(project.root, "PROJECT.md"), "# Notes\n");
  const config = {
    surfaces: ["notes", "project"],
    project: { file: "PROJECT.md" },
    scratchpad: { nudgeAfterTurns: 1 },
  };
  writeFileSync(join(project.root, "holdfast.json"), JSON.stringify(config));
  const send = (hook_event_name: string) =>
    hook(project, "claude-code", { session_id: "s", source: "startup", hook_event_name });
  assert.match((await send("SessionStart")).context, /\[Project memory/);
  assert.doesNotMatch((await send("UserPromptSubmit")).context, hint);
  await send("Stop");
  assert.match((await send("UserPromptSubmit")).context, hint, "as in an agent: after one completed turn");
});

test("pi shows the scratchpad that its file already has, and nudges [config.plugin-nudges] [config.acts]", async (t) => {
  const surfaces = ["notepad", "notes", "scratchpad"] as const;
  const memory = await openMemory({ store: "memory:", surfaces });
  t.after(() => memory.close());
  const start = (id: string) => {
    const pi = new FakePi({ cwd: projectWith({}), id });
    const nudges = { ...noNudges, nudgeAfterTurns: 1 };
    new PiExtension(pi, {
      tools: memory.tools(inPlugin()),
      nudges,
      report: () => {},
      openMemory: async () => memory,
    }).register(pi);
    return pi;
  };
  const empty = start("empty");
  await empty.emit("session_start", { reason: "startup" });
  empty.say("user", "one");
  assert.doesNotMatch(shownIn(await empty.modelCall()), hint);
  empty.say("assistant", "done");
  empty.say("user", "two");
  assert.match(shownIn(await empty.modelCall()), hint);
  const known = start("known");
  known.appendEntry("openclaw:scratchpad:plan", "1. Count the rows");
  await known.emit("session_start", { reason: "startup" });
  known.say("user", "one");
  assert.match(shownIn(await known.modelCall()), /\[Session Scratchpad\][\s\S]*Count the rows/);
  assert.ok(known.tools.has("session_scratchpad"));
});

test("OpenClaw's own config and the file act: surfaces, nudges and NOTES.md [config.openclaw] [config.plugin-nudges] [config.acts] [config.notes-found]", async () => {
  const root = projectWith({ scratchpad: { nudgeAfterTurns: 1 } });
  initProject(openProject({ root }));
  const handlers = new Map<string, (event: never, context: OpenClawContext) => unknown>();
  let tools: string[] = [];
  const context = { sessionKey: root, sessionId: root, workspaceDir: root };
  openClawPlugin.register({
    pluginConfig: { scratchpad: { maxTokens: 600 } },
    on: (name, handler) => void handlers.set(name, handler),
    registerTool: (factory) => {
      tools = (factory(context) ?? []).map(({ name }) => name);
    },
  });
  const prompt = async () =>
    JSON.stringify(
      await handlers.get("before_prompt_build")?.({ prompt: "", messages: [] } as never, context),
    );
  const first = await prompt();
  assert.match(first, /Budget: ~600 tokens/);
  assert.match(first, /\[Project memory/, "NOTES.md is there");
  assert.doesNotMatch(first, hint);
  assert.match(await prompt(), hint);
  assert.ok(tools.includes("session_scratchpad") && tools.includes("recover_context"));
  await handlers.get("gateway_stop")?.({} as never, context);
});

test("project init writes to grimoires/loa if that folder exists [config.grimoires]", () => {
  const root = temporaryDirectory();
  assert.equal(openProject({ root }).file.name, "grimoires/loa/NOTES.md");
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  assert.equal(initProject(openProject({ root })).name, "grimoires/loa/NOTES.md");
});

test("a handoff row has the project's prefix for paths, and there is none if nothing was done [config.handover]", async () => {
  const root = temporaryDirectory();
  const project = openProject({ root });
  initProject(project);
  const none = { said: [], tasks: [], plan: [], finished: [], lastWords: "" };
  const finished = [`Wrote ${join(project.file.root, "src/a.ts")}`];
  await checkpointProject({ root, handoff: { ...none, finished }, event: "session-end" });
  const { readFileSync } = await import("node:fs");
  const read = () => readFileSync(project.file.path, "utf8");
  assert.match(read(), /done: Wrote \$\{PROJECT_ROOT\}\/src\/a\.ts/);
  assert.ok(!read().includes(project.file.root));
  const before = read();
  await checkpointProject({ root, handoff: none, event: "session-end" });
  assert.equal(read(), before, "nothing was done, so no row says so");
});

test("a result is worked in by its call, its symbols or its outcome [config.worked-in]", () => {
  const written = (content: string): StoredMessage[] => [
    {
      number: 5,
      at: 0,
      message: {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "add_note", input: { content } }],
      },
    },
  ];
  const covers = (note: string, text: string, input: unknown) => {
    const result = { key: "1", id: "1", tool: "bash", message: 1, text, isError: false };
    return coveringNotes(written(note), new Set(["add_note"]))(result, input)?.text;
  };
  assert.equal(
    covers("jwt.ts checks the expiry", "export const x = 1", { path: "src/auth/jwt.ts" }),
    "jwt.ts checks the expiry",
  );
  for (const id of ["PROJ-123", "#4711", "deadbeef1"])
    assert.ok(covers(`- ${id} is the cause`, `log of ${id}`, { path: "a" }), id);
  assert.ok(covers("npm test: two failures in login", "…", { command: "npm test" }));
  assert.ok(covers("suite: 12 passed, 3 failed", "ran all\n12 passed\n3 failed", { command: "make check" }));
  assert.ok(covers("isTokenExpired uses graceMs", "function isTokenExpired(token, graceMs)", { path: "a" }));
  const tree = "src\n├── auth\n│   ├── jwt.ts\n│   └── refresh.ts\n└── billing";
  assert.ok(covers("src/auth: jwt.ts, refresh.ts; src/billing is empty", tree, { command: "tree src" }));
  assert.equal(
    covers("a plan for tomorrow", "function isTokenExpired(token)", { path: "src/x.ts" }),
    undefined,
  );
});

test("a changed system prompt is labelled, and what shortens a text is accepted over the limit [config.label] [config.shortening]", async () => {
  assert.match(
    changeText({ surface: "knowledge", text: "Be kind." }),
    /^\[System prompt and skills, changed; .*\]\nBe kind\.\n\[End/,
  );
  const large = await openMemory({ store: "memory:", limits: { notepadCharacters: 100 } });
  const session = await large.createSession();
  await session.notepad.write("x".repeat(90));
  large.setting.limits.notepadCharacters = 50;
  assert.ok((await session.call("write_notepad", { content: "y".repeat(90) })).ok, "as long as before");
  assert.ok((await session.call("write_notepad", { content: "y".repeat(80) })).ok);
  assert.ok(!(await session.call("update_notepad", { operation: "append", content: "z" })).ok);
  await large.close();
});

test("tasks without a conversation keep their outcomes, nested ones collapse into theirs [config.tasks]", async () => {
  const memory = await openMemory({ store: "memory:", surfaces: ["tasks"] });
  const session = await memory.createSession();
  for (const [tool, input] of [
    ["begin_task", { description: "Sheet 1" }],
    ["end_task", { summary: "clean" }],
    ["begin_task", { description: "Sheet 2" }],
    ["begin_task", { description: "Row 7" }],
    ["end_task", { summary: "fixed" }],
    ["end_task", { summary: "two errors" }],
    ["begin_task", { description: "Sheet 3" }],
  ] as const)
    assert.ok((await session.call(tool, input)).ok);
  const { message } = await session.context();
  assert.equal(
    message,
    "[Ended tasks]\n[Task: Sheet 1 — clean]\n[Task: Sheet 2 — two errors]\n[End of ended tasks]\n\n[Open tasks]\n- Sheet 3\n[End of open tasks]",
  );
  await memory.close();
});
