import { type ChildProcess, spawn } from "node:child_process";
import { HoldfastError } from "../../errors.ts";

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
  throwIfStopped();
  const started = performance.now();
  return new Promise((resolve) => {
    let [stdout, stderr] = ["", ""];
    let trouble: string | undefined;
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      shell: options.shell ?? false,
      stdio: ["pipe", "pipe", "pipe"],
      // Its own process group, so that its children are killed with it.
      detached: process.platform !== "win32",
    });
    track(child);
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
    // Ignore EPIPE; the exit code tells more.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.once("error", (error) => {
      trouble = error.message;
      done(null);
    });
    child.once("close", done);
  });
}

const running = new Set<ChildProcess>();
let stopped = false;

/** Tracks a process while it runs. */
export function track(child: ChildProcess): void {
  running.add(child);
  child.once("close", () => running.delete(child));
}

/** Kills everything doctor started and starts nothing more; the waiting checks then continue and clean up. */
export function stopAll(): void {
  stopped = true;
  for (const child of running) endGroup(child);
}

export function throwIfStopped(): void {
  if (stopped) throw new HoldfastError("program_failed", "Doctor was stopped. Run it again.");
}

/** Kills a process that was started `detached`, and its children. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}
