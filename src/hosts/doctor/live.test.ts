import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { hostNamed } from "../hosts.ts";
import { planInit, runInit } from "../install/init.ts";
import { checkLive } from "./live.ts";
import { startScriptedModel } from "./scripted-model.ts";

const cli = join(import.meta.dirname, "../../cli.ts");

/** A fake Claude Code: runs the project's SessionStart hook and puts its output into the request. */
const client = `#!${process.execPath}
const { readFileSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
const { hooks } = JSON.parse(readFileSync(".claude/settings.json", "utf8"));
if (process.argv.includes("--version")) return console.log("2.0.0");
const isAgain = process.argv.includes("--continue");
const event = { session_id: "live-1", cwd: process.cwd(), hook_event_name: "SessionStart", source: isAgain ? "resume" : "startup" };
const line = process.env.NO_HOOKS ? "true" : hooks.SessionStart[0].hooks[0].command;
const { stdout } = spawnSync(line, { shell: true, input: JSON.stringify(event), encoding: "utf8" });
const text = process.env.FORGETFUL ? "" : stdout;
fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", body: JSON.stringify({ model: "m", stream: true, text }) })
  .then((answer) => answer.text()).then((events) => process.exit(events.includes("message_stop") ? 0 : 1));
`;

async function machine(extra: Record<string, string> = {}) {
  const base = temporaryDirectory();
  const [root, bin] = [join(base, "a b"), join(base, "bin")];
  for (const folder of [root, bin, join(base, "home"), join(root, ".git")]) mkdirSync(folder);
  // A loaded machine makes a hook slower than an agent should wait for.
  const slow = { HOLDFAST_HOOK_DEADLINE: "9000" };
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(base, "home"), ...slow, ...extra };
  const places = { scope: "project", root, home: join(base, "home"), env } as const;
  runInit(await planInit(["claude-code"], places), places);
  const live = async (name = "claude-code") => (await checkLive(hostNamed(name), places))[0];
  return {
    root,
    env,
    live,
    install: (text: string) => writeFileSync(join(bin, "claude"), text, { mode: 0o755 }),
  };
}

test("with --live doctor looks for the notepad in the real client's request [doctor.live]", async () => {
  const { root, live, install } = await machine();
  assert.deepEqual((await live())?.detail, "claude is not on the PATH.");
  install(client);
  const found = await live();
  assert.equal(found?.status, "ok", found?.detail);
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  assert.deepEqual(await memory.listSessions({ status: "all" }), []);
  await memory.close();
  install("#!/bin/sh\necho not logged in >&2\nexit 3\n");
  assert.match((await live())?.detail ?? "", /sent no request to the model: exit code 3: not logged in/);
  assert.equal((await live("openclaw"))?.status, "note");
});

test("doctor finds a client that drops the hook's output or runs no hook [doctor.live]", async () => {
  for (const [variable, message] of [
    ["FORGETFUL", /is not in the request/],
    ["NO_HOOKS", /ran none of our hooks/],
  ] as const) {
    const { live, install } = await machine({ [variable]: "1" });
    install(client);
    const found = await live();
    assert.equal(found?.status, "problem");
    assert.match(found?.detail ?? "", message);
  }
});

test("a client that compacts and then fails leaves no session behind [doctor.no-trace]", async () => {
  const { root, live, install } = await machine();
  const early = client.replace('"SessionStart", source', '"PreCompact", source');
  install(early.replace("const text =", "process.exit(3);\nconst text ="));
  assert.match((await live())?.detail ?? "", /sent no request to the model: exit code 3/);
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  assert.deepEqual(await memory.listSessions({ status: "all" }), []);
  await memory.close();
  assert.equal(existsSync(join(findProject(root).directory, "links")), false);
});

test("when interrupted, doctor kills the client and leaves no canary behind [doctor.no-trace]", async () => {
  const { root, env, install } = await machine();
  const held = Promise.withResolvers<Socket>();
  const listener = createServer(held.resolve).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const hold = `require("node:net").connect(${port}, "127.0.0.1").on("close", () => process.exit());`;
  install(client.replace("const text =", `if (isAgain) { ${hold} return; }\nconst text =`));
  const doctor = spawn(process.execPath, [cli, "doctor", "--live", "claude-code"], { cwd: root, env });
  const closed = once(doctor, "close");
  const socket = await held.promise;
  const gone = once(socket.resume(), "close");
  doctor.kill("SIGINT");
  assert.deepEqual(await closed, [1, null]);
  await gone;
  listener.close();
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  assert.deepEqual(await memory.listSessions({ status: "all" }), []);
  await memory.close();
  assert.equal(existsSync(join(findProject(root).directory, "links")), false);
});

test("the scripted model answers in the formats of all clients [doctor.live]", async () => {
  const model = await startScriptedModel();
  const ask = async (path: string, body: object) => {
    const answer = await fetch(model.url + path, { method: "POST", body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  for (const [path, end] of [
    ["/v1/messages?beta=true", "message_stop"],
    ["/v1/responses", "response.completed"],
    ["/v1/chat/completions", "[DONE]"],
    ["/v1beta/models/x:streamGenerateContent?alt=sse", "STOP"],
  ] as const) {
    const { status, text } = await ask(path, { model: "x", stream: true });
    assert.deepEqual([status, text.includes(end), text.includes("data: ")], [200, true, true], path);
  }
  assert.match((await ask("/v1/chat/completions", { model: "x" })).text, /"content":"ok"/);
  assert.equal((await ask("/v1/other", {})).status, 404);
  assert.equal(model.requests.length, 5, "other paths ask no model");
  await model.close();
});
