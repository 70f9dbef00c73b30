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
  oldNode,
};

/** OpenClaw gets a folder of its own, so that the person's config and conversations stay as they are. */
function environment({ folder }: LiveTalk): Record<string, string> {
  return {
    OPENCLAW_STATE_DIR: join(folder, "state"),
    OPENCLAW_CONFIG_PATH: configIn(folder),
    // It would start itself again in another process group, and not end with this one.
    OPENCLAW_NO_RESPAWN: "1",
  };
}

/** The model is on this machine and the workspace is the project; what lets our plugin in is the person's own. */
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

/** OpenClaw writes the keys of conversations in small letters. */
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

/** Other plugins are installed in the person's folder, and are not looked for. */
function pluginsOf(places: Places): Record<string, unknown> {
  const plugins = settingsIn(configFile(places))[0]?.plugins;
  if (!isObject(plugins)) return {};
  const { enabled, allow, deny, load } = plugins;
  const own = valueAt(plugins, ["entries", "holdfast"]);
  return { enabled, allow, deny, load, entries: own === undefined ? {} : { holdfast: own } };
}
