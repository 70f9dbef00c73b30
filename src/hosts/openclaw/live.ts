import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject } from "../../engine/json.ts";
import { settingsIn } from "../doctor/host-settings.ts";
import type { ProgramRun } from "../doctor/run-program.ts";
import type { LiveClient, LiveTalk } from "../host-setup.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";
import { configFile } from "./files.ts";

export const openclawClient: LiveClient = {
  prepare: writeConfig,
  env: environment,
  first: turn,
  again: turn,
  session: sessionKey,
  limit: 100_000 - 20_000,
  oldNode,
};

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
function writeConfig({ url, folder }: LiveTalk, places: Places): void {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = { id: "doctor", name: "doctor", reasoning: false, input: ["text"], cost };
  const provider = {
    baseUrl: `${url}/v1`,
    apiKey: "doctor",
    api: "openai-completions",
    models: [{ ...model, contextWindow: 100_000, maxTokens: 1_000 }],
  };
  const config = {
    agents: {
      defaults: { workspace: places.root, skipBootstrap: true, model: { primary: "doctor/doctor" } },
    },
    models: { mode: "replace", providers: { doctor: provider } },
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
