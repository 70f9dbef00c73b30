import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { valueAt } from "../install/json-text.ts";
import { memoryTools } from "../install/memory-tools.ts";
import { locationOf, type Places } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { readToml } from "../install/toml-text.ts";
import { codex } from "./host.ts";
import { tomlServer } from "./server-piece.ts";
import { startupGrace } from "./startup-grace.ts";
import { checkTrust } from "./trust.ts";

export const codexSetup: HostSetup = {
  userFolder,
  projectFiles: [".codex"],
  resume: "codex resume --last",
  pieces(places, launcher) {
    const folder = places.scope === "user" ? userFolder(places) : join(places.root, ".codex");
    const config = locationOf(places, join(folder, "config.toml"));
    return [
      startupGrace(config, join(userFolder(places), "config.toml")),
      tomlServer(
        config,
        launcher,
        // Codex refuses calls of tools that write, if nobody is there to approve them.
        memoryTools(places).filter(({ readOnly }) => !readOnly),
      ),
      jsonHooks(locationOf(places, join(folder, "hooks.json")), codex, launcher, {
        matchers: { SessionStart: "startup|resume|clear|compact" },
        timeout: 10,
        // Codex warns about more at every start.
        timeouts: { SessionEnd: 3 },
      }),
      // In a project it shares the folder with other agents.
      skillPiece(places, join(places.scope === "user" ? folder : join(places.root, ".agents"), "skills")),
    ];
  },
  next: ({ scope }) =>
    `Codex silently skips hooks that you have not reviewed: start codex${scope === "project" ? ", trust the project" : ""}, type /hooks and trust them.`,
  findPlugin(places) {
    const path = join(userFolder(places), "config.toml");
    try {
      const config = readToml(readFileSync(path, "utf8"), path);
      const isEnabled = valueAt(config, ["plugins", "holdfast@holdfast", "enabled"]) === true;
      return isEnabled ? path : undefined;
    } catch {
      // No such file, or one that the wiring check reports.
      return undefined;
    }
  },
  checkTrust,
  hook: { startEvent: "SessionStart" },
  live: {
    env: () => ({}),
    first: ({ url, prompt }) => ["exec", ...modelArguments(url), prompt],
    again: ({ url, prompt }) => ["exec", "resume", "--last", ...modelArguments(url), prompt],
  },
};

function userFolder({ env, home }: Places): string {
  return env.CODEX_HOME || join(home, ".codex");
}

function modelArguments(url: string): string[] {
  return [
    "--skip-git-repo-check",
    "--config",
    'model_provider="doctor"',
    "--config",
    `model_providers.doctor={name="doctor",base_url="${url}/v1",wire_api="responses"}`,
  ];
}
