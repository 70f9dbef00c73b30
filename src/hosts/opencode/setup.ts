import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonCommandServer } from "../install/json-pieces.ts";
import { shellLine } from "../install/launcher.ts";
import type { ConfiguredServer } from "../install/piece.ts";
import { locationOf, type Places } from "../install/places.ts";
import { modulePlugin } from "../install/plugin-piece.ts";
import { opencode } from "./host.ts";

export const opencodeSetup: HostSetup = {
  userFolder,
  projectFiles: [".opencode", "opencode.json", "opencode.jsonc"],
  pieces(places, launcher) {
    const folder = places.scope === "user" ? userFolder(places) : join(places.root, ".opencode");
    return [
      jsonCommandServer(locationOf(places, configFile(places)), ["mcp", "holdfast"], launcher, {
        type: "local",
        enabled: true,
      }),
      modulePlugin(locationOf(places, join(folder, "plugin", "holdfast.js")), opencode.name),
    ];
  },
  hook: { startEvent: "session-start", lineBeside: hookLine },
  plugin: {},
  live: {
    env: ({ url }) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify(modelConfig(url)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    }),
    first: ({ prompt }) => ["run", prompt],
    again: ({ prompt }) => ["run", "--continue", prompt],
  },
};

/** The plugin runs the hook with the MCP server's command. */
function hookLine({ command, args }: ConfiguredServer): string {
  const end = args.indexOf("mcp");
  return shellLine([command, ...args.slice(0, Math.max(end, 0)), "hook", opencode.name]);
}

function userFolder({ env, home }: Places): string {
  return env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** The existing config, under any of its names; otherwise the default name. */
function configFile(places: Places): string {
  const files =
    places.scope === "user"
      ? ["opencode.json", "opencode.jsonc", "config.json"].map((name) => join(userFolder(places), name))
      : ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"].map(
          (name) => join(places.root, name),
        );
  return files.find((path) => existsSync(path)) ?? files[0] ?? "";
}

function modelConfig(url: string): object {
  return {
    model: "doctor/doctor",
    // The user's lists would leave out the provider below.
    enabled_providers: ["doctor"],
    disabled_providers: [],
    small_model: "doctor/doctor",
    provider: {
      doctor: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: "doctor" },
        models: { doctor: { name: "doctor" } },
      },
    },
  };
}
