import { spawn } from "node:child_process";
import { endGroup, throwIfStopped, track } from "./running.ts";

export interface ProgramRun {
  /** Null when it was ended, or could not be started. */
  code: number | null;
  stdout: string;
  stderr: string;
  milliseconds: number;
  /** Why it did not run to its end. */
  trouble?: string;
}

export interface RunOptions {
  cwd: string;
  env?: Readonly<Record<string, string | undefined>>;
  input?: string;
  /** Milliseconds after which it is ended. */
  limit: number;
  /** Run the command as a shell would, as hosts do with their hooks. */
  shell?: boolean;
}

/** Runs a program to its end. What went wrong with it is in the result. */
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
      // Its own group, so that what it has started ends with it.
      detached: process.platform !== "win32",
    });
    track(child);
    const timer = setTimeout(() => {
      trouble = `it was ended after ${options.limit} ms`;
      endGroup(child);
    }, options.limit);
    const done = (code: number | null) => {
      clearTimeout(timer);
      const milliseconds = Math.round(performance.now() - started);
      resolve({ code, stdout, stderr, milliseconds, ...(trouble === undefined ? {} : { trouble }) });
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // A program that does not read what it is sent says so by how it ends.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.once("error", (error) => {
      trouble = error.message;
      done(null);
    });
    child.once("close", done);
  });
}
