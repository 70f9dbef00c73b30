import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isObject } from "../../engine/json.ts";
import { type Finding, note, ok, problem } from "../doctor/finding.ts";
import { endGroup, throwIfStopped, track } from "../doctor/run-program.ts";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { valueAt } from "../install/json-text.ts";
import { findProgram, isOurHook } from "../install/launcher.ts";
import { memoryTools } from "../install/memory-tools.ts";
import type { FileLocation, Piece } from "../install/piece.ts";
import { locationOf, type Places } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { addTopLine, readToml, removeTopLine } from "../install/toml-text.ts";
import { codex } from "./host.ts";
import { tomlServer } from "./server-piece.ts";

export const codexSetup: HostSetup = {
  userFolder,
  projectFiles: [".codex"],
  resume: "codex resume --last",
  pieces(places, launcher) {
    const folder = places.scope === "user" ? userFolder(places) : join(places.root, ".codex");
    const config = locationOf(places, join(folder, "config.toml"));
    return [
      startupGrace(config, join(userFolder(places), "config.toml")),
      tomlServer(
        config,
        launcher,
        // Codex refuses calls of tools that write, if nobody is there to approve them.
        memoryTools(places).filter(({ readOnly }) => !readOnly),
      ),
      jsonHooks(locationOf(places, join(folder, "hooks.json")), codex, launcher, {
        matchers: { SessionStart: "startup|resume|clear|compact" },
        timeout: 10,
        // Codex warns about more at every start.
        timeouts: { SessionEnd: 3 },
      }),
      // In a project it shares the folder with other agents.
      skillPiece(places, join(places.scope === "user" ? folder : join(places.root, ".agents"), "skills")),
    ];
  },
  next: ({ scope }) =>
    `Codex silently skips hooks that you have not reviewed: start codex${scope === "project" ? ", trust the project" : ""}, type /hooks and trust them.`,
  findPlugin(places) {
    const path = join(userFolder(places), "config.toml");
    try {
      const config = readToml(readFileSync(path, "utf8"), path);
      const isEnabled = valueAt(config, ["plugins", "holdfast@holdfast", "enabled"]) === true;
      return isEnabled ? path : undefined;
    } catch {
      // No such file, or one that the wiring check reports.
      return undefined;
    }
  },
  checkTrust,
  hook: { startEvent: "SessionStart" },
  live: {
    env: () => ({}),
    first: ({ url, prompt }) => ["exec", ...modelArguments(url), prompt],
    again: ({ url, prompt }) => ["exec", "resume", "--last", ...modelArguments(url), prompt],
  },
};

function userFolder({ env, home }: Places): string {
  return env.CODEX_HOME || join(home, ".codex");
}

function modelArguments(url: string): string[] {
  return [
    "--skip-git-repo-check",
    "--config",
    'model_provider="doctor"',
    "--config",
    `model_providers.doctor={name="doctor",base_url="${url}/v1",wire_api="responses"}`,
  ];
}

const key = "mcp_optional_startup_grace_ms";

/** With a comment, so that a user's own setting is never taken for ours. */
const line = `${key} = 5000 # Holdfast: the first request waits for the memory tools, at most this long`;

/**
 * How long the first request of a conversation waits for servers. After Codex's default of one second it goes out without
 * their tools, so on a busy machine nothing could be written in it. A server that fails ends the wait, and the
 * conversation continues without it. A user's own value stays, here or in the `userFile`.
 */
function startupGrace(location: FileLocation, userFile: string): Piece {
  const { path: file } = location;
  const isDecided = (text: string) => key in readToml(text, file) || isSetIn(userFile);
  return {
    ...location,
    what: "wait for servers",
    add: (text) => (isDecided(text) ? text : addTopLine(text, line)),
    remove: (text, before) => (before.includes(line) ? text : removeTopLine(text, line)),
    isIn: (text) => text.includes(line),
    gaps: (text) => (isDecided(text) ? [] : [{ what: key, kind: "missing" }]),
  };
}

function isSetIn(file: string): boolean {
  try {
    return key in readToml(readFileSync(file, "utf8"), file);
  } catch {
    // There is none, or one that Codex itself rejects.
    return false;
  }
}

const check = "trust";

/** Asks Codex itself whether it trusts the hooks. */
async function checkTrust(places: Places): Promise<Finding[]> {
  const review = "Start codex here, type /hooks and trust those of holdfast.";
  const program = findProgram(codex.program, places.env);
  if (program === undefined) {
    const detail =
      "Codex is not on the PATH, so doctor cannot ask it. It silently skips hooks that you have not reviewed.";
    return [note(check, detail, review)];
  }
  const hooks = await listCodexHooks(program, places);
  if (typeof hooks === "string")
    return [note(check, `Codex did not list the hooks it trusts: ${hooks}`, review)];
  if (hooks.length === 0) {
    const detail =
      "Codex does not see the hooks: it reads a project's config only when the project is trusted.";
    return [
      problem(check, detail, "Start codex here, trust the project, type /hooks and trust those of holdfast."),
    ];
  }
  const untrusted = hooks.filter(({ isTrusted }) => !isTrusted).map(({ event }) => event);
  if (untrusted.length > 0) {
    const detail = `Codex silently skips hooks that you have not reviewed: ${untrusted.join(", ")}.`;
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

interface CodexHook {
  event: string;
  isTrusted: boolean;
  isEnabled: boolean;
}

/** How long Codex may take, in milliseconds. */
const listTime = 15_000;

/** Our hooks as Codex's own server lists them; a string with the reason if it does not. */
async function listCodexHooks(program: string, { root, env }: Places): Promise<CodexHook[] | string> {
  throwIfStopped();
  const child = spawn(program, ["app-server"], {
    cwd: root,
    env: { ...env },
    stdio: ["pipe", "pipe", "ignore"],
    detached: process.platform !== "win32",
  });
  track(child);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      timer = setTimeout(() => resolve(`no answer within ${listTime} ms`), listTime);
      const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
      child.stdin.on("error", () => {});
      child.once("error", ({ message }) => resolve(message));
      child.once("close", (code) => resolve(`exit code ${code}`));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const { id, result } = parse(line);
        if (id === 1) {
          send({ method: "initialized" });
          send({ id: 2, method: "hooks/list", params: { cwds: [root] } });
        } else if (id === 2)
          resolve(result === undefined ? "this version has no list of hooks" : oursIn(result));
      });
      send({
        id: 1,
        method: "initialize",
        params: { clientInfo: { name: "holdfast-doctor", version: "1" } },
      });
    });
  } finally {
    clearTimeout(timer);
    endGroup(child);
  }
}

function oursIn(result: unknown): CodexHook[] {
  const data = isObject(result) && Array.isArray(result.data) ? result.data : [];
  return data
    .flatMap((folder) => (isObject(folder) && Array.isArray(folder.hooks) ? folder.hooks : []))
    .filter((hook) => isObject(hook) && isOurHook(hook.command, "codex"))
    .map((hook: Record<string, unknown>) => ({
      event: String(hook.eventName),
      isTrusted: hook.trustStatus === "trusted" || hook.isManaged === true,
      isEnabled: hook.enabled !== false,
    }));
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
