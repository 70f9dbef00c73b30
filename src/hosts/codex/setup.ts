import { readFileSync } from "node:fs";
import { join } from "node:path";
import { objectIn, objectsIn } from "../../engine/json.ts";
import { type Finding, note, ok, problem } from "../doctor/finding.ts";
import type { HostSetup } from "../host-setup.ts";
import { jsonHooks } from "../install/json-hooks.ts";
import { valueAt } from "../install/json-text.ts";
import { findProgram, isOurHook } from "../install/launcher.ts";
import { memoryTools } from "../install/memory-tools.ts";
import { configFolder, locationOf, type Places, userFolderOf } from "../install/places.ts";
import { skillPiece } from "../install/skill-piece.ts";
import { askServer } from "../run-program.ts";
import { readToml, startupGrace, tomlServer } from "./config-toml.ts";
import { codex } from "./host.ts";

export const codexSetup: HostSetup = {
  projectFiles: [".codex"],
  resume: "codex resume --last",
  pieces(places, launcher) {
    const folder = configFolder(codex, places, ".codex");
    const config = locationOf(places, join(folder, "config.toml"));
    return [
      startupGrace(config, join(userFolderOf(codex, places), "config.toml")),
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
    const path = join(userFolderOf(codex, places), "config.toml");
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

function modelArguments(url: string): string[] {
  return [
    "--skip-git-repo-check",
    "--config",
    'model_provider="doctor"',
    "--config",
    `model_providers.doctor={name="doctor",base_url="${url}/v1",wire_api="responses"}`,
  ];
}

const check = "trust";

/** Asks Codex itself whether it trusts the hooks. */
async function checkTrust(places: Places): Promise<Finding> {
  const review = "Start codex here, type /hooks and trust those of holdfast.";
  const program = findProgram(codex.program, places.env);
  if (program === undefined)
    return note(
      check,
      "Codex is not on the PATH, so doctor cannot ask it. It silently skips hooks that you have not reviewed.",
      review,
    );
  let hooks: CodexHook[];
  try {
    hooks = await listCodexHooks(program, places);
  } catch (error) {
    return note(check, `Codex did not list the hooks it trusts: ${(error as Error).message}`, review);
  }
  if (hooks.length === 0)
    return problem(
      check,
      "Codex does not see the hooks: it reads a project's config only when the project is trusted.",
      "Start codex here, trust the project, type /hooks and trust those of holdfast.",
    );
  const listed = (among: readonly CodexHook[]) => among.map(({ event }) => event).join(", ");
  const untrusted = listed(hooks.filter(({ isTrusted }) => !isTrusted));
  if (untrusted !== "")
    return problem(check, `Codex silently skips hooks that you have not reviewed: ${untrusted}.`, review);
  const disabled = listed(hooks.filter(({ isEnabled }) => !isEnabled));
  if (disabled !== "")
    return problem(check, `Switched off in Codex: ${disabled}.`, "Start codex, type /hooks and enable them.");
  return ok(check, `Codex trusts all ${hooks.length} hooks`);
}

interface CodexHook {
  event: string;
  isTrusted: boolean;
  isEnabled: boolean;
}

/** How long Codex may take, in milliseconds. */
const listTime = 15_000;

/** Our hooks as Codex's own server lists them. */
async function listCodexHooks(program: string, { root, env }: Places): Promise<CodexHook[]> {
  const request = {
    initialize: { clientInfo: { name: "holdfast-doctor", version: "1" } },
    confirmation: "initialized",
    method: "hooks/list",
    params: { cwds: [root] },
  };
  const { data } = objectIn(
    await askServer(program, ["app-server"], request, { cwd: root, env, limit: listTime }),
  );
  return objectsIn(data)
    .flatMap(({ hooks }) => objectsIn(hooks))
    .filter(({ command }) => isOurHook(command, codex.name))
    .map(({ eventName, trustStatus, isManaged, enabled }) => ({
      event: String(eventName),
      isTrusted: trustStatus === "trusted" || isManaged === true,
      isEnabled: enabled !== false,
    }));
}
