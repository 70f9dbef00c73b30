import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";

export interface ServeProcess {
  url: string;
  token: string;
  process: ChildProcess;
  /** All output so far. */
  output(): string;
  /** Resolves when the output matches. */
  printed(pattern: RegExp): Promise<void>;
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; signal: string | null }>;
}

const cli = join(import.meta.dirname, "../../src/cli.ts");

/** Starts `holdfast serve` in a separate process and waits until it prints its address. */
export async function startServe(context: TestContext, args: string[], cwd: string): Promise<ServeProcess> {
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    NODE_NO_WARNINGS: "1",
    CI: "1",
    // Tokens are kept there.
    XDG_STATE_HOME: join(cwd, ".state"),
  };
  const child = spawn(process.execPath, [cli, "serve", "--no-open", ...args], { cwd, env });
  context.after(() => child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const onLine = (line: string) => {
    lines.push(line);
    for (const check of waiting) check();
  };
  createInterface({ input: child.stdout }).on("line", onLine);
  createInterface({ input: child.stderr }).on("line", onLine);
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const output = () => lines.join("\n");
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!pattern.test(output())) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      void ended.then(({ code }) => reject(new Error(`serve ended with ${code}: ${output()}`)));
    });
  await printed(/\?token=/);
  const [, url = "", token = ""] = /(http:\S+)\?token=([^\s#]+)/.exec(output()) ?? [];
  return { url, token, process: child, output, printed, ended };
}
