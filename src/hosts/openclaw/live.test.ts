import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { checkLive } from "../doctor/live.ts";
import { hostNamed } from "../hosts.ts";
import { planInit, runInit } from "../install/init.ts";

const plugin = pathToFileURL(join(import.meta.dirname, "index.ts")).href;

/** A fake OpenClaw: runs one turn with our plugin according to its config, and sends a request to that config's model. */
const client = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { agents, models, plugins } = JSON.parse(readFileSync(process.env.OPENCLAW_CONFIG_PATH, "utf8"));
writeFileSync(join(__dirname, "folder"), process.env.OPENCLAW_STATE_DIR);
writeFileSync(join(__dirname, "plugins"), JSON.stringify(plugins));
const sessionKey = process.argv[process.argv.indexOf("--session-key") + 1].toLowerCase();
const handlers = {};
import(${JSON.stringify(plugin)}).then(async ({ default: plugin }) => {
  if (plugins.entries.holdfast.enabled && !plugins.deny?.includes("holdfast"))
    plugin.register({ on: (name, handler) => (handlers[name] = handler), registerTool() {} });
  const context = { sessionKey, workspaceDir: agents.defaults.workspace };
  const text = await handlers.before_prompt_build?.({ prompt: "", messages: [] }, context);
  const { baseUrl } = models.providers.doctor;
  await fetch(baseUrl + "/chat/completions", { method: "POST", body: JSON.stringify({ model: "doctor", text }) });
  process.exit(0);
});
`;

async function machine() {
  const base = temporaryDirectory();
  const [root, bin, home] = [join(base, "a b"), join(base, "bin"), join(base, "home")];
  for (const folder of [root, bin, home]) mkdirSync(folder);
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home };
  const places = { scope: "project", root, home, env } as const;
  runInit(await planInit(["openclaw"], places), places);
  return {
    root,
    config: join(home, ".openclaw/openclaw.json"),
    seen: (name: string) => readFileSync(join(bin, name), "utf8"),
    install: (text: string) => writeFileSync(join(bin, "openclaw"), text, { mode: 0o755 }),
    live: async () => (await checkLive(hostNamed("openclaw"), places))[0],
  };
}

async function sessionsIn(root: string): Promise<unknown[]> {
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  const sessions = await memory.listSessions({ status: "all" });
  await memory.close();
  return sessions;
}

test("doctor runs OpenClaw in a temporary folder and removes it [doctor.live] [doctor.no-trace]", async () => {
  const { root, config, seen, live, install } = await machine();
  const before = readFileSync(config, "utf8");
  install(client);
  const found = await live();
  assert.equal(found?.status, "ok", found?.detail);
  assert.deepEqual(JSON.parse(seen("plugins")), JSON.parse(before).plugins);
  assert.equal(existsSync(seen("folder")), false);
  assert.equal(readFileSync(config, "utf8"), before);
  assert.deepEqual(await sessionsIn(root), []);
});

test("doctor finds an OpenClaw whose config denies the plugin [doctor.live] [doctor.no-trace]", async () => {
  const { root, config, live, install } = await machine();
  const settings = JSON.parse(readFileSync(config, "utf8"));
  settings.plugins.deny = ["holdfast"];
  writeFileSync(config, JSON.stringify(settings));
  install(client);
  const found = await live();
  assert.equal(found?.status, "problem");
  assert.match(found?.detail ?? "", /is not in the request/);
  assert.deepEqual(await sessionsIn(root), []);
});

test("doctor reports why OpenClaw's second turn failed, without OpenClaw's advice [doctor.live]", async () => {
  const { live, install } = await machine();
  const words = ["[openclaw] Reason: plugin load failed", "[openclaw] Help: openclaw --help"];
  const fail = `console.error(${JSON.stringify(words.join("\n"))}); process.exit(1);`;
  install(
    client
      .replace(
        "const handlers",
        `if (existsSync(__filename + ".again")) { ${fail} }
writeFileSync(__filename + ".again", "");
const handlers`,
      )
      .replace("const { readFileSync", "const { existsSync, readFileSync"),
  );
  const found = await live();
  assert.equal(found?.status, "problem");
  assert.match(found?.detail ?? "", /ended early: exit code 1: \[openclaw\] Reason: plugin load failed$/);
});

test("doctor reports a missing OpenClaw, and a Node that is too old for it, as notes [doctor.live]", async () => {
  const { live, install } = await machine();
  assert.deepEqual((await live())?.detail, "openclaw is not on the PATH.");
  install("#!/bin/sh\necho 'openclaw: Node 20.1.0: use 24.16+.' >&2\necho 'nvm install 26' >&2\nexit 1\n");
  const found = await live();
  assert.equal(found?.status, "note");
  assert.equal(found?.detail, "OpenClaw does not run here: Node 20.1.0: use 24.16+.");
  assert.match(found?.remedy ?? "", /newer Node/);
});
