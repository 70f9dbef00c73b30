import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonAllowList, jsonServer } from "../install/json-pieces.ts";
import { allowRules } from "../install/memory-tools.ts";
import { locationOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { qwen } from "./host.ts";
import { checkTrust, userFolder } from "./trust.ts";

export const qwenSetup: HostSetup = {
  userFolder,
  projectFiles: [".qwen", "QWEN.md"],
  resume: "qwen --continue",
  pieces(places, launcher) {
    const folder = places.scope === "user" ? userFolder(places) : join(places.root, ".qwen");
    const location = locationOf(places, join(folder, "settings.json"));
    return [
      // Otherwise Qwen Code hides the tools behind a search.
      jsonServer(location, ["mcpServers", "holdfast"], launcher, { alwaysLoadTools: true }),
      jsonHooks(location, qwen, launcher, { name: "holdfast", timeout: 10 }),
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
