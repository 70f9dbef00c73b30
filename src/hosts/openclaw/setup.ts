import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject } from "../../engine/json.ts";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { type HostSetup, type LiveClient, type LiveTalk, talkProvider } from "../host-setup.ts";
import { jsonSettings } from "../install/json-pieces.ts";
import { listAt, settingsIn, valueAt } from "../install/json-text.ts";
import { installedRoot } from "../install/launcher.ts";
import { type Places, userFolderOf } from "../install/places.ts";
import type { ProgramRun } from "../run-program.ts";
import { openclaw } from "./host.ts";

const openclawClient: LiveClient = {
  prepare: writeConfig,
  env: environment,
  first: turn,
  again: turn,
  session: sessionKey,
  limit: 100_000 - 20_000,
  oldNode,
};

export const openclawSetup: HostSetup = {
  projectFiles: [".openclaw"],
  hasOneConfig: true,
  pieces(places) {
    const entry = ["plugins", "entries", "holdfast"];
    return [
      jsonSettings(
        { path: configFile(places) },
        "plugin",
        [
          { path: [...entry, "enabled"], value: true },
          { path: [...entry, "hooks", "allowConversationAccess"], value: true },
        ],
        [
          { path: ["plugins", "load", "paths"], item: installedRoot(places.env) },
          { path: ["plugins", "allow"], item: "holdfast", onlyIfPresent: true },
        ],
      ),
    ];
  },
  next: () => "OpenClaw has one config for all projects. Restart its gateway: openclaw gateway restart.",
  checkTrust,
  plugin: {
    // OpenClaw loads the whole package and finds this file through its package.json.
    file: join(installedRoot(), "dist", "openclaw.js"),
    remedy: "Install the package again; in a checkout, run npm run build.",
    script: `
  const handlers = {};
  let makeTools;
  plugin.register({ on: (event, handler) => (handlers[event] = handler), registerTool: (make) => (makeTools = make) });
  const context = { sessionKey: id, sessionId: id, workspaceDir: cwd };
  const tool = makeTools(context).find((each) => each.name === name);
  await tool.execute("doctor", input);
  console.log(JSON.stringify(await handlers.before_prompt_build({ prompt: "hello", messages: [] }, context)));
  process.exit(0);`,
  },
  live: openclawClient,
};

function configFile(places: Places): string {
  return places.env.OPENCLAW_CONFIG_PATH || join(userFolderOf(openclaw, places), "openclaw.json");
}

/** A temporary folder, so that OpenClaw does not touch the user's config and conversations. */
function environment({ folder }: LiveTalk): Record<string, string> {
  return {
    OPENCLAW_STATE_DIR: join(folder, "state"),
    OPENCLAW_CONFIG_PATH: configIn(folder),
    // Otherwise OpenClaw restarts itself in another process group, and doctor cannot kill it.
    OPENCLAW_NO_RESPAWN: "1",
  };
}

/** Uses a model on this machine, the project as workspace, and the user's own settings for our plugin. */
function writeConfig(talk: LiveTalk, places: Places): void {
  const { folder } = talk;
  const config = {
    agents: {
      defaults: { workspace: places.root, skipBootstrap: true, model: { primary: "doctor/doctor" } },
    },
    models: { mode: "replace", providers: { doctor: talkProvider(talk) } },
    plugins: pluginsOf(places),
  };
  mkdirSync(join(folder, "state"), { mode: 0o700 });
  writeFileSync(configIn(folder), JSON.stringify(config), { mode: 0o600 });
}

/** OpenClaw lowercases session keys. */
function sessionKey(folder: string): string {
  return `agent:main:${basename(folder).toLowerCase()}`;
}

function turn({ folder, prompt }: LiveTalk): string[] {
  const session = ["--agent", "main", "--session-key", sessionKey(folder)];
  return ["agent", "--local", ...session, "--message", prompt];
}

function oldNode({ code, stderr }: ProgramRun): string | undefined {
  if (code === 0) return undefined;
  return /^openclaw: (.*\bNode\b.*)$/m.exec(stderr)?.[1];
}

function configIn(folder: string): string {
  return join(folder, "openclaw.json");
}

/** Leaves out other plugins, which are installed in the user's own folder. */
function pluginsOf(places: Places): Record<string, unknown> {
  const plugins = settingsIn(configFile(places))[0]?.plugins;
  if (!isObject(plugins)) return {};
  const { enabled, allow, deny, load } = plugins;
  const own = valueAt(plugins, ["entries", "holdfast"]);
  return { enabled, allow, deny, load, entries: own === undefined ? {} : { holdfast: own } };
}

const check = "trust";

/** Whether OpenClaw loads the plugin. */
function checkTrust(places: Places): Finding {
  const path = configFile(places);
  const settings = settingsIn(path);
  const isOff = settings.some((value) => valueAt(value, ["plugins", "enabled"]) === false);
  if (isOff || listAt(settings, "plugins", "deny").includes("holdfast"))
    return problem(
      check,
      "The plugin is switched off.",
      `Set plugins.enabled in ${path}, and remove "holdfast" from plugins.deny.`,
    );
  return ok(check, "the plugin is allowed");
}
