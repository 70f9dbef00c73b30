import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import { compiled } from "../../test/support/compiled.ts";
import { calls, result } from "../../test/support/conversation.ts";
import { startMcpEndpoint } from "../../test/support/mcp-http.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { Json } from "../engine/json.ts";
import { openMemory } from "../index.ts";
import { dotless } from "../surfaces/toolbox.ts";
import { knownSurfaces, loadSurfaces } from "../workspace/chosen-surfaces.ts";
import { findProject } from "../workspace/project.ts";

const cli = join(import.meta.dirname, "../cli.ts");

/** Sub-sessions need an agent to run them, and a server is not one. */
const onlyWithAgent: [name: string, input: Record<string, unknown>][] = [
  ["spawn_session", { task: "x" }],
  ["fork_session", { task: "x" }],
  ["wait_for_sessions", {}],
  ["report_result", { result: "x" }],
];

// biome-ignore lint/suspicious/noExplicitAny: the test checks what the tool returns
type Output = any;

/** One call of every tool, ordered so that each succeeds. */
const everyCall: [name: string, input: (earlier: Output) => Record<string, unknown>][] = [
  ["write_notepad", () => ({ content: "# Audit\n- 500 rows" })],
  ["update_notepad", () => ({ operation: "find_replace", find: "u", replace: "U" })],
  ["read_notepad", () => ({})],
  ["add_note", () => ({ content: "double-counted", tags: ["q3"] })],
  ["scratch_note", () => ({ content: "quick" })],
  ["update_note", ({ scratch_note }) => ({ id: scratch_note.note_id, tags: ["q4"] })],
  ["search_notes", () => ({ query: "counted" })],
  ["list_notes", () => ({})],
  ["list_tags", () => ({})],
  ["delete_note", ({ add_note }) => ({ id: add_note.note_id })],
  ["session_scratchpad", () => ({ action: "set_plan", content: "1. Read" })],
  ["begin_task", () => ({ description: "Sheet 1" })],
  ["end_task", () => ({ summary: "clean" })],
  ["begin_task", () => ({ description: "Sheet 2" })],
  ["cancel_task", () => ({ reason: "a dead end" })],
  ["edit_system_prompt", () => ({ operation: "append", content: "Be brief." })],
  ["list_skills", () => ({})],
  ["save_skill", () => ({ name: "audit", description: "How to audit", content: "Count twice." })],
  ["read_skill", () => ({ name: "audit" })],
  ["set_state", () => ({ key: "rows", value: { count: 500 } })],
  ["get_state", () => ({ key: "rows" })],
  ["get_state", () => ({ key: "none" })],
  ["list_state", () => ({})],
  ["delete_state", () => ({ key: "rows" })],
  [
    "log_decision",
    () => ({
      decision: "d",
      rationale: "r",
      evidence: [{ quote: "hello", path: "a.txt:1" }],
      scenarios: ["a", "b", "c"],
    }),
  ],
  ["pin", () => ({ text: "Never push to main." })],
  ["list_pins", () => ({})],
  ["unpin", () => ({ id: "p1" })],
  ["log_entry", () => ({ kind: "debt", text: "d" })],
  ["log_handoff", () => ({ summary: "s" })],
  ["recover_context", () => ({})],
  [
    "create_tool",
    () => ({ name: "double", description: "d", schema: { type: "object" }, code: "return 2;" }),
  ],
  ["list_tools", () => ({})],
  ["delete_tool", () => ({ name: "double" })],
  ["run_sandbox_code", () => ({ code: "return 'x'.repeat(100_000);" })],
  ["read_output", ({ run_sandbox_code }) => ({ id: outputId(run_sandbox_code) })],
  ["recall", () => ({ query: "500 rows" })],
  ["recall_result", () => ({ id: "c1" })],
  ["clear_result", () => ({ id: "c1", summary: "500 rows" })],
];

/** The id under which the rest of a long output can be read. */
function outputId(output: unknown): string {
  return /with id \\"([^"\\]+)/.exec(JSON.stringify(output))?.[1] ?? "";
}

/** A workspace without a config. */
const workspaceAt = (folder: string) => ({ project: findProject(folder), config: { values: {} } });

const root = temporaryDirectory();
writeFileSync(join(root, "a.txt"), "hello\n");
const db = join(root, "memory.db");
const memory = await openMemory({
  store: db,
  surfaces: await loadSurfaces(knownSurfaces, workspaceAt(root)),
});
after(() => memory.close());

async function seedConversation(id: string): Promise<void> {
  const session = await memory.createSession({ id });
  const messages = [calls("read", {}, "c1"), result("500 rows", "c1", "read")];
  await session.apply({
    type: "messages.add",
    messages: messages.map((message) => ({ message }) as unknown as Json),
  });
}

/** The surfaces of the command line: it refuses surfaces that need an agent. */
const withoutAgent = knownSurfaces.filter((name) => name !== "sessions");

async function callEverything(client: Client, needAgent = onlyWithAgent): Promise<void> {
  const { tools } = await client.listTools();
  const served = memory.tools().filter(({ surface }) => needAgent.length > 0 || surface !== "sessions");
  const full = new Map(served.map((tool) => [dotless(tool.name), tool]));
  assert.deepEqual(tools.map(({ name }) => name).sort(), [...full.keys()].sort());
  const called = new Set([...everyCall, ...needAgent].map(([name]) => name));
  assert.deepEqual(
    [...full.keys()].filter((name) => !called.has(name)),
    [],
  );
  const answers: Output = {};
  for (const [name, input] of everyCall) {
    const { structuredContent, content, isError } = await client.callTool({
      name,
      arguments: input(answers),
    });
    assert.ok(!isError, `${name}: ${JSON.stringify(content)}`);
    answers[name] = structuredContent;
    const schema = full.get(name)?.outputSchema as Parameters<typeof z.fromJSONSchema>[0];
    z.fromJSONSchema(schema).parse(structuredContent);
    assert.ok(Array.isArray(content) && content[0]?.type === "text" && content[0].text !== "");
  }
  for (const tool of tools) {
    const described = full.get(tool.name);
    assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
    // Without a hint, the protocol's default applies; the last two say nothing about a read-only tool.
    assert.equal(tool.annotations?.readOnlyHint ?? false, described?.readOnly);
    if (described?.readOnly !== true) {
      assert.equal(tool.annotations?.destructiveHint ?? true, described?.destructive);
      assert.equal(tool.annotations?.idempotentHint ?? false, described?.idempotent);
    }
    assert.equal(tool.annotations?.openWorldHint, false);
    assert.equal(tool.inputSchema.type, "object");
    assert.equal(tool.outputSchema, undefined);
  }
  for (const [name, input] of needAgent) {
    const refused = await client.callTool({ name, arguments: input });
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /Do the work in this session/);
  }
}

async function connectProcess(context: TestContext, args: readonly string[], options?: ClientOptions) {
  const client = new Client({ name: "test", version: "1" }, options);
  context.after(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [cli, "mcp", ...args],
      stderr: "inherit",
      cwd: root,
      env: { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: compiled },
    }),
  );
  return client;
}

async function connectAddress(context: TestContext, url: string) {
  const client = new Client({ name: "test", version: "1" });
  context.after(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

test("the official client calls every tool of every surface over stdio, and each result matches its schema [mcp.tools]", async (context) => {
  await seedConversation("stdio");
  const args = ["--store", db, "--session", "stdio", "--surfaces", withoutAgent.join(",")];
  await callEverything(await connectProcess(context, args), []);
});

test("the official client calls every tool of every surface over HTTP, and each result matches its schema [mcp.tools]", async (context) => {
  await seedConversation("http");
  const { url } = await startMcpEndpoint(context, knownSurfaces, db, root);
  await callEverything(await connectAddress(context, `${url}?session=http`));
});

test("a client that prefers a newer protocol is served all the same [mcp.tools]", async (context) => {
  const client = await connectProcess(context, ["--store", "memory:"], {
    versionNegotiation: { mode: "auto" },
  });
  const { structuredContent } = await client.callTool({ name: "read_notepad", arguments: {} });
  assert.deepEqual(structuredContent, { content: "" });
});

test("a tool with a dot in its name answers to both names [mcp.names]", async (context) => {
  const { url, memory: other } = await startMcpEndpoint(context, ["scratchpad"]);
  const client = await connectAddress(context, url);
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ["session_scratchpad"],
  );
  for (const name of ["session.scratchpad", "session_scratchpad"]) {
    const { isError } = await client.callTool({ name, arguments: { action: "append_notes", content: name } });
    assert.ok(!isError);
  }
  const session = await other.resumeSession("default");
  assert.equal((await session.scratchpad.read()).notes, "session.scratchpad\nsession_scratchpad");
});

test("over HTTP too, a subscriber is notified of changes made elsewhere [mcp.notifications]", async (context) => {
  const { url, memory: other } = await startMcpEndpoint(context, ["notepad"]);
  const session = await other.createSession({ id: "shared" });
  const client = await connectAddress(context, `${url}?session=shared`);
  const updated = new Promise<string>((resolve) =>
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri)),
  );
  await client.subscribeResource({ uri: "holdfast://session/shared/notepad" });
  await session.notepad.write("by a person", { actor: { kind: "person" } });
  assert.equal(await updated, "holdfast://session/shared/notepad");
});
