import { type Finding, ok, problem } from "../doctor/finding.ts";
import { listAt, settingsIn } from "../doctor/host-settings.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";
import { configFile } from "./files.ts";

const check = "trust";

/** Whether OpenClaw loads the plugin. */
export function checkTrust(places: Places): Finding[] {
  const path = configFile(places);
  const settings = settingsIn(path);
  const isOff = settings.some((value) => valueAt(value, ["plugins", "enabled"]) === false);
  if (isOff || listAt(settings, "plugins", "deny").includes("holdfast"))
    return [
      problem(
        check,
        "The plugin is switched off.",
        `Set plugins.enabled in ${path}, and remove "holdfast" from plugins.deny.`,
      ),
    ];
  return [ok(check, "the plugin is allowed")];
}
