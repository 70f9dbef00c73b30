import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { initProject, openProject } from "./project.ts";
import { projectSurface } from "./surface.ts";
import { decision, makeProject } from "./test-support/project.ts";

const maxDefinitions = 450;

test("four tools take at most 450 tokens of names, descriptions and input schemas [project.definitions]", async () => {
  const memory = await openMemory({
    store: "memory:",
    surfaces: [projectSurface({ root: temporaryDirectory() })],
  });
  const tools = memory
    .tools()
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  await memory.close();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["recover_context", "log_decision", "log_entry", "log_handoff"],
  );
  const tokens = tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  assert.ok(tokens <= maxDefinitions, `${tokens} tokens`);
});

test("the tools reach every section of the protocol's file [project.definitions]", async () => {
  const { call, log, read } = makeProject();
  await call("log_decision", { ...decision, title: "Expiry" }, { agent: "designing-architecture" });
  await log("debt", "N+1 query in user list endpoint", { severity: "MEDIUM", detail: "S03" });
  await log("goal", "Implement authentication flow (blocking: waiting on OAuth provider setup)");
  await log("blocker", "Waiting: OAuth provider credentials (ETA: 2024-01-15)");
  await log("blocker", "Blocked: Cannot proceed with payments until legal review complete");
  await log("question", "Should grace period be configurable per-client?");
  await log("identifier", "src/auth/jwt.ts:3-5", { detail: "Token validation logic" });
  await log("context", "Where we left off, what's next", { detail: "bd-x7y8 (task description)" });
  await call(
    "log_handoff",
    { summary: "Completed user auth", next: "OAuth" },
    { agent: "implementing-tasks" },
  );
  await log("archive", "0");
  const time = String.raw`2026-03-01T10:00:\d\dZ`;
  for (const line of [
    "- \\*\\*Current Bead\\*\\*: bd-x7y8 \\(task description\\)",
    `- \\*\\*Last Checkpoint\\*\\*: ${time}`,
    "- \\*\\*Reasoning State\\*\\*: OAuth",
    `\\| \\$\\{PROJECT_ROOT\\}/src/auth/jwt\\.ts:3-5 \\| Token validation logic \\| ${time} \\|`,
    "- \\[ \\] Should grace period be configurable per-client\\?",
    "- \\[ \\] Implement authentication flow \\(blocking: waiting on OAuth provider setup\\)",
    "\\| TD-001 \\| N\\+1 query in user list endpoint \\| MEDIUM \\| agent \\| S03 \\|",
    "- Waiting: OAuth provider credentials \\(ETA: 2024-01-15\\)",
    "- Blocked: Cannot proceed with payments until legal review complete",
    `\\| ${time} \\| implementing-tasks \\| Completed user auth \\|`,
    `\\| ${time} \\| Expiry: Use sliding window expiration \\| Short expiry without logouts<br>.* \\| designing-architecture \\|`,
  ])
    assert.match(read(), new RegExp(`^${line}$`, "m"));
});

test("Found By and Decided By name the session's agent, or the client that calls [project.named]", async () => {
  const { root, read } = makeProject();
  const memory = await openMemory({ store: "memory:", surfaces: [projectSurface({ root })] });
  const entry = { kind: "debt", text: "Clock skew" };
  const named = await memory.createSession({ agent: "reviewer" });
  await named.call("log_entry", entry);
  const unnamed = await memory.createSession();
  await unnamed.call("log_decision", decision, { actor: { kind: "agent", name: "claude-code" } });
  await unnamed.call("log_decision", decision);
  await memory.close();
  assert.match(read(), /^\| TD-001 \| Clock skew \| MEDIUM \| reviewer \| - \|$/m);
  assert.deepEqual(read().match(/(?<=^\*\*Decided By\*\*: ).*$/gm), ["claude-code", "agent"]);
});

test("initProject takes the same options as openProject [project.place]", () => {
  const root = temporaryDirectory();
  assert.deepEqual(initProject({ root }), { name: "grimoires/loa/NOTES.md", ignored: false });
  const text = readFileSync(join(root, "grimoires/loa/NOTES.md"), "utf8");
  assert.match(text, /^<!-- See: \.claude\/protocols\/session-continuity\.md -->$/m);
  assert.throws(() => initProject(openProject({ root })), { code: "conflict" });
});
