import { join } from "node:path";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonServer, jsonSettings, notAllowed } from "../install/json-pieces.ts";
import { allowRules } from "../install/memory-tools.ts";
import { ownFile, ownMarker } from "../install/own-file.ts";
import type { Piece } from "../install/piece.ts";
import { locationOf, type Places } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { userFolder } from "./files.ts";
import { gemini } from "./host.ts";
import { geminiClient } from "./live.ts";
import { checkTrust } from "./trust.ts";

/**
 * Allows the memory tools without asking. Gemini CLI reads policies in the user's folder only: an extension cannot allow
 * its own tools, and policies of a project are disabled.
 */
function policyPiece(path: string, places: Places): Piece {
  const { allowed } = allowRules(places, "");
  const content = [
    `# ${ownMarker}. "holdfast uninstall" removes it.`,
    "[[rule]]",
    'mcpName = "holdfast"',
    `toolName = ${JSON.stringify(allowed).replaceAll(",", ", ")}`,
    'decision = "allow"',
    "priority = 100",
    "",
  ].join("\n");
  return {
    ...ownFile({ path }, { what: "permission rules", content }),
    gaps: (text) => (text === content ? [] : [{ what: notAllowed("policy"), kind: "choice" }]),
  };
}

export const geminiSetup: HostSetup = {
  userFolder,
  projectFiles: [".gemini", "GEMINI.md"],
  resume: "gemini --resume latest",
  pieces(places, launcher) {
    const server = (path: string) =>
      jsonServer(locationOf(places, path), ["mcpServers", "holdfast"], launcher, {});
    const hooks = (path: string) =>
      jsonHooks(locationOf(places, path), gemini, launcher, {
        matchers: { AfterTool: "*" },
        name: "holdfast",
        timeout: 10_000,
      });
    const rules = policyPiece(join(userFolder(places), "policies", "holdfast.toml"), places);
    if (places.scope === "project") {
      const settings = join(places.root, ".gemini/settings.json");
      const skill = skillPiece(places, join(places.root, ".gemini/skills"));
      return [server(settings), hooks(settings), rules, skill];
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
      rules,
      skillPiece(places, join(userFolder(places), "skills")),
    ];
  },
  next: ({ scope }) =>
    scope === "project" ? "Gemini CLI uses a project's hooks only in a folder that you trust." : undefined,
  checkTrust,
  hook: { startEvent: "BeforeAgent" },
  live: geminiClient,
};
