import { dirname, join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { listAt, settingsIn } from "../doctor/host-settings.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";
import { settingsOf, userFolder } from "./files.ts";

const check = "trust";

/** Whether Gemini CLI runs the hooks and the server. */
export function checkTrust(places: Places): Finding[] {
  const settings = settingsOf(places);
  const isOff = settings.some((value) => valueAt(value, ["hooksConfig", "enabled"]) === false);
  if (isOff || listAt(settings, "hooksConfig", "disabled").includes("holdfast"))
    return [problem(check, "Hooks are switched off.", "Start gemini and type /hooks enable-all.")];
  const allowed = listAt(settings, "mcp", "allowed");
  if (
    listAt(settings, "mcp", "excluded").includes("holdfast") ||
    (allowed.length > 0 && !allowed.includes("holdfast"))
  )
    return [
      problem(
        check,
        "The settings do not allow the MCP server.",
        `Add "holdfast" to mcp.allowed, or remove it from mcp.excluded.`,
      ),
    ];
  const isAsked = !settings.some((value) => valueAt(value, ["security", "folderTrust", "enabled"]) === false);
  if (!isAsked || places.env.GEMINI_CLI_TRUST_WORKSPACE === "true") return [ok(check, "hooks are enabled")];
  return [checkFolder(places)];
}

/** In an untrusted folder, Gemini CLI uses neither hooks nor servers. */
function checkFolder(places: Places): Finding {
  const file = places.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(userFolder(places), "trustedFolders.json");
  const [folders = {}] = settingsIn(file);
  const rules = Object.entries(folders)
    .map(([path, trust]) => ({ path: trust === "TRUST_PARENT" ? dirname(path) : path, trust }))
    .filter(({ path }) => places.root === path || places.root.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length);
  const remedy = "Start gemini here, type /permissions and trust the folder.";
  if (rules[0]?.trust === "DO_NOT_TRUST")
    return problem(
      check,
      "Gemini CLI does not trust this folder, so it uses neither hooks nor server.",
      remedy,
    );
  if (rules[0]) return ok(check, "hooks are enabled, the folder is trusted");
  return problem(
    check,
    "Gemini CLI does not trust this folder yet, so it uses neither hooks nor server.",
    remedy,
  );
}
