import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { listCodexHooks } from "../codex/list-hooks.ts";
import type { HostName } from "../hosts.ts";
import { readJson, valueAt } from "../install/json-text.ts";
import { findProgram } from "../install/launcher.ts";
import { type Places, userFolder } from "../install/places.ts";
import { type Finding, note, ok, problem } from "./finding.ts";

const check = "trust";

/** Whether the host, in this version, is willing to run what it was given. */
export async function checkTrust(host: HostName, places: Places, version = ""): Promise<Finding[]> {
  switch (host) {
    case "claude-code":
      return checkClaudeCode(places);
    case "codex":
      return checkCodex(places);
    case "gemini":
      return checkGemini(places);
    case "pi":
      return [checkPi(places, version)];
    case "openclaw":
      return checkOpenClaw(places);
    default:
      return [ok(check, "none is needed")];
  }
}

/** A config of the host as far as it can be read; one that cannot be is named by the check of the wiring. */
export function settingsIn(...paths: string[]): Record<string, unknown>[] {
  return paths.flatMap((path) => {
    try {
      return [readJson(readFileSync(path, "utf8"), path)];
    } catch {
      return [];
    }
  });
}

function listAt(settings: readonly unknown[], ...path: string[]): unknown[] {
  return settings.flatMap((value) => {
    const list = valueAt(value, path);
    return Array.isArray(list) ? list : [];
  });
}

function checkClaudeCode(places: Places): Finding[] {
  const { root, home, env } = places;
  const user = userFolder.claudeCode(places);
  const settings = settingsIn(
    join(user, "settings.json"),
    join(root, ".claude/settings.json"),
    join(root, ".claude/settings.local.json"),
  );
  if (settings.some((value) => value.disableAllHooks === true))
    return [
      problem(check, "Hooks are switched off.", `Take "disableAllHooks" out of Claude Code's settings.`),
    ];
  const own = settingsIn(join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"));
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
      `Hooks are enabled; Claude Code was not told yet to trust ${what}.`,
      "Start claude here, trust the folder and approve the server holdfast.",
    ),
  ];
}

async function checkCodex(places: Places): Promise<Finding[]> {
  const review = "Start codex here, type /hooks and trust those of holdfast.";
  const program = findProgram("codex", places.env);
  if (program === undefined) {
    const detail =
      "Codex is not on the PATH, so it cannot be asked. It skips hooks that nobody has reviewed, without a word.";
    return [note(check, detail, review)];
  }
  const hooks = await listCodexHooks(program, places);
  if (typeof hooks === "string")
    return [note(check, `Codex did not say which hooks it trusts: ${hooks}`, review)];
  if (hooks.length === 0) {
    const detail =
      "Codex does not see the hooks: it reads a project's config only when the project is trusted.";
    return [
      problem(check, detail, "Start codex here, trust the project, type /hooks and trust those of holdfast."),
    ];
  }
  const untrusted = hooks.filter(({ isTrusted }) => !isTrusted).map(({ event }) => event);
  if (untrusted.length > 0) {
    const detail = `Codex skips hooks that nobody has reviewed, without a word: ${untrusted.join(", ")}.`;
    return [problem(check, detail, review)];
  }
  const disabled = hooks.filter(({ isEnabled }) => !isEnabled).map(({ event }) => event);
  if (disabled.length > 0)
    return [
      problem(
        check,
        `Switched off in Codex: ${disabled.join(", ")}.`,
        "Start codex, type /hooks and enable them.",
      ),
    ];
  return [ok(check, `Codex trusts all ${hooks.length} hooks`)];
}

function checkGemini(places: Places): Finding[] {
  const settings = settingsIn(
    join(userFolder.gemini(places), "settings.json"),
    join(places.root, ".gemini/settings.json"),
  );
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
        `Add "holdfast" to mcp.allowed, or take it out of mcp.excluded.`,
      ),
    ];
  const isAsked = !settings.some((value) => valueAt(value, ["security", "folderTrust", "enabled"]) === false);
  if (!isAsked || places.env.GEMINI_CLI_TRUST_WORKSPACE === "true") return [ok(check, "hooks are enabled")];
  return [checkGeminiFolder(places)];
}

/** In a folder that is not trusted, Gemini CLI uses neither hooks nor servers. */
function checkGeminiFolder(places: Places): Finding {
  const file =
    places.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(userFolder.gemini(places), "trustedFolders.json");
  const [folders = {}] = settingsIn(file);
  const rules = Object.entries(folders)
    .map(([path, trust]) => ({ path: trust === "TRUST_PARENT" ? dirname(path) : path, trust }))
    .filter(({ path }) => places.root === path || places.root.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length);
  const remedy = "Start gemini here, type /permissions and trust the folder.";
  if (rules[0]?.trust === "DO_NOT_TRUST")
    return problem(
      check,
      "Gemini CLI does not trust this folder, and so uses neither hooks nor server.",
      remedy,
    );
  if (rules[0]) return ok(check, "hooks are enabled, the folder is trusted");
  return note(
    check,
    "Gemini CLI was not told yet to trust this folder; until then it uses neither hooks nor server.",
    remedy,
  );
}

/** From 0.79 on, pi loads the extensions of a project only when it is trusted. */
function checkPi(places: Places, version: string): Finding {
  const [, minor] = /^0\.(\d+)/.exec(version) ?? [];
  if (places.scope === "user" || (minor !== undefined && Number(minor) < 79))
    return ok(check, "none is needed");
  const folder = userFolder.pi(places);
  const [saved = {}] = settingsIn(join(folder, "trust.json"));
  const usual = settingsIn(join(folder, "settings.json")).map((value) => value.defaultProjectTrust)[0];
  const decided = foldersUp(realpathSync(places.root))
    .map((path) => saved[path])
    .find((decision) => typeof decision === "boolean");
  const remedy = "Start pi here, type /trust and trust the project; for one run: pi --approve.";
  if (decided ?? usual === "always") return ok(check, "pi trusts the project");
  if (decided === false || usual === "never")
    return problem(check, "pi does not trust the project, and so does not load its extensions.", remedy);
  return note(
    check,
    "pi was not told yet to trust the project; until then it does not load its extensions.",
    remedy,
  );
}

/** A folder and all above it. */
function foldersUp(folder: string): string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...foldersUp(dirname(folder))];
}

export function openClawConfig(places: Places): string {
  return places.env.OPENCLAW_CONFIG_PATH || join(userFolder.openclaw(places), "openclaw.json");
}

function checkOpenClaw(places: Places): Finding[] {
  const path = openClawConfig(places);
  const settings = settingsIn(path);
  const isOff = settings.some((value) => valueAt(value, ["plugins", "enabled"]) === false);
  if (isOff || listAt(settings, "plugins", "deny").includes("holdfast"))
    return [
      problem(
        check,
        "The plugin is switched off.",
        `Set plugins.enabled in ${path}, and take "holdfast" out of plugins.deny.`,
      ),
    ];
  return [ok(check, "the plugin is allowed")];
}
