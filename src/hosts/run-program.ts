import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { objectIn, parseObject, textIn } from "../engine/json.ts";
import { HoldfastError } from "../errors.ts";

export interface ProgramRun {
  /** Null if the program was killed, or did not start. */
  code: number | null;
  stdout: string;
  stderr: string;
  milliseconds: number;
  /** Why the program did not finish. */
  trouble?: string;
}

export interface RunOptions {
  cwd: string;
  env?: Readonly<Record<string, string | undefined>>;
  input?: string;
  /** Milliseconds after which the program is killed. */
  limit: number;
  /** Runs the command in a shell, as hosts run their hooks. */
  shell?: boolean;
}

/** Runs a program until it exits. Failures are part of the result. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<ProgramRun> {
  const started = performance.now();
  return new Promise((resolve) => {
    let [stdout, stderr] = ["", ""];
    let trouble: string | undefined;
    const child = start(command, args, options);
    const timer = setTimeout(() => {
      trouble = `it was killed after ${options.limit} ms`;
      endGroup(child);
    }, options.limit);
    const done = (code: number | null) => {
      clearTimeout(timer);
      const milliseconds = Math.round(performance.now() - started);
      resolve({ code, stdout, stderr, milliseconds, ...(trouble === undefined ? {} : { trouble }) });
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.end(options.input ?? "");
    child.once("error", (error) => {
      trouble = error.message;
      done(null);
    });
    child.once("close", done);
  });
}

/** A request to a server, after its `initialize`, whose answer the client confirms with a notification. */
export interface ServerRequest {
  initialize: object;
  confirmation: string;
  method: string;
  params?: object;
}

/** Starts a server, makes one JSON-RPC request on its stdio, and returns the result. */
export async function askServer(
  command: string,
  args: readonly string[],
  { initialize, confirmation, method, params }: ServerRequest,
  options: RunOptions,
): Promise<unknown> {
  const child = start(command, args, options);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      let stderr = "";
      const fail = (reason: string) => reject(new Error(reason));
      timer = setTimeout(() => fail(`no answer within ${options.limit} ms`), options.limit);
      const send = (message: object) =>
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.once("error", reject);
      child.once("close", (code) => fail(complaintIn(stderr) || `it ended with exit code ${code}`));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const answer = parseObject(line);
        if (!answer) fail(`its stdout is not JSON-RPC: ${line.slice(0, 80)}`);
        else if (answer.error !== undefined)
          fail(textIn(objectIn(answer.error).message) || JSON.stringify(answer.error));
        else if (answer.id === 1) {
          send({ method: confirmation });
          send({ id: 2, method, params });
        } else if (answer.id === 2) resolve(answer.result);
      });
      send({ id: 1, method: "initialize", params: initialize });
    });
  } finally {
    clearTimeout(timer);
    endGroup(child);
  }
}

/** The line that names the error; Node prints its own version after it. */
function complaintIn(text: string): string {
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return lines.find((line) => /Error\b/.test(line)) ?? lines.at(-1) ?? "";
}

const running = new Set<ChildProcess>();
let stopped = false;

function start(command: string, args: readonly string[], { cwd, env, shell = false }: RunOptions) {
  throwIfStopped();
  const child = spawn(command, [...args], {
    cwd,
    env: { ...process.env, ...env },
    shell,
    stdio: ["pipe", "pipe", "pipe"],
    // Its own process group, so that its children are killed with it.
    detached: process.platform !== "win32",
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  // Ignore EPIPE; the exit code tells more.
  child.stdin.on("error", () => {});
  return child;
}

/** Kills everything doctor started and starts nothing more; the waiting checks then continue and clean up. */
export function stopAll(): void {
  stopped = true;
  for (const child of running) endGroup(child);
}

export function throwIfStopped(): void {
  if (stopped) throw new HoldfastError("program_failed", "Doctor was stopped. Run it again.");
}

/** Kills a process and its children. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}
