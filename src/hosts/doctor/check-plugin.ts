import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { offers, readWorkspaceConfig } from "../../workspace/config.ts";
import type { Project } from "../../workspace/project.ts";
import type { PluginCheck } from "../host-setup.ts";
import { ownMarker } from "../install/own-file.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { keepOwnRun } from "./last-failure.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { purgeSessionsOf } from "./scratch-session.ts";

/** Loads the module that the host loads and, if it works without hooks, runs it as the host would. */
export async function checkPlugin(
  { script: ownScript, ...plugin }: PluginCheck,
  file: string,
  project: Project,
  remedy: string,
): Promise<Finding[]> {
  if (!existsSync(file)) return [problem("plugin", `${file} is missing.`, plugin.remedy ?? remedy)];
  // The script writes to the notepad; with another choice of surfaces the module is only loaded.
  const script = offers(readWorkspaceConfig(project), "notepad") ? ownScript : undefined;
  const started = Date.now();
  const hostSession = `doctor-${randomUUID()}`;
  const canary = `canary-${randomUUID()}`;
  const run = await runScript(
    `const { default: plugin } = await import(${JSON.stringify(urlOf(file))});
    const [id, content, cwd] = ${JSON.stringify([hostSession, canary, project.root])};
    ${script ?? loadOnly}`,
    project.root,
  );
  if (script !== undefined) await purgeSessionsOf(project, hostSession);
  if (run.code !== 0) {
    keepOwnRun(project.directory, { from: started, to: Date.now() });
    return [problem("plugin", `${file} does not work: ${troubleOf(run)}`, remedy)];
  }
  if (script === undefined) return [ok("plugin", "loads")];
  if (run.stdout.includes(canary))
    return [ok("canary", "what is written to the notepad comes back from the plugin")];
  keepOwnRun(project.directory, { from: started, to: Date.now() });
  const lastLine = run.stderr.trim().split("\n").at(-1) ?? "";
  return [problem("canary", `The plugin (${file}) did not return the notepad. ${lastLine}`.trim(), remedy)];
}

/**
 * A file of ours is a module for its host, whatever a package.json near it says: the hosts read it as one, and Node
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
