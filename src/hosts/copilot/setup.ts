import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonServer, jsonSettings } from "../install/json-pieces.ts";
import { readJson, valueAt } from "../install/json-text.ts";
import { hookLine, type Launcher } from "../install/launcher.ts";
import type { FileLocation, Piece } from "../install/piece.ts";
import { userFolderOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { copilot } from "./host.ts";

const events = Object.keys(copilot.events);

export const copilotSetup: HostSetup = {
  projectFiles: [".github/hooks", ".github/copilot-instructions.md"],
  // Its servers are in the user's config only, so the hooks are there too.
  hasOneConfig: true,
  resume: "copilot --continue",
  pieces(places, launcher) {
    const folder = userFolderOf(copilot, places);
    return [
      jsonServer({ path: join(folder, "mcp-config.json") }, ["mcpServers", "holdfast"], launcher, {
        type: "local",
        tools: ["*"],
      }),
      hooksPiece({ path: join(folder, "hooks", "holdfast.json") }, launcher),
      skillPiece({ ...places, scope: "user" }, join(folder, "skills")),
    ];
  },
  next: () => "Without a screen, allow the memory tools: copilot -p … --allow-tool holdfast.",
  hook: { startEvent: "sessionStart" },
  live: {
    env: ({ url }) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "doctor",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_OFFLINE: "true",
    }),
    first: ({ prompt }) => ["-p", prompt, "--allow-tool", "holdfast"],
    again: ({ prompt }) => ["--continue", "-p", prompt, "--allow-tool", "holdfast"],
  },
};

/** A file of hooks. The event's name is in the command, because Copilot CLI does not send it. */
function hooksPiece(location: FileLocation, launcher: Launcher): Piece {
  const line = (event: string) => hookLine(launcher, copilot.name, "--event", event);
  const settings = events.map((event) => ({
    path: ["hooks", event],
    value: [{ type: "command", bash: line(event), timeoutSec: 10 }],
  }));
  return {
    ...jsonSettings(location, "hooks", [{ path: ["version"], value: 1 }, ...settings]),
    hooks(text) {
      const config = readJson(text, location.path);
      const lines = events.map((event) => [event, valueAt(config, ["hooks", event, 0, "bash"])]);
      return Object.fromEntries(lines.filter(([, command]) => typeof command === "string"));
    },
  };
}
