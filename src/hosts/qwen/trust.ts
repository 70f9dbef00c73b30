import { join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { settingsIn } from "../doctor/host-settings.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";

const check = "trust";

export function userFolder({ env, home }: Places): string {
  return env.QWEN_HOME || join(home, ".qwen");
}

/** Whether Qwen Code runs the hooks and the server. */
export function checkTrust(places: Places): Finding[] {
  const folder = userFolder(places);
  const settings = settingsIn(join(folder, "settings.json"), join(places.root, ".qwen/settings.json"));
  if (settings.some((value) => value.disableAllHooks === true))
    return [problem(check, "Hooks are switched off.", `Remove "disableAllHooks" from Qwen Code's settings.`)];
  if (places.scope === "user") return [ok(check, "hooks are enabled")];
  const [approvals = {}] = settingsIn(join(folder, "mcpApprovals.json"));
  const status = valueAt(approvals, [places.root, "holdfast", "status"]);
  if (status === "approved") return [ok(check, "hooks are enabled, the server is approved")];
  const detail =
    status === "rejected" ? "The MCP server was rejected here." : "The MCP server is not approved here yet.";
  return [problem(check, detail, "Run qwen mcp approve holdfast in this folder.")];
}
