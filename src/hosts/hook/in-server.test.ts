import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { contextIn, hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { findProject } from "../../workspace/project.ts";
import { findHostProcess, listAncestors } from "../processes.ts";
import { linkSession } from "../session-link.ts";
import { AgentCalls } from "./in-server.ts";

function startResolver() {
  const cwd = temporaryDirectory();
  const project = findProject(cwd);
  const calls = new AgentCalls({ project, cwd, flags: {}, fallback: "project-1" });
  const resolve = (caller: Parameters<typeof calls.sessionOf>[0]) => calls.sessionOf(caller);
  return { place: { cwd, directory: project.directory }, resolve };
}

const codex = (meta = {}) => ({ client: "codex-mcp-client", meta });
const claude = { client: "claude-code", meta: {} };

test("two conversations of one process have their own session if the client names them [mcp.conversation]", async () => {
  const { place, resolve } = startResolver();
  linkSession({ ...place, host: "codex", hostSession: "thread-b" });
  assert.equal(await resolve(codex({ threadId: "thread-a" })), "codex.thread-a");
  assert.equal(await resolve(codex({ threadId: "thread-b" })), "codex.thread-b");
  // A cleared conversation continues the memory of the one before.
  linkSession({ ...place, host: "codex", hostSession: "thread-c", continues: "codex.thread-a" });
  assert.equal(await resolve(codex({ threadId: "thread-c" })), "codex.thread-a");
  for (const threadId of ["", 7, null]) assert.equal(await resolve(codex({ threadId })), "codex.thread-a");
});

test("any client can name the session it means [mcp.conversation]", async () => {
  const { resolve } = startResolver();
  assert.equal(await resolve({ client: "x", meta: { "holdfast/session": "mine" } }), "mine");
  await assert.rejects(() => resolve({ client: "x", meta: { "holdfast/session": "../x" } }), /not a valid/);
});

test("a server never follows another host's session, and has its own without hooks [mcp.own-host]", async () => {
  const { place, resolve } = startResolver();
  linkSession({ ...place, host: "claude-code", hostSession: "one" });
  assert.equal(await resolve(claude), "claude-code.one");
  assert.equal(await resolve(codex()), "codex.project-1");
  linkSession({ ...place, host: "codex", hostSession: "two" });
  assert.equal(await resolve(codex()), "codex.two");
  assert.equal(await resolve(claude), "claude-code.one");
});

test("a client that is not a host follows the process that started it, not the directory [mcp.own-host]", async () => {
  const { place, resolve } = startResolver();
  const unknown = { client: "some-editor", meta: {} };
  linkSession({ ...place, host: "claude-code", hostSession: "one", process: { pid: 1, start: "0" } });
  assert.equal(await resolve(unknown), "project-1");
  linkSession({ ...place, host: "claude-code", hostSession: "two" });
  assert.equal(await resolve(unknown), "claude-code.two");
});

test("a client that an agent started in its shell does not write into the agent's session [mcp.own-host]", async () => {
  const { place, resolve } = startResolver();
  const starter = findHostProcess();
  const agent = listAncestors().findLast(({ pid }) => pid !== starter?.pid);
  assert.ok(agent, "the test runs in the shell of something");
  linkSession({ ...place, host: "claude-code", hostSession: "one", process: agent });
  assert.equal(await resolve({ client: "hand", meta: {} }), "project-1");
  assert.equal(await resolve(claude), "claude-code.one");
});

test("the hooks of a client tell the session of its calls, and of those of its sub-agents [mcp.sub-agent]", async () => {
  const cwd = temporaryDirectory();
  const calls = new AgentCalls({ project: findProject(cwd), cwd, flags: {}, fallback: "project-1" });
  const hook = { host: "claude-code", session_id: "s1" };
  const call = (id: string) => ({ client: "claude-code", meta: { "claudecode/toolUseId": id } });
  await calls.answer({ ...hook, hook_event_name: "UserPromptSubmit", prompt: "Go on." });
  assert.equal(await calls.sessionOf(call("main")), "claude-code.s1");
  await calls.answer({ ...hook, hook_event_name: "PreToolUse", agent_id: "a1", tool_use_id: "sub" });
  assert.deepEqual(calls.subAgentOf(call("sub")), {
    session: "claude-code.s1.a1",
    parent: "claude-code.s1",
  });
  assert.equal(calls.subAgentOf(call("main")), undefined);
  assert.equal(calls.subAgentOf({ ...call("sub"), client: "codex-mcp-client" }), undefined);
  assert.equal(await calls.answer({ host: "nobody" }), "{}");
});

test("a sub-agent of Codex is named by its calls, and its events are not the main agent's [mcp.sub-agent]", async () => {
  const project = await hookProject();
  const { root: cwd } = project;
  const [main, thread] = ["01a1f230-f5b0-7813-ba22-76191816941d", "01a1f230-fbb3-7d92-b576-d97f771d4e3c"];
  await inMemory(project, async (memory) => {
    await (await memory.openSession(`codex.${main}`)).notepad.write("the port is 8443");
  });
  const calls = new AgentCalls({ project: findProject(cwd), cwd, flags: {}, fallback: "project-1" });
  const call = (thread_id: string) => codex({ "x-codex-turn-metadata": { session_id: "s1", thread_id } });
  assert.deepEqual(calls.subAgentOf(call("t2")), { session: "codex.s1.t2", parent: "codex.s1" });
  assert.equal(calls.subAgentOf(call("s1")), undefined);
  const event = (id: string) => ({
    host: "codex",
    hook_event_name: "UserPromptSubmit",
    session_id: main,
    transcript_path: join(cwd, `rollout-2026-11-19T05-04-18-${id}.jsonl`),
    prompt: "Count the sheets.",
  });
  assert.equal(await calls.answer(event(thread)), "{}");
  assert.match(await calls.answer(event(main)), /the port is 8443/);
});

test("a sub-agent that shares the notepad may not replace it [mcp.sub-agent]", async () => {
  const project = await hookProject();
  const before = {
    session_id: "s1",
    hook_event_name: "PreToolUse",
    tool_name: "mcp__holdfast__write_notepad",
  };
  const { stdout } = await hook(project, "qwen", { ...before, agent_id: "a1" });
  const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
  assert.equal(permissionDecision, "deny");
  assert.match(permissionDecisionReason, /call update_notepad with operation "append"/);
  assert.equal((await hook(project, "qwen", before)).stdout, "{}", "the main agent may");
});

test("an answer after the deadline counts as not shown, so the next prompt shows it [hooks.deadline]", async () => {
  const project = await hookProject();
  writeFileSync(join(project.root, "holdfast.json"), '{ "hookDeadline": 300 }');
  const calls = new AgentCalls({
    project: findProject(project.root),
    cwd: project.root,
    flags: {},
    fallback: "project-1",
  });
  const prompt = {
    host: "claude-code",
    session_id: "s1",
    hook_event_name: "UserPromptSubmit",
    prompt: "Go on.",
  };
  await calls.answer(prompt);
  await inMemory(project, async (memory) =>
    (await memory.openSession("claude-code.s1")).notepad.write("canary", { actor: { kind: "person" } }),
  );
  const other = new DatabaseSync(project.database);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  assert.equal(await calls.answer(prompt), "{}");
  other.exec("ROLLBACK");
  other.close();
  // Hooks of a server run one after another, so the late one is over.
  writeFileSync(join(project.root, "holdfast.json"), '{ "hookDeadline": 20000 }');
  assert.match(contextIn(await calls.answer(prompt)), /canary/);
});
