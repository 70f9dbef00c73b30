import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { compiled } from "../../../test/support/compiled.ts";

const cli = join(import.meta.dirname, "../../cli.ts");

// biome-ignore lint/suspicious/noExplicitAny: the test checks what the server returns
type Message = any;

export interface McpProcess {
  /** Sends a request and returns its response, `{ result }` or `{ error }`. */
  ask(method: string, params?: unknown): Promise<Message>;
  /** Calls a tool and returns its result. */
  call(name: string, input?: unknown): Promise<Message>;
  /** Writes raw bytes to stdin. */
  write(text: string | Uint8Array): void;
  /** The first matching message, received already or still to come; each message is returned once. */
  next(matches: (message: Message) => boolean): Promise<Message>;
  /** How the process ended. */
  ended: Promise<Ending>;
  /** Closes stdin. */
  end(): Promise<Ending>;
  kill(signal: NodeJS.Signals): Promise<Ending>;
}

interface Ending {
  code: number | null;
  signal: string | null;
  errors: string;
}

/** Starts `holdfast mcp ARGS` as a child process, to exchange raw messages without a client library. */
export function startMcp(
  context: TestContext,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): McpProcess {
  const child = spawn(process.execPath, [cli, "mcp", ...args], {
    cwd: options.cwd,
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      NODE_COMPILE_CACHE: compiled,
      HOLDFAST_DB: "",
      ...options.env,
    },
  });
  context.after(() => child.kill("SIGKILL"));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin.on("error", () => undefined);
  const unread: Message[] = [];
  let waiting: { matches: (message: Message) => boolean; take: (message: Message) => void }[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    // Anything but JSON on stdout fails the test.
    const message = JSON.parse(line);
    const waiter = waiting.find(({ matches }) => matches(message));
    waiting = waiting.filter((each) => each !== waiter);
    if (waiter) waiter.take(message);
    else unread.push(message);
  });
  const ended = Promise.all([once(child, "close"), once(reader, "close")]).then(([[code, signal]]) => ({
    code,
    signal,
    errors,
  }));
  const next: McpProcess["next"] = (matches) => {
    const at = unread.findIndex(matches);
    if (at !== -1) return Promise.resolve(unread.splice(at, 1)[0]);
    return new Promise((resolve, reject) => {
      waiting.push({ matches, take: resolve });
      void ended.then(({ code }) => reject(new Error(`holdfast mcp ended with ${code}: ${errors}`)));
    });
  };
  let lastId = 0;
  const ask: McpProcess["ask"] = (method, params) => {
    const id = `ask-${++lastId}`;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return next((message) => message.id === id);
  };
  return {
    ask,
    call: async (name, input = {}) => {
      const { result, error } = await ask("tools/call", { name, arguments: input });
      if (error) throw new Error(`${name}: ${JSON.stringify(error)}`);
      return result;
    },
    write: (text) => void child.stdin.write(text),
    next,
    ended,
    end: () => {
      child.stdin.end();
      return ended;
    },
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

export async function initialize(server: McpProcess): Promise<Message> {
  const { result } = await server.ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  server.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return result;
}
