import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type HookReply, readHookEvent } from "../../src/hosts/hook/event.ts";
import { runHook } from "../../src/hosts/hook/run-hook.ts";
import { hostNamed } from "../../src/hosts/hosts.ts";
import { openMemory } from "../../src/index.ts";
import type { Memory } from "../../src/sessions/memory.ts";
import type { LifecycleSurface } from "../../src/surfaces/surface.ts";
import { readWorkspaceConfig } from "../../src/workspace/config.ts";
import { findProject } from "../../src/workspace/project.ts";
import type { Outcome } from "./command-line.ts";
import { compiled } from "./compiled.ts";
import { temporaryDirectory } from "./temporary.ts";

/** Where hooks record failures when there is no project folder. */
export const stateHome = temporaryDirectory();
process.env.XDG_STATE_HOME = stateHome;

const cli = join(import.meta.dirname, "../../src/cli.ts");

export interface HookProject {
  root: string;
  /** The folder of its memory. */
  directory: string;
  database: string;
}

/** An empty project (default: with a memory). */
export async function hookProject({ withMemory = true } = {}): Promise<HookProject> {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  const { directory } = findProject(root);
  const database = join(directory, "memory.db");
  if (withMemory) await (await openMemory({ store: database })).close();
  return { root, directory, database };
}

/** Opens the project's memory for `work`, then closes it. */
export async function inMemory<T>(project: HookProject, work: (memory: Memory) => Promise<T>): Promise<T> {
  const surfaces = ["notepad", "notes", "scratchpad"] as const;
  const memory = await openMemory({
    store: project.database,
    project: basename(project.directory),
    surfaces,
  });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}

export interface InProcess {
  stdout: string;
  /** The text that reaches the model. */
  context: string;
  failures: string[];
}

/** Handles an event in this process, as `holdfast hook HOST` would. */
export async function hook(
  project: HookProject,
  host: string,
  payload: Record<string, unknown>,
  surfaces?: readonly LifecycleSurface[],
): Promise<InProcess> {
  const event = readHookEvent(hostNamed(host), { cwd: project.root, ...payload });
  const replies: HookReply[] = [];
  const failures: string[] = [];
  await runHook({
    event,
    project: findProject(event.cwd),
    config: readWorkspaceConfig(project),
    ...(surfaces ? { surfaces } : {}),
    answer: (reply) => replies.push(reply),
    fail: (error) => failures.push((error as Error).message),
  });
  const [reply = {}, ...more] = replies;
  if (more.length > 0) throw new Error(`${event.name} was answered ${replies.length} times`);
  const stdout = event.host.formatAnswer(event, reply);
  return { stdout, context: contextIn(stdout), failures };
}

export function contextIn(stdout: string): string {
  if (!stdout.startsWith("{")) return "";
  const { hookSpecificOutput, context } = JSON.parse(stdout);
  return hookSpecificOutput?.additionalContext ?? context ?? "";
}

export interface HookProcessOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Prepended to the command. */
  wrapper?: readonly string[];
  args?: readonly string[];
}

/** Runs `holdfast hook HOST` in a separate process. */
export function hookProcess(
  host: string,
  input: string | Buffer | "endless",
  { cwd, env = {}, wrapper = [], args = [] }: HookProcessOptions,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const [command = "", ...rest] = [...wrapper, process.execPath, cli, "hook", host, ...args];
    const child = spawn(command, rest, {
      cwd,
      env: {
        ...process.env,
        NODE_TEST_CONTEXT: undefined,
        XDG_STATE_HOME: stateHome,
        NODE_COMPILE_CACHE: compiled,
        // A busy machine must not trip the deadline, unless the test overrides it.
        HOLDFAST_HOOK_DEADLINE: "60000",
        ...env,
      },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.on("error", () => {});
    if (input !== "endless") child.stdin.end(input);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}
