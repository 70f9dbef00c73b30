import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonServer, jsonSettings } from "../install/json-pieces.ts";
import { configFolder, locationOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { cursor } from "./host.ts";

export const cursorSetup: HostSetup = {
  projectFiles: [".cursor", ".cursorrules"],
  resume: "cursor-agent --continue",
  pieces(places, launcher) {
    const folder = configFolder(cursor, places, ".cursor");
    const hooks = locationOf(places, join(folder, "hooks.json"));
    return [
      jsonServer(locationOf(places, join(folder, "mcp.json")), ["mcpServers", "holdfast"], launcher),
      jsonSettings(hooks, "version of the hooks", [{ path: ["version"], value: 1 }]),
      jsonHooks(hooks, cursor, launcher, { isFlat: true, timeout: 10 }),
      skillPiece(places, join(folder, "skills")),
    ];
  },
  next: () =>
    "Not tried with Cursor itself. Enable the server in its settings; without a screen: cursor-agent -p --approve-mcps.",
  hook: { startEvent: "sessionStart" },
  live: {
    obstacle: () => "Cursor talks to its own service only, so it would not use a model on this machine.",
    env: () => ({}),
    first: ({ prompt }) => ["-p", "--approve-mcps", prompt],
    again: ({ prompt }) => ["--continue", "-p", "--approve-mcps", prompt],
  },
};
