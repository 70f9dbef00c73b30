import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import pg from "pg";
import type { OpenClawApi, OpenClawContext, OpenClawTool } from "../src/hosts/openclaw/api.ts";
import openclaw from "../src/hosts/openclaw/index.ts";
import pi from "../src/hosts/pi/index.ts";
import { FakePi } from "../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory } from "../src/index.ts";
import { findProject } from "../src/workspace/project.ts";
import { startPostgres } from "./support/postgres.ts";
import { temporaryDirectory } from "./support/temporary.ts";

process.env.XDG_STATE_HOME = temporaryDirectory();

/** A busy machine still answers an unlocked call in this time. */
const lockTimeout = 1_500;

/** Far below the minute that programs without a person wait, and far above what a busy machine adds. */
const soon = 6_000;

/** A plugin in its host. */
interface Plugin {
  /** Calls the tool that appends to the scratchpad; its text, or that of its error. */
  append(content: string, id: string): Promise<string>;
  close(): Promise<unknown>;
}

const input = (content: string) => ({ action: "append_notes", content });
const messageOf = (error: unknown) => (error as Error).message;

async function startPi(cwd: string): Promise<Plugin> {
  const host = new FakePi({ cwd });
  await pi(host);
  await host.emit("session_start", { reason: "startup" });
  const tool = host.tools.get("session_scratchpad");
  assert.ok(tool);
  return {
    append: (content, id) =>
      tool.execute(id, input(content), undefined, undefined, host.context).then(JSON.stringify, messageOf),
    close: () => host.emit("session_shutdown", {}),
  };
}

async function startOpenClaw(workspaceDir: string): Promise<Plugin> {
  let toolsOf: ((context: OpenClawContext) => OpenClawTool[] | null) | undefined;
  let stop: ((event: never, context: OpenClawContext) => unknown) | undefined;
  const api: OpenClawApi = {
    logger: { warn: () => {} },
    registerTool: (given) => {
      toolsOf = given;
    },
    on: (hook, handler) => {
      if (hook === "gateway_stop") stop = handler;
    },
  };
  openclaw.register(api);
  const context = { sessionKey: "agent:main:main", sessionId: "s1", workspaceDir };
  const tool = toolsOf?.(context)?.find(({ name }) => name === "session_scratchpad");
  assert.ok(tool);
  return {
    append: (content, id) => tool.execute(id, input(content)).then(JSON.stringify, messageOf),
    close: async () => stop?.({} as never, context),
  };
}

type Hold = () => Promise<() => Promise<unknown>>;

function holdFile(path: string): Hold {
  return async () => {
    const holder = new DatabaseSync(path);
    holder.exec("BEGIN IMMEDIATE");
    return async () => holder.close();
  };
}

function holdTable(url: string): Hold {
  return async () => {
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("BEGIN; LOCK TABLE agent_sessions IN EXCLUSIVE MODE");
    return () => holder.end();
  };
}

/** The call is answered soon with the next step, blocks nothing else, and changes nothing. */
async function assertHeld(plugin: Plugin, store: string, hold: Hold): Promise<void> {
  const { append } = plugin;
  try {
    assert.match(await append("first", "call_1"), /notes updated/);
    const release = await hold();
    let [last, longest] = [performance.now(), 0];
    const ticking = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const started = performance.now();
    const text = await append("second", "call_2").finally(release);
    const took = performance.now() - started;
    clearInterval(ticking);
    assert.match(text, /Another (?:process|transaction) .+ Nothing was (?:changed|written)\. Try again\./);
    assert.ok(took >= lockTimeout * 0.9 && took < soon, `${took} ms`);
    assert.ok(longest < 1_000, `the event loop was blocked for ${longest} ms`);
    await append("third", "call_3");
  } finally {
    await plugin.close();
  }
  const memory = await openMemory({ store });
  try {
    const [session] = await memory.listSessions();
    const { notes } = await (await memory.resumeSession(session?.id ?? "")).scratchpad.read();
    assert.equal(notes, "first\nthird");
  } finally {
    await memory.close();
  }
}

function project(): string {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".git"));
  writeFileSync(join(cwd, "holdfast.json"), JSON.stringify({ interactiveLockTimeout: lockTimeout }));
  return cwd;
}

const hosts = { pi: startPi, OpenClaw: startOpenClaw };
for (const [name, start] of Object.entries(hosts))
  test(`${name} answers within interactiveLockTimeout while another process locks the file [locks.hosts]`, async () => {
    const cwd = project();
    const store = join(findProject(cwd).directory, "memory.db");
    await assertHeld(await start(cwd), store, holdFile(store));
  });

test("pi and OpenClaw answer within interactiveLockTimeout while another client locks a table of Postgres [locks.hosts]", async (context) => {
  const server = await startPostgres();
  context.after(() => server.stop());
  context.after(() => delete process.env.HOLDFAST_DB);
  for (const start of Object.values(hosts)) {
    const url = await server.database();
    await (await openMemory({ store: url })).close();
    process.env.HOLDFAST_DB = url;
    await assertHeld(await start(project()), url, holdTable(url));
  }
});
