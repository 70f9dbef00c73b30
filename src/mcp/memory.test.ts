import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { emptyHandoff } from "../compaction/handoff.ts";
import { defaultLimits } from "../engine/limits.ts";
import { ownProcess } from "../hosts/processes.ts";
import { linkSession } from "../hosts/session-link.ts";
import { openMemory, surfaceNames } from "../index.ts";
import { inHost } from "../surfaces/surface.ts";
import { findSurfaces } from "../surfaces/surfaces.ts";
import { guidanceOf } from "../surfaces/toolbox.ts";
import { findProject } from "../workspace/project.ts";
import { instructionsOf } from "./server.ts";
import { initialize, startMcp } from "./test-support/mcp-process.ts";

test("the instructions say how to recover, then give the session's guidance [mcp.instructions]", async (context) => {
  const guidance = guidanceOf(findSurfaces(["notepad", "pins"]), {
    limits: defaultLimits,
    presentation: inHost,
  });
  const server = startMcp(context, ["--store", "memory:"]);
  const { instructions, serverInfo } = await initialize(server);
  assert.equal(serverInfo.name, "holdfast");
  const [first, ...rest] = instructions.split("\n\n");
  assert.equal(
    first,
    "If you do not see your memory after a compaction or a /clear, call read_notepad and list_pins: everything you saved is still there.",
  );
  assert.equal(rest.join("\n\n"), guidance);
  const tasks = findSurfaces(["tasks"]);
  assert.equal(
    instructionsOf(tasks),
    guidanceOf(tasks, { limits: defaultLimits, presentation: inHost }),
    "no tool reads tasks",
  );
  assert.match(instructionsOf(findSurfaces(["scratchpad"])), /^If you .*, call session_scratchpad: /);
  assert.equal((await server.end()).code, 0);
});

test("notepad, notes, plan and receipts can be read for this and any other session [mcp.resources]", async (context) => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openMemory({ store: db, surfaces: surfaceNames });
  const other = await memory.createSession({ id: "other" });
  await other.notepad.write("of the other");
  await other.notes.add("a finding", ["q3"]);
  await other.scratchpad.setPlan("1. Read");
  await other.call("begin_task", { description: "Sheet 1" });
  const chosen = ["--surfaces", "notepad,notes,scratchpad,tasks"];
  const server = startMcp(context, ["--store", db, "--session", "mine", ...chosen]);
  await initialize(server);
  const { resources } = (await server.ask("resources/list")).result;
  const kinds = ["notepad", "notes", "plan", "receipts"];
  assert.deepEqual(
    resources.map(({ uri }: { uri: string }) => uri),
    kinds.map((kind) => `holdfast://session/mine/${kind}`),
  );
  const { resourceTemplates } = (await server.ask("resources/templates/list")).result;
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate),
    kinds.map((kind) => `holdfast://session/{session}/${kind}`),
  );
  const read = async (session: string, kind: string): Promise<string> => {
    const uri = `holdfast://session/${session}/${kind}`;
    const { contents } = (await server.ask("resources/read", { uri })).result;
    assert.equal(contents[0].uri, uri);
    return contents[0].text;
  };
  // Reading does not create the session.
  assert.deepEqual([await read("mine", "notepad"), await read("mine", "plan")], ["", ""]);
  assert.deepEqual(
    [JSON.parse(await read("mine", "notes")), JSON.parse(await read("mine", "receipts"))],
    [{ total: 0, notes: [] }, []],
  );
  assert.equal(await memory.findSession("mine"), undefined);
  assert.equal(await read("other", "notepad"), "of the other");
  const { total, notes } = JSON.parse(await read("other", "notes"));
  assert.deepEqual([total, notes[0].content, notes[0].tags], [1, "a finding", ["q3"]]);
  assert.match(await read("other", "plan"), /Plan:\n1\. Read[\s\S]*\[Open tasks\]\n- Sheet 1/);
  assert.equal((await server.end()).code, 0);
  await memory.close();
});

test("a subscriber is notified of another process's changes to that resource only [mcp.notifications]", async (context) => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  const chosen = ["--surfaces", "notepad,notes,scratchpad"];
  const server = startMcp(context, ["--store", db, "--session", "s", ...chosen]);
  await initialize(server);
  const subscribe = (kind: string, id = "s", method = "resources/subscribe") =>
    server.ask(method, { uri: `holdfast://session/${id}/${kind}` });
  const updated = async () =>
    (await server.next(({ method }) => method === "notifications/resources/updated")).params.uri;
  for (const kind of ["notepad", "plan"]) assert.deepEqual((await subscribe(kind)).result, {});
  await server.call("write_notepad", { content: "x" });
  assert.equal(await updated(), "holdfast://session/s/notepad");
  // Written through another memory; no one subscribed to notes.
  await session.notes.add("not subscribed");
  await session.scratchpad.setPlan("1. Read");
  assert.equal(await updated(), "holdfast://session/s/plan");
  await subscribe("plan", "s", "resources/unsubscribe");
  await session.scratchpad.setPlan("2. Write");
  await session.notepad.append("y");
  assert.equal(await updated(), "holdfast://session/s/notepad");
  // A session that does not exist yet.
  await subscribe("notes", "later");
  await memory.createSession({ id: "later" });
  assert.equal(await updated(), "holdfast://session/later/notes");
  assert.equal((await server.end()).code, 0);
  await memory.close();
});

test("calls follow the host to its new session, and the client is notified [mcp.session]", async (context) => {
  const root = temporaryDirectory();
  // This process starts the server, so it is the host.
  const host = { host: "claude-code", process: ownProcess() };
  const project = { directory: findProject(root).directory, cwd: root, ...host };
  mkdirSync(project.directory, { recursive: true });
  linkSession({ ...project, hostSession: "one" });
  const server = startMcp(context, [], { cwd: root });
  await initialize(server);
  await server.call("write_notepad", { content: "in one" });
  linkSession({ ...project, hostSession: "two" });
  assert.deepEqual((await server.call("read_notepad")).structuredContent, { content: "" });
  await server.next(({ method }) => method === "notifications/resources/list_changed");
  await server.call("write_notepad", { content: "in two" });
  linkSession({ ...project, hostSession: "one" });
  // No call is made: the hook's own write reveals the switch.
  const memory = await openMemory({ store: join(project.directory, "memory.db") });
  await (await memory.resumeSession("claude-code.one")).notepad.append("by the hook");
  await server.next(({ method }) => method === "notifications/resources/list_changed");
  assert.deepEqual((await server.call("read_notepad")).structuredContent, { content: "in one\nby the hook" });
  assert.equal(await (await memory.resumeSession("claude-code.two")).notepad.read(), "in two");
  assert.equal((await server.end()).code, 0);
  await memory.close();
});

test("after the database is deleted, writes go to a new one and subscribers are notified [mcp.missing-store]", async (context) => {
  const root = temporaryDirectory();
  const db = join(root, "memory.db");
  const server = startMcp(context, ["--store", db, "--session", "s"]);
  await initialize(server);
  for (const content of ["one", "two", "three"]) await server.call("write_notepad", { content });
  await server.ask("resources/subscribe", { uri: "holdfast://session/s/notepad" });
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${db}${suffix}`, { force: true });
  assert.deepEqual((await server.call("write_notepad", { content: "new" })).structuredContent, { ok: true });
  await server.next(({ method }) => method === "notifications/resources/updated");
  const memory = await openMemory({ store: db });
  assert.equal(await (await memory.resumeSession("s")).notepad.read(), "new");
  await memory.close();
  assert.deepEqual(await server.end(), { code: 0, signal: null, errors: "" });
});

test("if the store cannot be opened, each call reports it, and a later call opens it [mcp.missing-store]", async (context) => {
  const root = temporaryDirectory();
  const db = join(root, "memory.db");
  writeFileSync(db, "this is not a database and never was".repeat(100));
  const server = startMcp(context, ["--store", db, "--session", "s"]);
  assert.match((await initialize(server)).instructions, /notepad/);
  assert.equal((await server.ask("tools/list")).result.tools.length, 7);
  assert.equal((await server.ask("resources/list")).result.resources.length, 2);
  assert.equal((await server.ask("prompts/list")).result.prompts.length, 3);
  const refused = await server.call("write_notepad", { content: "x" });
  assert.equal(refused.isError, true);
  assert.match(
    refused.content[0].text,
    /^write_notepad: .*memory\.db.* Nothing was changed\. Continue without it; the next call tries again\.$/s,
  );
  assert.equal((await server.ask("tools/call", { name: "nope" })).error.code, -32_602);
  for (const [method, params] of [
    ["prompts/get", { name: "recover" }],
    ["resources/read", { uri: "holdfast://session/s/notepad" }],
    ["resources/subscribe", { uri: "holdfast://session/s/notepad" }],
  ] as const) {
    const { error } = await server.ask(method, params);
    assert.equal(error.code, -32_603);
    assert.match(error.message, /memory\.db/);
  }
  rmSync(db);
  assert.deepEqual((await server.call("write_notepad", { content: "x" })).structuredContent, { ok: true });
  assert.deepEqual(await server.end(), { code: 0, signal: null, errors: "" });
});

test("a folder that cannot be written does not stop the server either [mcp.missing-store]", async (context) => {
  const root = temporaryDirectory();
  // A file in place of the folder fails even for root.
  writeFileSync(join(root, "folder"), "");
  const server = startMcp(context, ["--store", "folder/memory.db"], { cwd: root });
  await initialize(server);
  assert.equal((await server.call("read_notepad")).isError, true);
  assert.deepEqual(await server.end(), { code: 0, signal: null, errors: "" });
});

test("the project's notes are recovered before anything is saved in the session [mcp.prompts]", async (context) => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  writeFileSync(
    join(root, "grimoires/loa/NOTES.md"),
    "# Notes\n\n### Pending Questions\n\n- [ ] The audit of July?\n",
  );
  const server = startMcp(context, ["--store", "memory:"], { cwd: root });
  await initialize(server);
  const { result } = await server.ask("prompts/get", { name: "recover" });
  assert.match(result.messages[0].content.text, /The audit of July/);
  assert.equal((await server.end()).code, 0);
});

test("recover and handoff contain everything that was saved [mcp.prompts]", async (context) => {
  const db = join(temporaryDirectory(), "memory.db");
  const chosen = ["--surfaces", "notepad,notes,scratchpad,tasks"];
  const server = startMcp(context, ["--store", db, "--session", "s", ...chosen]);
  await initialize(server);
  const text = async (name: string, input = {}): Promise<string> =>
    (await server.ask("prompts/get", { name, arguments: input })).result.messages[0].content.text;
  assert.match(await text("recover"), /^Nothing has been saved/);
  const memory = await openMemory({ store: db, surfaces: surfaceNames });
  const session = await memory.openSession("s");
  await session.notepad.write("# Audit");
  await session.scratchpad.setPlan("1. Read");
  await session.notes.add("a finding", ["q3"]);
  await session.call("begin_task", { description: "Sheet 1" });
  await session.apply({
    type: "context.handoff",
    handoff: { ...emptyHandoff(1), text: "[Handoff] src/a.ts" },
    removed: { from: 1, to: 1, messages: 1, tokens: 1, transcript: "", transcriptSize: 0 },
  });
  const recovered = await text("recover");
  for (const part of [
    "[Handoff] src/a.ts",
    "1 note is saved",
    "q3 (1)",
    "Plan:\n1. Read",
    "[Open tasks]\n- Sheet 1",
  ])
    assert.ok(recovered.includes(part), `${part} is missing in ${recovered}`);
  assert.ok(recovered.endsWith("## Session Notepad\n# Audit"));
  const handed = await text("handoff", { to: "the night shift" });
  assert.match(
    handed,
    /^Hand this work over to the night shift,.*update_notepad.*\n\nThe session is s\.\n\n/,
  );
  assert.ok(handed.endsWith("## Session Notepad\n# Audit"));
  assert.equal((await server.end()).code, 0);
  await memory.close();
});

for (const [surface, offered] of [
  ["notepad", ["notepad", "receipts"]],
  ["notes", ["notes", "receipts"]],
  ["scratchpad", ["plan", "receipts"]],
  ["project", ["receipts"]],
] as const)
  test(`with ${surface} alone nothing of another memory type is listed or recovered [mcp.chosen]`, async (context) => {
    const db = join(temporaryDirectory(), "memory.db");
    const memory = await openMemory({ store: db, surfaces: surfaceNames });
    const session = await memory.openSession("s");
    await session.notepad.write("cedar-notepad");
    await session.notes.add("a finding", ["cedar-tag"]);
    await session.scratchpad.setPlan("cedar-plan");
    await session.call("pin", { text: "Never touch cedar-pin." });
    const server = startMcp(context, ["--store", db, "--session", "s", "--surfaces", surface]);
    await initialize(server);
    const { resources } = (await server.ask("resources/list")).result;
    assert.deepEqual(
      resources.map(({ name }: { name: string }) => name),
      offered,
    );
    const { resourceTemplates } = (await server.ask("resources/templates/list")).result;
    assert.deepEqual(
      resourceTemplates.map(({ name }: { name: string }) => name),
      offered.map((kind) => `session-${kind}`),
    );
    for (const kind of ["notepad", "notes", "plan"]) {
      const { error } = await server.ask("resources/read", { uri: `holdfast://session/s/${kind}` });
      assert.equal(error === undefined, (offered as readonly string[]).includes(kind), kind);
    }
    const { result } = await server.ask("prompts/get", { name: "recover" });
    const recovered: string = result.messages[0].content.text;
    const found = [...recovered.matchAll(/cedar-\w+/g)].map(([text]) => text);
    const own = { notepad: ["cedar-notepad"], notes: ["cedar-tag"], scratchpad: ["cedar-plan"], project: [] };
    assert.deepEqual(found, own[surface]);
    assert.equal((await server.end()).code, 0);
    await memory.close();
  });

test("without hooks each connection has a session of its own, and recover continues the last one [mcp.own-session]", async (context) => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".git"));
  const connect = async (...args: string[]) => {
    const server = startMcp(context, args, { cwd });
    await initialize(server);
    const recover = async (): Promise<string> =>
      (await server.ask("prompts/get", { name: "recover" })).result.messages[0].content.text;
    const read = async () => (await server.call("read_notepad")).structuredContent.content;
    const hint = async (): Promise<string | undefined> =>
      (await server.call("read_notepad")).content[1]?.text;
    return { server, recover, read, hint };
  };
  const [one, two] = [await connect(), await connect()];
  await one.server.call("write_notepad", { content: "- [ ] from one" });
  assert.equal(await two.read(), "");
  assert.match(
    (await two.hint()) ?? "",
    /^Nothing has been saved in this conversation yet.* show mcp-[\w-]+": /,
  );
  assert.equal(await one.hint(), undefined);
  assert.match(
    await two.recover(),
    /the last one in this project saved \(session mcp-[\s\S]*- \[ \] from one$/,
  );
  await two.server.call("write_notepad", { content: "from two" });
  await two.server.call("write_notepad", { content: "" });
  assert.equal(await two.hint(), undefined);
  await two.server.call("write_notepad", { content: "from two" });
  assert.match(await two.recover(), /^The conversation before this point may be gone[\s\S]*from two$/);
  assert.equal(await one.read(), "- [ ] from one");
  const [three, four] = [await connect("--session", "shared"), await connect("--session", "shared")];
  assert.equal(await four.hint(), undefined);
  await three.server.call("write_notepad", { content: "for both" });
  assert.equal(await four.read(), "for both");
  for (const { server } of [one, two, three, four]) assert.equal((await server.end()).code, 0);
});
