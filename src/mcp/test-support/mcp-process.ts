import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { compiled } from "../../../test/support/compiled.ts";

const cli = join(import.meta.dirname, "../../cli.ts");

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is checked by the test that asked
type Message = any;

export interface McpProcess {
  /** Sends a request and gives its answer, `{ result }` or `{ error }`. */
  ask(method: string, params?: unknown): Promise<Message>;
  /** Calls a tool; gives its result. */
  call(name: string, input?: unknown): Promise<Message>;
  /** Writes bytes as they are. */
  write(text: string | Uint8Array): void;
  /** The first message, said already or yet to come, that fits; each is given once. */
  next(fits: (message: Message) => boolean): Promise<Message>;
  /** Closes its input; how it ended. */
  end(): Promise<{ code: number | null; signal: string | null; errors: string }>;
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; errors: string }>;
}

/** Starts `holdfast mcp ARGS` as a process of its own, with nobody's client in between. */
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
      HOLDFAST_STORE: "",
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
  let waiting: { fits: (message: Message) => boolean; take: (message: Message) => void }[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    // Whatever is no JSON must not be there: the test fails.
    const message = JSON.parse(line);
    const taker = waiting.find(({ fits }) => fits(message));
    waiting = waiting.filter((each) => each !== taker);
    if (taker) taker.take(message);
    else unread.push(message);
  });
  const ended = Promise.all([once(child, "close"), once(reader, "close")]).then(([[code, signal]]) => ({
    code,
    signal,
    errors,
  }));
  const next: McpProcess["next"] = (fits) => {
    const at = unread.findIndex(fits);
    if (at !== -1) return Promise.resolve(unread.splice(at, 1)[0]);
    return new Promise((resolve, reject) => {
      waiting.push({ fits, take: resolve });
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
