import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compiled } from "./compiled.ts";
import type { WriterOrder } from "./writer.ts";

export interface Program {
  process: ChildProcessWithoutNullStreams;
  /** All lines printed so far. */
  lines: string[];
  /** Resolves when it prints the line; rejects when it ends without. */
  said(line: string): Promise<void>;
  /** Calls the listener with every further line. */
  onLine(listener: (line: string) => void): void;
  say(line: string): void;
  /** Resolves after it ended and all its output was read. */
  ended: Promise<{ code: number | null; signal: string | null; errors: string }>;
}

/** Starts a program of test/support in a separate process. */
export function startProgram(name: string, argument: unknown, wrapper: readonly string[] = []): Program {
  const command = [...wrapper, process.execPath, join(import.meta.dirname, name), JSON.stringify(argument)];
  const child = spawn(command[0] as string, command.slice(1), {
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, NODE_NO_WARNINGS: "1" },
  });
  child.stdin.on("error", () => {});
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  let errors = "";
  child.stderr.on("data", (piece) => {
    errors += piece;
  });
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    for (const listener of listeners) listener(line);
  });
  const ended = Promise.all([once(child, "close"), once(reader, "close")]).then(([[code, signal]]) => ({
    code,
    signal,
    errors,
  }));
  return {
    process: child,
    lines,
    ended,
    onLine: (listener) => void listeners.add(listener),
    say: (line) => void child.stdin.write(`${line}\n`),
    said: (line) =>
      new Promise((resolve, reject) => {
        if (lines.includes(line)) return resolve();
        listeners.add((each) => each === line && resolve());
        ended.then(({ code, signal }) =>
          reject(new Error(`${name} ended (${code ?? signal}) before it printed "${line}": ${errors}`)),
        );
      }),
  };
}

export function startWriter(order: WriterOrder): Program {
  return startProgram("writer.ts", order);
}
