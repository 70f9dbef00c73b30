import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../host.ts";
import type { HostSetup } from "../host-setup.ts";
import { jsonServer } from "../install/json-pieces.ts";
import { shellLine } from "../install/launcher.ts";
import { modulePlugin } from "../install/piece.ts";
import { configFolder, locationOf, type Places, userFolderOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";

/** How the hosts of this family differ. */
export interface FamilyMember {
  host: Host;
  /** The folder in a project with plugins and more. */
  folder: string;
  /** Names of the config file, in the project's root, in `folder` and in the user's; the first is for a new one. */
  configNames: readonly string[];
  /** Further names of the user's config. */
  userConfigNames?: readonly string[];
  /** The prefix of its environment variables. */
  prefix: string;
}

export function familySetup(member: FamilyMember): HostSetup {
  const { host, folder, configNames, prefix } = member;
  const { name } = host;
  return {
    projectFiles: [folder, ...configNames],
    resume: `${name} --continue`,
    pieces(places, launcher) {
      const own = configFolder(host, places, folder);
      return [
        jsonServer(locationOf(places, configFile(member, places)), ["mcp", "holdfast"], launcher, {
          asList: true,
          type: "local",
          enabled: true,
        }),
        modulePlugin(locationOf(places, join(own, "plugin", "holdfast.js")), name),
        skillPiece(places, join(own, "skills")),
      ];
    },
    hook: {
      startEvent: "session-start",
      /** The plugin runs the hook with the MCP server's command. */
      lineBeside({ command, args }) {
        const end = args.indexOf("mcp");
        return shellLine([command, ...args.slice(0, Math.max(end, 0)), "hook", name]);
      },
    },
    plugin: {},
    live: {
      env: ({ url }) => ({
        [`${prefix}_CONFIG_CONTENT`]: JSON.stringify(modelConfig(url)),
        [`${prefix}_DISABLE_AUTOUPDATE`]: "1",
      }),
      first: ({ prompt }) => ["run", prompt],
      again: ({ prompt }) => ["run", "--continue", prompt],
      limit: 90_000,
    },
  };
}

/** The existing config, under any of its names; otherwise the default name. */
function configFile({ host, folder, configNames, userConfigNames = [] }: FamilyMember, places: Places) {
  const files =
    places.scope === "user"
      ? [...configNames, ...userConfigNames].map((name) => join(userFolderOf(host, places), name))
      : [...configNames, ...configNames.map((name) => join(folder, name))].map((name) =>
          join(places.root, name),
        );
  return files.find((path) => existsSync(path)) ?? files[0] ?? "";
}

function modelConfig(url: string): object {
  return {
    model: "doctor/doctor",
    small_model: "doctor/doctor",
    // The user's lists would leave out the provider below.
    enabled_providers: ["doctor"],
    disabled_providers: [],
    provider: {
      doctor: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${url}/v1`, apiKey: "doctor" },
        models: { doctor: { name: "doctor", limit: { context: 100_000, output: 10_000 } } },
      },
    },
  };
}
