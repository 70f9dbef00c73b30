import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { findProject } from "../../workspace/project.ts";
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

test("a client that is no host follows the process that started it, not the directory [mcp.own-host]", async () => {
  const { place, resolve } = startResolver();
  const unknown = { client: "some-editor", meta: {} };
  linkSession({ ...place, host: "claude-code", hostSession: "one", process: { pid: 1, start: "0" } });
  assert.equal(await resolve(unknown), "project-1");
  linkSession({ ...place, host: "claude-code", hostSession: "two" });
  assert.equal(await resolve(unknown), "claude-code.two");
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
