import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { isObject } from "../../engine/json.ts";
import type { ConfiguredServer } from "../install/piece.ts";
import { type Finding, note, ok, problem } from "./finding.ts";
import { endGroup, throwIfStopped, track } from "./run-program.ts";

const check = "MCP server";
const limit = 15_000;

/** Starts the server as the host would, and lists its tools. */
export async function checkServer(server: ConfiguredServer, cwd: string, remedy: string): Promise<Finding[]> {
  if (server.isOff)
    return [problem(check, "It is switched off in the host's config.", `Set its "enabled" to true.`)];
  const line = [server.command, ...server.args].join(" ");
  const started = performance.now();
  try {
    const tools = await listTools(server, cwd);
    const milliseconds = Math.round(performance.now() - started);
    if (tools === 0) return [problem(check, `${line} offers no tools.`, remedy)];
    return [ok(check, `starts and offers ${tools} tools (${milliseconds} ms)`), ...checkStore(server)];
  } catch (error) {
    return [problem(check, `${line} does not start: ${(error as Error).message}`, remedy)];
  }
}

/** Hooks and plugins do not see a store that only the server's config names. */
function checkStore({ args, env }: ConfiguredServer): Finding[] {
  const at = args.findIndex((word) => /^--(?:db|store)(?:=|$)/.test(word));
  const names = ["HOLDFAST_DB", "HOLDFAST_STORE"].filter((name) => env[name] !== undefined);
  const isOwn = at >= 0 || names.some((name) => env[name] !== process.env[name]);
  if (!isOwn) return [];
  const where =
    at >= 0 ? args.slice(at, at + 2).join(" ") : names.map((name) => `${name}=${env[name]}`).join(" ");
  return [
    note(
      check,
      `Its config names another store (${where}), which hooks and plugins do not see.`,
      "Remove that setting, or set HOLDFAST_DB or HOLDFAST_STORE in the environment in which you start the host.",
    ),
  ];
}

async function listTools({ command, args, env }: ConfiguredServer, cwd: string): Promise<number> {
  throwIfStopped();
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  track(child);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      let stderr = "";
      timer = setTimeout(() => reject(new Error(`no answer within ${limit} ms`)), limit);
      const send = (message: object) =>
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      child.stdin.on("error", () => {});
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.once("error", reject);
      child.once("close", (code) =>
        reject(new Error(complaintIn(stderr) || `it ended with exit code ${code}`)),
      );
      createInterface({ input: child.stdout }).on("line", (text) => {
        const { id, result, error } = parse(text);
        if (error !== undefined) reject(new Error(JSON.stringify(error)));
        else if (id === 1) {
          send({ method: "notifications/initialized" });
          send({ id: 2, method: "tools/list" });
        } else if (id === 2) resolve(countTools(result));
      });
      const clientInfo = { name: "holdfast doctor", version: "1" };
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
      send({ id: 1, method: "initialize", params });
    });
  } finally {
    clearTimeout(timer);
    endGroup(child);
  }
}

function countTools(result: unknown): number {
  return isObject(result) && Array.isArray(result.tools) ? result.tools.length : 0;
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return { error: `its stdout is not JSON-RPC: ${line.slice(0, 80)}` };
  }
}

/** The line that names the error; Node prints its own version after it. */
function complaintIn(text: string): string {
  const lines = text.split("\n").flatMap((line) => line.trim() || []);
  return lines.find((line) => /Error\b/.test(line)) ?? lines.at(-1) ?? "";
}
