import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { HoldfastError } from "../../errors.ts";
import { readWorkspaceConfig } from "../../workspace/config.ts";
import type { Project } from "../../workspace/project.ts";
import { forgetFailures } from "../failures.ts";
import type { Host } from "../host.ts";
import type { PluginCheck } from "../host-setup.ts";
import { memoryPlace } from "../install/memory-tools.ts";
import { ownMarker } from "../install/piece.ts";
import { type ProgramRun, runProgram } from "../run-program.ts";
import { type Finding, note, ok, problem } from "./finding.ts";
import { openScratchSession, purgeSessionsOf } from "./scratch-session.ts";

const check = "canary";
/** Max milliseconds that a host waits for a hook. */
const limit = 10_000;

/** Saves a word, runs the hook as the host would, and looks for the word in its answer. */
export async function checkCanary(
  host: string,
  { line, startEvent }: { line: string; startEvent: string },
  project: Project,
  remedy: string,
): Promise<Finding[]> {
  if (hasWrongSettings(project)) return [notChecked];
  let scratch: Awaited<ReturnType<typeof openScratchSession>>;
  try {
    scratch = await openScratchSession(host, project);
  } catch (error) {
    return [
      problem("store", storeProblem(error), `Make ${project.directory} writable, or repair the store.`),
    ];
  }
  const started = Date.now();
  let isBack = false;
  try {
    const payload = {
      session_id: scratch.hostSession,
      cwd: project.root,
      hook_event_name: startEvent,
      source: "startup",
    };
    const input = JSON.stringify(payload);
    const run = await runProgram(line, [], { cwd: project.root, input, limit, shell: true });
    const lastLine = run.stderr.trim().split("\n").at(-1) ?? "";
    const trouble = run.trouble ?? (run.code === 0 ? "" : `exit code ${run.code}`);
    isBack = run.stdout.includes(scratch.canary);
    if (isBack) {
      return [ok(check, "saved memory comes back from the hook"), ok("hook", `${run.milliseconds} ms`)];
    }
    const why =
      [trouble, lastLine].filter((text) => text !== "").join(": ") || "its answer does not contain it";
    return [problem(check, `The hook (${line}) did not return saved memory: ${why}`, remedy)];
  } finally {
    await scratch.close();
    // The finding reports this failure already, and no agent was affected.
    if (!isBack) forgetFailures(project.directory, host, started);
  }
}

/** Doctor reports a wrong setting by itself. Commands that a person runs, and so these checks, do not go on with one. */
function hasWrongSettings(project: Project): boolean {
  return readWorkspaceConfig(project).problems.length > 0;
}

const notChecked = note(check, "Not checked, because of the settings under Configuration.");

function storeProblem(error: unknown): string {
  if (error instanceof HoldfastError) return error.message;
  return `Cannot write to the store: ${(error as Error).message}`;
}

/** Loads the module that the host loads and, if it works without hooks, runs it as the host would. */
export async function checkPlugin(
  host: Host,
  { script, ...plugin }: PluginCheck,
  file: string,
  project: Project,
  remedy: string,
): Promise<Finding[]> {
  if (!existsSync(file)) return [problem("plugin", `${file} is missing.`, plugin.remedy ?? remedy)];
  if (script !== undefined && hasWrongSettings(project)) return [notChecked];
  const started = Date.now();
  const hostSession = `doctor-${randomUUID()}`;
  const canary = `canary-${randomUUID()}`;
  const place = memoryPlace(host, project);
  const [name, input] = writing[place](canary);
  const run = await runScript(
    `const { default: plugin } = await import(${JSON.stringify(urlOf(file))});
    const [id, name, input, cwd] = ${JSON.stringify([hostSession, name, input, project.root])};
    ${script ?? loadOnly}`,
    project.root,
  );
  if (script !== undefined) await purgeSessionsOf(project, hostSession);
  if (run.code !== 0) {
    forgetFailures(project.directory, host.name, started);
    return [problem("plugin", `${file} does not work: ${troubleOf(run)}`, remedy)];
  }
  if (script === undefined) return [ok("plugin", "loads")];
  if (run.stdout.includes(canary))
    return [ok("canary", `what is written to the ${place} comes back from the plugin`)];
  forgetFailures(project.directory, host.name, started);
  const lastLine = run.stderr.trim().split("\n").at(-1) ?? "";
  return [problem("canary", `The plugin (${file}) did not return the ${place}. ${lastLine}`.trim(), remedy)];
}

/** The call that writes a text to each of the places. */
const writing = {
  notepad: (content: string) => ["write_notepad", { content }],
  scratchpad: (content: string) => ["session_scratchpad", { action: "set_notes", content }],
  pins: (text: string) => ["pin", { text }],
} as const;

/**
 * A file of ours is a module for its host, whatever a package.json near it contains: the hosts read it as one, and Node
 * would not under `"type": "commonjs"`. It imports by absolute URL, so Node can load its text.
 */
function urlOf(file: string): string {
  const text = readFileSync(file, "utf8");
  return text.includes(ownMarker)
    ? `data:text/javascript,${encodeURIComponent(text)}`
    : pathToFileURL(file).href;
}

const loadOnly = `if (typeof plugin !== "function") throw new Error("its default export is not a function");`;

function runScript(script: string, cwd: string): Promise<ProgramRun> {
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  return runProgram(process.execPath, args, { cwd, limit: 20_000 });
}

function troubleOf({ trouble, stderr, code }: ProgramRun): string {
  return (trouble ?? stderr.split("\n").find((line) => /Error/.test(line)) ?? `exit code ${code}`).trim();
}
