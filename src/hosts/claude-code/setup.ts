import { dirname, join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonAllowList, jsonServer } from "../install/json-pieces.ts";
import { allowRules } from "../install/memory-tools.ts";
import { locationOf, type Places } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { userFolder, userSettings } from "./files.ts";
import { claudeCode } from "./host.ts";
import { checkTrust, findEnabledPlugin } from "./trust.ts";

export const claudeCodeSetup: HostSetup = {
  userFolder,
  projectFiles: [".claude", ".mcp.json", "CLAUDE.md"],
  resume: "claude --continue",
  pieces(places, launcher) {
    const [servers, settings] = configFiles(places);
    return [
      jsonServer(locationOf(places, servers), ["mcpServers", "holdfast"], launcher, {
        type: "stdio",
        alwaysLoad: true,
      }),
      jsonHooks(locationOf(places, settings), claudeCode, launcher, {
        timeout: 10,
        // With the names that Claude Code gives to our tools, also in a plug-in.
        matchers: { PreToolUse: "mcp__(plugin_holdfast_)?holdfast__.*" },
      }),
      jsonAllowList(
        locationOf(places, settings),
        ["permissions", "allow"],
        allowRules(places, "mcp__holdfast__"),
      ),
      skillPiece(places, join(dirname(settings), "skills")),
    ];
  },
  findPlugin: findEnabledPlugin,
  next: ({ scope }) =>
    scope === "project"
      ? "When Claude Code next starts, it asks whether to use the server: say yes."
      : undefined,
  checkTrust,
  hook: { startEvent: "SessionStart" },
  live: {
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "doctor",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    first: ({ prompt }) => ["-p", prompt],
    again: ({ prompt }) => ["-p", "--continue", prompt],
  },
};

function configFiles(places: Places): [servers: string, settings: string] {
  return places.scope === "user"
    ? [userSettings(places), join(userFolder(places), "settings.json")]
    : [join(places.root, ".mcp.json"), join(places.root, ".claude", "settings.json")];
}
