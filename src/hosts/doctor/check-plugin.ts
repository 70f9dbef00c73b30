import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../workspace/package.ts";
import type { Project } from "../../workspace/project.ts";
import type { Host } from "../hosts.ts";
import { findLauncher } from "../install/launcher.ts";
import type { Places } from "../install/places.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { keepOwnRun } from "./last-failure.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { purgeSessionsOf } from "./scratch-session.ts";

/** Loads the module that the host loads and, where it works without hooks, tries it as the host would. */
export async function checkPlugin(
  host: Host,
  places: Places,
  project: Project,
  remedy: string,
): Promise<Finding[]> {
  const file = pluginFileOf(host, places);
  if (file === undefined) return [];
  if (!existsSync(file)) {
    const rebuild = "Install the package again; in a checkout, run npm run build.";
    return [problem("plugin", `${file} is missing.`, host.name === "openclaw" ? rebuild : remedy)];
  }
  const started = Date.now();
  const hostSession = `doctor-${randomUUID()}`;
  const canary = `canary-${randomUUID()}`;
  const body = host.name === "opencode" ? loadOnly : host.name === "pi" ? tryPi : tryOpenClaw;
  const script = `
    const { default: plugin } = await import(${JSON.stringify(pathToFileURL(file).href)});
    const [id, content, cwd] = ${JSON.stringify([hostSession, canary, project.root])};
    ${body}`;
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  const run = await runProgram(process.execPath, args, { cwd: project.root, limit: 20_000 });
  if (host.name !== "opencode") await purgeSessionsOf(project, hostSession);
  if (run.code !== 0) {
    keepOwnRun(project.directory, { from: started, to: Date.now() });
    return [problem("plugin", `${file} cannot be used: ${troubleOf(run)}`, remedy)];
  }
  if (host.name === "opencode") return [ok("plugin", "loads")];
  if (run.stdout.includes(canary))
    return [ok("canary", "what is written to the notepad comes back from the plugin")];
  keepOwnRun(project.directory, { from: started, to: Date.now() });
  const said = run.stderr.trim().split("\n").at(-1) ?? "";
  return [problem("canary", `The plugin (${file}) did not give the notepad back. ${said}`.trim(), remedy)];
}

function pluginFileOf(host: Host, places: Places): string | undefined {
  // OpenClaw is given the whole package, and finds this file in its package.json.
  if (host.name === "openclaw") return join(packageRoot, "dist", "openclaw.js");
  return host.pieces(places, findLauncher(places.env)).find(({ module }) => module !== undefined)?.path;
}

const loadOnly = `if (typeof plugin !== "function") throw new Error("its default export is no function");`;

/** What pi does in one turn: start the session, run a tool, ask what to put before the model. */
const tryPi = `
  const [handlers, tools, entries] = [{}, {}, []];
  await plugin({
    on: (name, handler) => (handlers[name] = handler),
    registerTool: (tool) => (tools[tool.name] = tool),
    appendEntry: (customType, data) =>
      entries.push({ type: "custom", id: "e" + entries.length, parentId: entries.at(-1)?.id ?? null, customType, data }),
  });
  const sessionManager = { getSessionId: () => id, getBranch: () => entries, getEntries: () => entries };
  const context = { cwd, hasUI: false, sessionManager };
  await handlers.session_start({ type: "session_start" }, context);
  await tools.write_notepad.execute("doctor", { content }, undefined, undefined, context);
  const messages = [{ role: "user", content: [{ type: "text", text: "hello" }], timestamp: 0 }];
  console.log(JSON.stringify(await handlers.context({ type: "context", messages }, context)));
  await handlers.session_shutdown({ type: "session_shutdown" }, context);`;

const tryOpenClaw = `
  const handlers = {};
  let makeTools;
  plugin.register({ on: (name, handler) => (handlers[name] = handler), registerTool: (make) => (makeTools = make) });
  const context = { sessionKey: id, sessionId: id, workspaceDir: cwd };
  const tool = makeTools(context).find(({ name }) => name === "write_notepad");
  await tool.execute("doctor", { content });
  console.log(JSON.stringify(await handlers.before_prompt_build({ prompt: "hello", messages: [] }, context)));
  process.exit(0);`;

function troubleOf({ trouble, stderr, code }: ProgramRun): string {
  return (trouble ?? stderr.split("\n").find((line) => /Error/.test(line)) ?? `exit code ${code}`).trim();
}
