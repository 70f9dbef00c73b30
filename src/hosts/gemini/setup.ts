import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonAllowList, jsonServer, jsonSettings } from "../install/json-pieces.ts";
import { memoryTools } from "../install/memory-tools.ts";
import { locationOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { userFolder } from "./files.ts";
import { gemini } from "./host.ts";
import { geminiClient } from "./live.ts";
import { checkTrust } from "./trust.ts";

export const geminiSetup: HostSetup = {
  userFolder,
  projectFiles: [".gemini", "GEMINI.md"],
  pieces(places, launcher) {
    const server = (path: string) =>
      jsonServer(locationOf(places, path), ["mcpServers", "holdfast"], launcher, {});
    const hooks = (path: string) =>
      jsonHooks(locationOf(places, path), gemini, launcher, {
        matchers: { AfterTool: "*" },
        name: "holdfast",
        timeout: 10_000,
      });
    const rules = (path: string) =>
      jsonAllowList(
        locationOf(places, path),
        ["tools", "allowed"],
        memoryTools(places).map(({ name }) => `mcp_holdfast_${name}`),
      );
    if (places.scope === "project") {
      const settings = join(places.root, ".gemini/settings.json");
      const skill = skillPiece(places, join(places.root, ".gemini/skills"));
      return [server(settings), hooks(settings), rules(settings), skill];
    }
    const folder = join(userFolder(places), "extensions", "holdfast");
    const manifest = join(folder, "gemini-extension.json");
    return [
      jsonSettings(locationOf(places, manifest), "extension", [
        { path: ["name"], value: "holdfast" },
        { path: ["version"], value: "1.0.0" },
      ]),
      server(manifest),
      hooks(join(folder, "hooks", "hooks.json")),
      // An extension cannot allow its own tools.
      rules(join(userFolder(places), "settings.json")),
      skillPiece(places, join(userFolder(places), "skills")),
    ];
  },
  next: ({ scope }) =>
    scope === "project" ? "Gemini CLI uses a project's hooks only in a folder that you trust." : undefined,
  checkTrust,
  hook: { startEvent: "BeforeAgent" },
  live: geminiClient,
};
