import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { openTestMemory, rejection } from "../../test/support/memory.ts";
import { type Program, startProgram } from "../../test/support/processes.ts";
import { startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { initialize, type McpProcess, startMcp } from "../mcp/test-support/mcp-process.ts";
import { findProject } from "./project.ts";

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
  const database = join(findProject(root).directory, "memory.db");
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

const textOf = (answer: { content: { text: string }[] }) => answer.content[0]?.text ?? "";

test("a locked store fails a write after its lock timeout and does not block the event loop [locks.timeout]", async (context) => {
  const directory = temporaryDirectory();
  const store = join(directory, "memory.db");
  const memory = await openTestMemory({ store, lockTimeout: 600 });
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

test("a store that is locked for readers too is a typed error after its lock timeout [locks.timeout]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const writer = await openTestMemory({ store: path });
  await (await writer.createSession({ id: "s" })).notepad.write("x");
  await writer.close();
  const holder = await lock(context, path, exclusive);
  const begun = performance.now();
  await rejection(openTestMemory({ store: path, lockTimeout: 500 }), "store_busy");
  assert.ok(performance.now() - begun < 5_000);
  await release(holder);
});

test("an MCP write on a locked store fails within its lock timeout, with the next step, and changes nothing [locks.interactive] [locks.setting]", async (context) => {
  for (const [lockTimeout, least] of [
    [undefined, 1_500],
    ["100", 50],
  ] as const) {
    const { root, database, holder } = await lockedProject(context);
    const env: Record<string, string> =
      lockTimeout === undefined ? {} : { HOLDFAST_INTERACTIVE_LOCK_TIMEOUT: lockTimeout };
    const mcp = await connect(context, root, env);
    assert.match(textOf(await mcp.call("read_notepad")), /before/, "reading needs no lock");
    const begun = performance.now();
    const answer = await mcp.call("update_notepad", { operation: "append", content: "late" });
    const took = performance.now() - begun;
    assert.ok(took > least && took < 6_000, `it took ${took} ms`);
    assert.equal(answer.isError, true);
    assert.match(
      textOf(answer),
      /Another process has locked the database .+ Nothing was changed\. Try again\./,
    );
    await release(holder);
    assert.equal(
      (await mcp.call("update_notepad", { operation: "append", content: "again" })).isError,
      undefined,
    );
    await mcp.end();
    const memory = await openMemory({ store: database });
    assert.equal(await (await memory.resumeSession("s")).notepad.read(), "before\nagain");
    await memory.close();
  }
});

test("health answers at once while another process holds the store [locks.health]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: path, lockTimeout: 2_000 });
  await memory.createSession({ id: "s" });
  const { server } = await startTestServer(context, { path, memory });
  const holder = await lock(context, path);
  const headers = { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ type: "note.add", content: "x" });
  const edit = fetch(`${server.url}api/sessions/s/edits`, { method: "POST", headers, body });
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
