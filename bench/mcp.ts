import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compare, type Figure } from "./measure.ts";

const cli = join(import.meta.dirname, "..", "dist", "cli.js");
const bareServer = join(import.meta.dirname, "bare-mcp-server.ts");

/** A durable edit through the built MCP server, compared with a server that only updates a row. */
export async function mcpFigures(directory: string): Promise<Figure[]> {
  const store = join(directory, "mcp.db");
  const holdfast = await connect([cli, "mcp", "--store", store, "--session", "bench"]);
  const bare = await connect([bareServer, join(directory, "bare-mcp.db")]);
  let count = 0;
  const edit = () =>
    holdfast.call("update_notepad", { operation: "append", content: `- finding ${++count % 100}` });
  const write = () => bare.call("write", { text: `- finding ${count}` });
  await holdfast.call("write_notepad", { content: "# Findings" });
  const { work, baseline, ratio } = await compare(edit, write, { rounds: 500 });
  await Promise.all([holdfast.end(), bare.end()]);
  return [
    {
      name: "MCP stdio: durable edit / a bare SQLite write behind the same transport",
      value: ratio,
      target: 1.3,
      limit: "max",
      unit: "×",
      detail: `${(work * 1e3).toFixed(0)} µs / ${(baseline * 1e3).toFixed(0)} µs`,
    },
  ];
}

interface Connection {
  call(name: string, input: unknown): Promise<void>;
  end(): Promise<void>;
}

async function connect(args: string[]): Promise<Connection> {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (message: { result?: { isError?: boolean }; error?: unknown }) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let last = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (method: string, params: unknown) => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<{ result?: { isError?: boolean }; error?: unknown }>();
    waiting.set(id, resolve);
    send({ id, method, params });
    const { result, error } = await promise;
    if (error || result?.isError)
      throw new Error(`${method} ${JSON.stringify(params)}: ${JSON.stringify(error ?? result)}`);
  };
  await ask("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  });
  send({ method: "notifications/initialized" });
  return {
    call: (name, input) => ask("tools/call", { name, arguments: input }),
    end: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  if (child.exitCode === null) await once(child, "exit");
}
