import { join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { listAt, settingsIn } from "../doctor/host-settings.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";
import { userFolder, userSettings } from "./files.ts";

const check = "trust";

function settingsFiles(places: Places): string[] {
  const project = ["settings.json", "settings.local.json"].map((name) => join(places.root, ".claude", name));
  return [join(userFolder(places), "settings.json"), ...project];
}

/** The last file that enables or disables our plug-in decides. */
export function findEnabledPlugin(places: Places): string | undefined {
  const decisions = settingsFiles(places).flatMap((path) =>
    settingsIn(path)
      .map((value) => valueAt(value, ["enabledPlugins", "holdfast@holdfast"]))
      .filter((enabled) => typeof enabled === "boolean")
      .map((isEnabled) => ({ path, isEnabled })),
  );
  const last = decisions.at(-1);
  return last?.isEnabled ? last.path : undefined;
}

/** Whether Claude Code runs the hooks and the server. */
export function checkTrust(places: Places): Finding[] {
  const { root } = places;
  const settings = settingsIn(...settingsFiles(places));
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
    problem(
      check,
      `Hooks are enabled, but Claude Code does not trust ${what} yet.`,
      "Start claude here, trust the folder and approve the server holdfast.",
    ),
  ];
}
