import { join } from "node:path";
import { type Finding, note, ok, problem } from "../doctor/finding.ts";
import { listAt, settingsIn } from "../doctor/host-settings.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";
import { userFolder, userSettings } from "./files.ts";

const check = "trust";

/** Whether Claude Code runs the hooks and the server. */
export function checkTrust(places: Places): Finding[] {
  const { root } = places;
  const user = userFolder(places);
  const settings = settingsIn(
    join(user, "settings.json"),
    join(root, ".claude/settings.json"),
    join(root, ".claude/settings.local.json"),
  );
  if (settings.some((value) => value.disableAllHooks === true))
    return [
      problem(check, "Hooks are switched off.", `Remove "disableAllHooks" from Claude Code's settings.`),
    ];
  const own = settingsIn(userSettings(places));
  const project = own.map((value) => valueAt(value, ["projects", root]));
  if (listAt(project, "disabledMcpServers").includes("holdfast"))
    return [
      problem(check, "The MCP server is switched off here.", "Start claude here, type /mcp and enable it."),
    ];
  if (places.scope === "user") return [ok(check, "hooks are enabled")];
  const all = [...settings, ...project];
  if (listAt(all, "disabledMcpjsonServers").includes("holdfast"))
    return [
      problem(
        check,
        "The MCP server was rejected in this project.",
        "Run claude mcp reset-project-choices, and approve it at the next start.",
      ),
    ];
  const isApproved =
    listAt(all, "enabledMcpjsonServers").includes("holdfast") ||
    all.some((value) => valueAt(value, ["enableAllProjectMcpServers"]) === true);
  const isTrusted = project.some((value) => valueAt(value, ["hasTrustDialogAccepted"]) === true);
  if (isApproved && isTrusted) return [ok(check, "hooks are enabled, the server is approved")];
  const what = isTrusted ? "the MCP server" : "this folder";
  return [
    note(
      check,
      `Hooks are enabled, but Claude Code does not trust ${what} yet.`,
      "Start claude here, trust the folder and approve the server holdfast.",
    ),
  ];
}
