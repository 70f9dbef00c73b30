import { join } from "node:path";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonAllowList, jsonServer } from "../install/json-pieces.ts";
import { settingsIn, valueAt } from "../install/json-text.ts";
import { allowRules } from "../install/memory-tools.ts";
import { configFolder, locationOf, type Places, userFolderOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { qwen } from "./host.ts";

const check = "trust";

export const qwenSetup: HostSetup = {
  projectFiles: [".qwen", "QWEN.md"],
  resume: "qwen --continue",
  pieces(places, launcher) {
    const folder = configFolder(qwen, places, ".qwen");
    const location = locationOf(places, join(folder, "settings.json"));
    return [
      // Otherwise Qwen Code hides the tools behind a search.
      jsonServer(location, ["mcpServers", "holdfast"], launcher, { alwaysLoadTools: true }),
      jsonHooks(location, qwen, launcher, {
        name: "holdfast",
        timeout: 10,
        // Of our tools, one replaces a whole document.
        matchers: { PreToolUse: "mcp__holdfast__write_.*" },
      }),
      jsonAllowList(location, ["permissions", "allow"], allowRules(places, "mcp__holdfast__")),
      skillPiece(places, join(folder, "skills")),
    ];
  },
  next: ({ scope }) =>
    scope === "project" ? "Approve the server: run qwen mcp approve holdfast in this folder." : undefined,
  checkTrust,
  hook: { startEvent: "SessionStart" },
  live: {
    env: ({ url }) => ({
      OPENAI_API_KEY: "doctor",
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: "doctor",
    }),
    first: ({ prompt }) => ["--auth-type", "openai", "-p", prompt],
    again: ({ prompt }) => ["--auth-type", "openai", "--continue", "-p", prompt],
  },
};

/** Whether Qwen Code runs the hooks and the server. */
function checkTrust(places: Places): Finding {
  const folder = userFolderOf(qwen, places);
  const settings = settingsIn(join(folder, "settings.json"), join(places.root, ".qwen/settings.json"));
  if (settings.some((value) => value.disableAllHooks === true))
    return problem(check, "Hooks are switched off.", `Remove "disableAllHooks" from Qwen Code's settings.`);
  if (places.scope === "user") return ok(check, "hooks are enabled");
  const [approvals = {}] = settingsIn(join(folder, "mcpApprovals.json"));
  const status = valueAt(approvals, [places.root, "holdfast", "status"]);
  if (status === "approved") return ok(check, "hooks are enabled, the server is approved");
  const detail =
    status === "rejected" ? "The MCP server was rejected here." : "The MCP server is not approved here yet.";
  return problem(check, detail, "Run qwen mcp approve holdfast in this folder.");
}
