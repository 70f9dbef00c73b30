import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { runNode } from "../../test/support/command-line.ts";
import { openTestMemory, rejection } from "../../test/support/memory.ts";
import { type Program, startProgram } from "../../test/support/processes.ts";
import { startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { initialize, type McpProcess, startMcp } from "../mcp/test-support/mcp-process.ts";
import { makeCorpus } from "../secrets/test-support/corpus.ts";
import { keptFiles, Outbox } from "./outbox.ts";
import { findWorkspace } from "./workspace.ts";

process.env.XDG_STATE_HOME = temporaryDirectory();

const exclusive = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";

/** Another process takes the lock; the test ends it if it still runs. */
async function lock(context: TestContext, path: string, statement = "BEGIN IMMEDIATE"): Promise<Program> {
  const holder = startProgram("lock-holder.ts", [path, statement]);
  context.after(() => holder.process.kill("SIGKILL"));
  await holder.said("locked");
  return holder;
}

async function release(holder: Program): Promise<void> {
  holder.say("stop");
  await holder.said("free");
}

interface LockedProject {
  root: string;
  database: string;
  holder: Program;
}

/** A project with a session, whose store another process holds. */
async function lockedProject(context: TestContext, statement?: string): Promise<LockedProject> {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  const database = join(root, ".holdfast", "memory.db");
  const memory = await openMemory({ store: database });
  await (await memory.openSession("s")).notepad.write("before");
  await memory.close();
  return { root, database, holder: await lock(context, database, statement) };
}

async function connect(
  context: TestContext,
  root: string,
  more: Record<string, string> = {},
): Promise<McpProcess> {
  const env = { XDG_STATE_HOME: process.env.XDG_STATE_HOME ?? "", ...more };
  const mcp = startMcp(context, ["--session", "s"], { cwd: root, env });
  await initialize(mcp);
  return mcp;
}

/** A command in the project, with this test's own state directory. */
function holdfastIn(root: string, ...args: string[]) {
  const cli = join(import.meta.dirname, "../cli.ts");
  return runNode([cli, ...args], process.execPath, { cwd: root });
}

const textOf = (answer: { content: { text: string }[] }) => answer.content[0]?.text ?? "";

async function untilRead(mcp: McpProcess, pattern: RegExp): Promise<string> {
  for (;;) {
    const text = textOf(await mcp.call("read_notepad"));
    if (pattern.test(text)) return text;
  }
}

test("a locked store fails a write after its patience and does not block the event loop [locks.patience]", async (context) => {
  const store = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store, patience: 600 });
  const session = await memory.createSession({ id: "s" });
  const holder = await lock(context, store);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const begun = performance.now();
  const { message } = await rejection(session.notepad.append("late"), "store_busy");
  const took = performance.now() - begun;
  delay.disable();
  assert.match(message, /locked/);
  assert.ok(took > 500 && took < 5_000, `it took ${took} ms`);
  assert.ok(delay.max / 1e6 < 400, `the event loop was blocked for ${delay.max / 1e6} ms`);
  const waiting = session.notepad.append("in time");
  await release(holder);
  await waiting;
  assert.equal(await session.notepad.read(), "in time");
  await memory.close();
});

test("a store that is locked for readers too is a typed error after its patience [locks.patience]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const writer = await openTestMemory({ store: path });
  await (await writer.createSession({ id: "s" })).notepad.write("x");
  await writer.close();
  const holder = await lock(context, path, exclusive);
  const begun = performance.now();
  await rejection(openTestMemory({ store: path, patience: 500 }), "store_busy");
  assert.ok(performance.now() - begun < 5_000);
  await release(holder);
});

test("an MCP call on a locked store answers within two seconds, is kept on disk and applied once [locks.outbox] [locks.interactive]", async (context) => {
  const { root, database, holder } = await lockedProject(context);
  const mcp = await connect(context, root);
  assert.match(textOf(await mcp.call("read_notepad")), /before/, "reading needs no lock");
  const begun = performance.now();
  const first = await mcp.call("update_notepad", {
    operation: "find_replace",
    find: "before",
    replace: "between",
  });
  const took = performance.now() - begun;
  assert.ok(took > 1_500 && took < 6_000, `it took ${took} ms`);
  assert.equal(first.isError, true);
  assert.match(textOf(first), /locked the memory\. The call was kept on disk and is applied once/);
  // The next one is kept behind it, although it depends on it.
  await mcp.call("update_notepad", { operation: "find_replace", find: "between", replace: "after" });
  await release(holder);
  assert.match(await untilRead(mcp, /after/), /after/);
  await mcp.end();
  const memory = await openMemory({ store: database });
  const history = await (await memory.resumeSession("s")).history();
  await memory.close();
  assert.equal(history.length, 4, "create, write and each kept call once");
});

test("a kept call survives its process and is applied by the next one, once [locks.outbox] [locks.setting]", async (context) => {
  const { root, database, holder } = await lockedProject(context, exclusive);
  const mcp = await connect(context, root, { HOLDFAST_INTERACTIVE_PATIENCE: "100" });
  const begun = performance.now();
  assert.match(textOf(await mcp.call("write_notepad", { content: "kept" })), /kept on disk/);
  const took = performance.now() - begun;
  assert.ok(took < 1_900, `it took ${took} ms`);
  await mcp.kill("SIGKILL");
  await release(holder);
  const workspace = findWorkspace({ cwd: root });
  const outbox = new Outbox(workspace);
  assert.equal(outbox.size, 1);
  const folder = readdirSync(join(root, ".holdfast", "outbox"))[0] ?? "";
  const [name = ""] = readdirSync(join(root, ".holdfast", "outbox", folder));
  const next = await connect(context, root);
  assert.match(textOf(await next.call("read_notepad")), /kept/);
  await next.end();
  assert.equal(outbox.size, 0);
  // A process that dies between applying a call and forgetting it.
  const memory = await openMemory({ store: database });
  const session = await memory.resumeSession("s");
  const [entry] = await session.history({ limit: 1 });
  const again = { session: "s", tool: "write_notepad", input: { content: "kept" }, key: entry?.key };
  writeFileSync(join(root, ".holdfast", "outbox", folder, name), JSON.stringify(again));
  const before = (await session.history()).length;
  assert.equal(await outbox.drain((id) => memory.openSession(id)), true);
  assert.equal((await session.history()).length, before, "it was applied twice");
  assert.equal(outbox.size, 0);
  await memory.close();
});

test("a kept call that no longer applies is set aside, and a read is not kept [locks.outbox]", async (context) => {
  const { root, database, holder } = await lockedProject(context);
  const outbox = new Outbox(findWorkspace({ cwd: root }));
  const memory = await openMemory({ store: database, patience: 100 });
  const open = () => memory.openSession("s");
  const call = { sessionId: "s", open, tool: "update_notepad", isWrite: true };
  const answer = await outbox.call({
    ...call,
    input: { operation: "find_replace", find: "nothing like it", replace: "x" },
  });
  assert.deepEqual([answer.ok, outbox.size], [false, 0], "a refusal needs no lock");
  await outbox.call({ ...call, input: { operation: "find_replace", find: "before", replace: "x" } });
  assert.equal(outbox.size, 1);
  outbox.close();
  await release(holder);
  await (await memory.resumeSession("s")).notepad.write("changed meanwhile");
  assert.equal(await outbox.drain(open), true);
  assert.equal(outbox.size, 0);
  const files = readdirSync(join(root, ".holdfast", "outbox"), { recursive: true });
  assert.equal(files.filter((name) => String(name).endsWith(".refused")).length, 1);
  await memory.close();
});

test("a kept call contains no secret, and redact and purge reach it [secrets.stored] [secrets.erase]", async (context) => {
  const { root, database, holder } = await lockedProject(context);
  const secret = makeCorpus(7).secrets[0]?.[1] ?? "";
  const memory = await openMemory({ store: database, patience: 50 });
  const call = {
    sessionId: "s",
    open: () => memory.openSession("s"),
    tool: "write_notepad",
    isWrite: true,
    input: { content: `word-to-redact ${secret}` },
  };
  const outbox = new Outbox(findWorkspace({ cwd: root }));
  const answer = await outbox.call(call);
  assert.match(answer.text, /kept on disk.*Stored without a secret/);
  const refusing = findWorkspace({ cwd: root });
  refusing.config.values.secrets = "refuse";
  const refused = await new Outbox(refusing).call(call);
  assert.equal(refused.ok ? "" : refused.code, "secret_refused");
  outbox.close();
  const files = keptFiles(join(root, ".holdfast"));
  const read = () => files.map((path) => readFileSync(path, "utf8")).join("\n");
  assert.equal(files.length, 1);
  assert.ok(!read().includes(secret) && read().includes("word-to-redact"));
  await memory.close();
  await release(holder);
  // Set aside, as if the store had refused it, so that opening the memory does not apply it.
  const aside = `${files[0]}.refused`;
  renameSync(files[0] ?? "", aside);
  files.splice(0, 1, aside);
  const redacted = await holdfastIn(root, "redact", "word-to-redact");
  assert.equal(redacted.code, 0, redacted.stderr);
  assert.ok(!read().includes("word-to-redact"));
  assert.equal((await holdfastIn(root, "purge", "s")).code, 0);
  assert.deepEqual(keptFiles(join(root, ".holdfast")), []);
});

test("health answers at once while another process holds the store [locks.health]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path, patience: 2_000 });
  await memory.createSession({ id: "s" });
  const { server } = await startTestServer(context, { path, memory });
  const holder = await lock(context, path);
  const headers = { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ content: "x" });
  const edit = fetch(`${server.url}api/sessions/s/notes`, { method: "POST", headers, body });
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const begun = performance.now();
    assert.equal((await fetch(`${server.url}api/health`, { headers })).status, 200);
    times.push(performance.now() - begun);
  }
  const median = times.sort((a, b) => a - b)[7] ?? Number.NaN;
  assert.ok(median < 100, `health took ${median} ms`);
  assert.ok((times.at(-1) ?? 0) < 1_000, `health once took ${times.at(-1)} ms`);
  assert.equal((await edit).status, 503, "it waited for longer than two seconds");
  await release(holder);
});
