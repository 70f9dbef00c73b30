import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";

export interface ServeProcess {
  url: string;
  token: string;
  process: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Resolves when it has printed a line like this. */
  printed(pattern: RegExp): Promise<void>;
  /** How it ended. */
  ended: Promise<{ code: number | null; signal: string | null }>;
}

const cli = join(import.meta.dirname, "../../src/cli.ts");

/** Runs `holdfast serve` as a process of its own, until it has printed its address. */
export async function startServe(context: TestContext, args: string[], cwd: string): Promise<ServeProcess> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_NO_WARNINGS: "1", CI: "1" };
  const child = spawn(process.execPath, [cli, "serve", "--no-open", ...args], { cwd, env });
  context.after(() => child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const hear = (line: string) => {
    lines.push(line);
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on("line", hear);
  createInterface({ input: child.stderr }).on("line", hear);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const output = () => lines.join("\n");
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!pattern.test(output())) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void ended.then(({ code }) => reject(new Error(`serve ended with ${code}: ${output()}`)));
    });
  await printed(/\?token=/);
  const [, url = "", token = ""] = /(http:\S+)\?token=(\S+)/.exec(output()) ?? [];
  return { url, token, process: child, output, printed, ended };
}
