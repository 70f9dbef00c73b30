import { dirname, join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonAllowList, jsonServer } from "../install/json-pieces.ts";
import { listAt, settingsIn, valueAt } from "../install/json-text.ts";
import { allowRules } from "../install/memory-tools.ts";
import { locationOf, type Places, userFolderOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { claudeCode, settingsFiles, userSettings } from "./host.ts";

export const claudeCodeSetup: HostSetup = {
  projectFiles: [".claude", ".mcp.json", "CLAUDE.md"],
  resume: "claude --continue",
  pieces(places, launcher) {
    const [servers, settings] = configFiles(places);
    const { Stop: _, ...inServer } = claudeCode.inServer ?? {};
    // To someone who declines a project's server, Claude Code would show an error at the end of each turn.
    const host = places.scope === "project" ? { ...claudeCode, inServer } : claudeCode;
    return [
      jsonServer(locationOf(places, servers), ["mcpServers", "holdfast"], launcher, {
        type: "stdio",
        alwaysLoad: true,
      }),
      jsonHooks(locationOf(places, settings), host, launcher, {
        timeout: 10,
        // With the names that Claude Code gives to our tools, also in a plugin.
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
    ? [ownSettings(places), join(userFolderOf(claudeCode, places), "settings.json")]
    : [join(places.root, ".mcp.json"), join(places.root, ".claude", "settings.json")];
}

const check = "trust";

function settingsOf({ root, env, home }: Places): string[] {
  return settingsFiles(root, { ...env, HOME: home });
}

/** The nearest file that enables or disables our plugin decides. */
function findEnabledPlugin(places: Places): string | undefined {
  const isEnabled = (path: string) =>
    settingsIn(path).map((value) => valueAt(value, ["enabledPlugins", "holdfast@holdfast"]))[0];
  const decides = settingsOf(places).find((path) => typeof isEnabled(path) === "boolean");
  return decides !== undefined && isEnabled(decides) === true ? decides : undefined;
}

/** Whether Claude Code runs the hooks and the server. */
export function checkTrust(places: Places): Finding {
  const { root } = places;
  const settings = settingsIn(...settingsOf(places));
  if (settings.some((value) => value.disableAllHooks === true))
    return problem(check, "Hooks are switched off.", `Remove "disableAllHooks" from Claude Code's settings.`);
  const own = settingsIn(ownSettings(places));
  const project = own.map((value) => valueAt(value, ["projects", root]));
  if (listAt(project, "disabledMcpServers").includes("holdfast"))
    return problem(
      check,
      "The MCP server is switched off here.",
      "Start claude here, type /mcp and enable it.",
    );
  if (places.scope === "user") return ok(check, "hooks are enabled");
  const all = [...settings, ...project];
  if (listAt(all, "disabledMcpjsonServers").includes("holdfast"))
    return problem(
      check,
      "The MCP server was rejected in this project.",
      "Run claude mcp reset-project-choices, and approve it at the next start.",
    );
  const isApproved =
    listAt(all, "enabledMcpjsonServers").includes("holdfast") ||
    all.some((value) => valueAt(value, ["enableAllProjectMcpServers"]) === true);
  const isTrusted = project.some((value) => valueAt(value, ["hasTrustDialogAccepted"]) === true);
  if (isApproved && isTrusted) return ok(check, "hooks are enabled, the server is approved");
  const what = isTrusted ? "the MCP server" : "this folder";
  return problem(
    check,
    `Hooks are enabled, but Claude Code does not trust ${what} yet.`,
    "Start claude here, trust the folder and approve the server holdfast.",
  );
}

function ownSettings({ env, home }: Places): string {
  return userSettings({ ...env, HOME: home });
}
