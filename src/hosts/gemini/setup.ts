import { dirname, join } from "node:path";
import { stringify } from "smol-toml";
import { type Finding, ok, problem } from "../doctor/finding.ts";
import { notepadRefusal } from "../hook/event.ts";
import type { HostSetup, LiveClient } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { jsonServer, jsonSettings, notAllowed } from "../install/json-pieces.ts";
import { listAt, settingsIn, valueAt } from "../install/json-text.ts";
import { allowRules } from "../install/memory-tools.ts";
import type { Piece } from "../install/piece.ts";
import { ownFile, ownMarker } from "../install/piece.ts";
import { locationOf, type Places, userFolderOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { gemini } from "./host.ts";

const geminiClient: LiveClient = {
  obstacle: (places) =>
    signsInWithGoogle(places)
      ? "Gemini CLI signs in with Google here, so it would not use a model on this machine."
      : undefined,
  // With a base URL alone Gemini CLI asks for a gateway that it does not know; Vertex reads URL and key from the environment.
  env: ({ url }) => ({
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_API_KEY: "doctor",
    GOOGLE_VERTEX_BASE_URL: url,
    GEMINI_API_KEY: "doctor",
    GOOGLE_GEMINI_BASE_URL: url,
  }),
  first: ({ prompt }) => ["-p", prompt],
  again: ({ prompt }) => ["--resume", "latest", "-p", prompt],
};

/** A login takes precedence over the environment, so the request would leave this machine. */
function signsInWithGoogle(places: Places): boolean {
  const chosen = settingsOf(places).map((value) => valueAt(value, ["security", "auth", "selectedType"]));
  return chosen.some((type) => type !== undefined && type !== "gemini-api-key" && type !== "vertex-ai");
}

/**
 * Allows the memory tools without asking, except that the sub-agent with all tools may not replace the notepad. No event
 * names a sub-agent, but a rule can, if it knows the name. Gemini CLI reads policies in the user's folder only: an extension
 * cannot allow its own tools, and policies of a project are disabled.
 */
function policyPiece(path: string, places: Places): Piece {
  const { allowed } = allowRules(places, "");
  const mcpName = "holdfast";
  const toolName = "write_notepad";
  const allow = { mcpName, toolName: allowed, decision: "allow", priority: 100 };
  const refuse = { mcpName, toolName, subagent: "generalist", decision: "deny", priority: 101 };
  const rule = allowed.includes(toolName) ? [allow, { ...refuse, denyMessage: notepadRefusal }] : [allow];
  const content = `# ${ownMarker}\n${stringify({ rule })}`;
  return {
    ...ownFile({ path }, { what: "permission rules", content }),
    gaps: (text) => (text === content ? [] : [{ what: notAllowed("policy"), kind: "choice" }]),
  };
}

export const geminiSetup: HostSetup = {
  projectFiles: [".gemini", "GEMINI.md"],
  resume: "gemini --resume latest",
  pieces(places, launcher) {
    const server = (path: string) =>
      jsonServer(locationOf(places, path), ["mcpServers", "holdfast"], launcher);
    const hooks = (path: string) =>
      jsonHooks(locationOf(places, path), gemini, launcher, {
        matchers: { AfterTool: "*" },
        name: "holdfast",
        timeout: 10_000,
      });
    const rules = policyPiece(join(userFolderOf(gemini, places), "policies", "holdfast.toml"), places);
    if (places.scope === "project") {
      const settings = join(places.root, ".gemini/settings.json");
      const skill = skillPiece(places, join(places.root, ".gemini/skills"));
      return [server(settings), hooks(settings), rules, skill];
    }
    const folder = join(userFolderOf(gemini, places), "extensions", "holdfast");
    const manifest = join(folder, "gemini-extension.json");
    return [
      jsonSettings(locationOf(places, manifest), "extension", [
        { path: ["name"], value: "holdfast" },
        { path: ["version"], value: "1.0.0" },
      ]),
      server(manifest),
      hooks(join(folder, "hooks", "hooks.json")),
      rules,
      skillPiece(places, join(userFolderOf(gemini, places), "skills")),
    ];
  },
  next: ({ scope }) =>
    scope === "project" ? "Gemini CLI uses a project's hooks only in a folder that you trust." : undefined,
  checkTrust,
  hook: { startEvent: "BeforeAgent" },
  live: geminiClient,
};

const check = "trust";

/** Whether Gemini CLI runs the hooks and the server. */
function checkTrust(places: Places): Finding {
  const settings = settingsOf(places);
  const isOff = settings.some((value) => valueAt(value, ["hooksConfig", "enabled"]) === false);
  if (isOff || listAt(settings, "hooksConfig", "disabled").includes("holdfast"))
    return problem(check, "Hooks are switched off.", "Start gemini and type /hooks enable-all.");
  const allowed = listAt(settings, "mcp", "allowed");
  if (
    listAt(settings, "mcp", "excluded").includes("holdfast") ||
    (allowed.length > 0 && !allowed.includes("holdfast"))
  )
    return problem(
      check,
      "The settings do not allow the MCP server.",
      `Add "holdfast" to mcp.allowed, or remove it from mcp.excluded.`,
    );
  const isAsked = !settings.some((value) => valueAt(value, ["security", "folderTrust", "enabled"]) === false);
  if (!isAsked || places.env.GEMINI_CLI_TRUST_WORKSPACE === "true") return ok(check, "hooks are enabled");
  return checkFolder(places);
}

/** In an untrusted folder, Gemini CLI uses neither hooks nor servers. */
function checkFolder(places: Places): Finding {
  const file =
    places.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(userFolderOf(gemini, places), "trustedFolders.json");
  const [folders = {}] = settingsIn(file);
  const rules = Object.entries(folders)
    .map(([path, trust]) => ({ path: trust === "TRUST_PARENT" ? dirname(path) : path, trust }))
    .filter(({ path }) => places.root === path || places.root.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length);
  if (rules[0] && rules[0].trust !== "DO_NOT_TRUST")
    return ok(check, "hooks are enabled, the folder is trusted");
  return problem(
    check,
    "Gemini CLI does not trust this folder, so it uses neither hooks nor server.",
    "Start gemini here, type /permissions and trust the folder.",
  );
}

/** The readable settings for all projects and for this one. */
function settingsOf(places: Places): Record<string, unknown>[] {
  return settingsIn(
    join(userFolderOf(gemini, places), "settings.json"),
    join(places.root, ".gemini/settings.json"),
  );
}
