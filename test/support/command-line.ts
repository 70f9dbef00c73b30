import { spawn } from "node:child_process";
import { join } from "node:path";
import { compiled } from "./compiled.ts";

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

const cli = join(import.meta.dirname, "../../src/cli.ts");

/** Runs `holdfast ARGS` from source. */
export function holdfast(...args: string[]): Promise<Outcome> {
  return runNode([cli, ...args]);
}

/** Runs Node (default: this executable, working directory and environment). */
export function runNode(
  args: string[],
  executable = process.execPath,
  { cwd, env = {}, input }: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string | undefined } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(executable, args, {
      stdio: ["pipe", "pipe", "pipe"],
      cwd,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: compiled, ...env },
    });
    child.stdin.on("error", () => {}).end(input);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}
