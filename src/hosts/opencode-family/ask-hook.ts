import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";

export interface HookAnswer {
  /** For the model. */
  context: string;
  /** For the summarizer. */
  keep: string;
}

/** The hook has its own deadline; this one, in milliseconds, covers a hook that does not even start. */
const answerTimeout = 10_000;

/**
 * Runs `holdfast hook HOST`. The hosts' own runtime does not have Node's SQLite, so a separate process opens the memory.
 */
export async function askHook(
  host: string,
  command: readonly string[],
  payload: Record<string, unknown>,
  cwd: string,
): Promise<HookAnswer> {
  const [program = "", ...args] = command;
  const output = await run(program, [...args, "hook", host], JSON.stringify(payload), cwd);
  const value = parse(output);
  const text = (name: string) => (typeof value[name] === "string" ? value[name] : "");
  return { context: text("context"), keep: text("keep") };
}

/** The command of the configured MCP server, used for the hook too; without a server, or with npx, this package's own. */
export function hookCommand(config: Record<string, unknown>): string[] {
  const servers = isObject(config.mcp) ? config.mcp : {};
  const server = isObject(servers.holdfast) ? servers.holdfast : {};
  const words = Array.isArray(server.command) ? server.command.map(String) : [];
  const end = words.indexOf("mcp");
  // npx takes most of a second and may ask the network.
  return end > 0 && words[0] !== "npx" ? words.slice(0, end) : ownCommand();
}

export function ownCommand(): string[] {
  const built = join(import.meta.dirname, "cli.js");
  return ["node", existsSync(built) ? built : join(import.meta.dirname, "../../cli.ts")];
}

function run(program: string, args: string[], input: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerTimeout);
    const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "pipe"], signal });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    // Ignore EPIPE from a hook that exits early; the exit code is checked below.
    child.stdin.on("error", () => undefined).end(input);
    child.once("error", reject);
    child.once("close", (code) => {
      // The hook records its own failures for `holdfast doctor`.
      if (code === 0) resolve(stdout);
      else reject(hookFailed([program, ...args], stderr.trim() || `exit code ${code}`));
    });
  });
}

function hookFailed(words: readonly string[], reason: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `"${words.join(" ")}" gave no answer: ${reason.slice(0, 300)}. Run "holdfast doctor ${words.at(-1)}".`,
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
