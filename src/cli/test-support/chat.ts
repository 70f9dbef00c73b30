import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { after } from "node:test";
import { compiled } from "../../../test/support/compiled.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  startScriptedServer,
} from "../../testing/scripted-server.ts";

const cli = join(import.meta.dirname, "../../cli.ts");

/** The real command line in a child process, with pipes instead of a terminal. */
export interface ChatProcess {
  process: ChildProcess;
  /** Everything written so far. */
  stdout(): string;
  stderr(): string;
  write(line: string): void;
  /** Closes stdin. */
  end(): void;
  /** Waits until the text appears on either stream. */
  until(text: string): Promise<void>;
  exit: Promise<number | null>;
  /** Rejects when the process ends; race it against what should happen first. */
  failed: Promise<never>;
}

export function startCli(
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): ChatProcess {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE: compiled, ...options.env },
    stdio: "pipe",
  });
  after(() => child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const checkWaiting = () => {
    for (const check of waiting) check();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    checkWaiting();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    checkWaiting();
  });
  const exit = new Promise<number | null>((done) => child.on("close", (code) => done(code)));
  const failed = exit.then((code) => {
    throw new Error(`the process ended too early, with ${code}:\n${stdout}\n${stderr}`);
  });
  failed.catch(() => undefined);
  return {
    process: child,
    failed,
    stdout: () => stdout,
    stderr: () => stderr,
    write: (line) => void child.stdin.write(`${line}\n`),
    end: () => void child.stdin.end(),
    until: (text) =>
      new Promise((found, missed) => {
        const check = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) return;
          waiting.delete(check);
          found();
        };
        waiting.add(check);
        void exit.then(() =>
          missed(
            new Error(`the process ended before it wrote ${JSON.stringify(text)}:\n${stdout}\n${stderr}`),
          ),
        );
        check();
      }),
    exit,
  };
}

/** Runs a command to its end with the given input. */
export async function runCli(
  args: string[],
  options: { cwd: string; env?: Record<string, string>; input?: string[] },
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const run = startCli(args, options);
  for (const line of options.input ?? []) run.write(line);
  run.end();
  const code = await run.exit;
  return { stdout: run.stdout(), stderr: run.stderr(), code };
}

/** Starts a scripted model; returns it with a working directory and the arguments to chat with it. */
export async function beginChat(
  script: (request: ScriptedRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>,
) {
  const server = await startScriptedServer(async (request, number) => {
    const answer = await script(request, number);
    // Report usage as a provider would, so that the chat's context count stays right.
    const input = estimateTokens(JSON.stringify([request.messages, request.tools]));
    return "status" in answer || "hangUp" in answer ? answer : { usage: { input, output: 20 }, ...answer };
  });
  after(() => server.close());
  return {
    server,
    cwd: temporaryDirectory(),
    chat: ["chat", "--base-url", server.url, "--model", "scripted"],
  };
}

/** The text of a request's last message. */
export function newestMessage(request: ScriptedRequest | undefined): string {
  const content = request?.messages.at(-1)?.content;
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

/** The contents of the user messages in a request. */
export function promptsOf(request: ScriptedRequest | undefined): unknown[] {
  return (request?.messages ?? []).flatMap(({ role, content }) => (role === "user" ? [content] : []));
}
