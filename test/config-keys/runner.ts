/** Runs entry points in one long-lived process, one request at a time: a process per run would take seconds. */
import { PassThrough } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { main } from "../../src/cli/main.ts";
import type { OpenClawContext, OpenClawTool } from "../../src/hosts/openclaw/api.ts";
import openClawPlugin from "../../src/hosts/openclaw/index.ts";
import piExtension from "../../src/hosts/pi/index.ts";
import { FakePi, shownIn } from "../../src/hosts/pi/test-support/fake-pi.ts";
import type { RunAnswer, RunRequest, ToolCall } from "./run.ts";

const initial = { ...process.env };
const sessionName = "s";
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);

/** The delays after which a process begins to remove what retention no longer keeps, and goes on. */
const sweepDelays: readonly unknown[] = [30_000, 1_000];
const { setTimeout: realTimeout } = globalThis;
let sweeps: Promise<unknown>[] = [];

process.on("message", (request: RunRequest) => {
  void answer(request).then(
    (given) => process.send?.({ given }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});

async function answer(request: RunRequest): Promise<RunAnswer> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, initial, request.env);
  process.chdir(request.cwd);
  sweeps = [];
  if (request.sweeps) sweepAtOnce();
  const output = captureOutput();
  try {
    const given = await runners[request.entry](request, output);
    return {
      tools: [],
      answers: [],
      took: [],
      shown: [],
      ...given,
      output: output.text(),
      errors: output.errors(),
    };
  } finally {
    output.release();
    globalThis.setTimeout = realTimeout;
  }
}

/** A step of a sweep may begin the next one. */
async function swept(): Promise<void> {
  for (let step = sweeps.shift(); step; step = sweeps.shift()) await step;
}

/** The clock is scripted: the first sweep begins now instead of after half a minute. */
function sweepAtOnce(): void {
  globalThis.setTimeout = new Proxy(realTimeout, {
    apply(timeout, self, [work, delay, ...args]) {
      if (!sweepDelays.includes(delay)) return Reflect.apply(timeout, self, [work, delay, ...args]);
      sweeps.push(Promise.resolve(work()));
      return realTimeout(() => {}, 0);
    },
  });
}

type Output = ReturnType<typeof captureOutput>;
type Given = Partial<Pick<RunAnswer, "tools" | "answers" | "took" | "shown">>;

const runners: Record<RunRequest["entry"], (request: RunRequest, output: Output) => Promise<Given>> = {
  async chat({ args, input }, output) {
    await withInput(async (stdin) => {
      const running = main(["chat", "--session", sessionName, "--json", ...args]);
      for (const [index, line] of input.entries()) {
        stdin.write(`${line}\n`);
        await Promise.race([output.count(/"type":"(?:result|error|command)"/g, index + 1), running]);
      }
      await swept();
      stdin.end();
      await running;
    });
    return {};
  },

  async mcp({ calls }, output) {
    return withInput(async (stdin) => {
      const running = main(["mcp", "--session", sessionName]);
      const ended = running.then((code) => {
        throw new Error(`mcp ended with ${code}: ${output.errors()}`);
      });
      const ask = async (id: number, method: string, params: object) => {
        stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
        const [line = "{}"] = await Promise.race([
          output.printed(new RegExp(`^.*"id":${id}[,}].*$`, "m")),
          ended,
        ]);
        return JSON.parse(line);
      };
      const clientInfo = { name: "test", version: "1" };
      await ask(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
      stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      const listed = await ask(2, "tools/list", {});
      const timed = await callAll(calls, async ({ name, input }, index) => {
        const { result, error } = await ask(10 + index, "tools/call", { name, arguments: input });
        return result?.content[0].text ?? JSON.stringify(error);
      });
      await swept();
      ended.catch(() => {});
      stdin.end();
      await running;
      return { tools: listed.result.tools.map(({ name }: { name: string }) => name), ...timed };
    });
  },

  async serve({ calls }, output) {
    const running = main(["serve", "--no-open", "--port", "0"]);
    try {
      const ended = running.then((code) => {
        throw new Error(`serve ended with ${code}: ${output.errors()}`);
      });
      const [, url = "", token = ""] = await Promise.race([output.printed(/(http:\S+)\?token=(\S+)/), ended]);
      ended.catch(() => {});
      const transport = new StreamableHTTPClientTransport(new URL(`/mcp?session=${sessionName}`, url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport);
      const { tools } = await client.listTools();
      const timed = await callAll(calls, async ({ name, input }) =>
        JSON.stringify((await client.callTool({ name, arguments: input })).content),
      );
      await client.close();
      await swept();
      return { tools: tools.map(({ name }) => name), ...timed };
    } finally {
      process.emit("SIGTERM");
      await running;
    }
  },

  async pi({ cwd, calls, turns }) {
    const pi = new FakePi({ cwd, id: sessionName, summarise: () => "A summary of what was said before." });
    await piExtension(pi);
    await pi.emit("session_start", { reason: "startup" });
    const timed = await callAll(calls, ({ name, input }) => pi.call(name, input));
    const shown: string[] = [];
    for (const { user, agent, write, isCompacted } of turns) {
      if (isCompacted) await compactPi(pi);
      pi.say("user", user);
      shown.push(shownIn(await pi.modelCall()));
      if (write) await pi.call(write.name, write.input);
      pi.say("assistant", agent);
    }
    if (calls.length + turns.length === 0) shown.push(shownIn(await pi.modelCall()));
    await swept();
    await pi.emit("session_shutdown");
    return { tools: [...pi.tools.keys()], ...timed, shown: [...shown, ...pi.notices] };
  },

  async openclaw({ cwd, calls, turns }) {
    const handlers = new Map<string, (event: never, context: OpenClawContext) => unknown>();
    const warnings: string[] = [];
    const context: OpenClawContext = { sessionKey: sessionName, sessionId: sessionName, workspaceDir: cwd };
    let tools: OpenClawTool[] = [];
    openClawPlugin.register({
      on: (name, handler) => void handlers.set(name, handler),
      registerTool: (factory) => {
        tools = factory(context) ?? [];
      },
      logger: { warn: (message) => void warnings.push(message) },
    });
    const emit = async (name: string, event: object = {}) =>
      JSON.stringify((await handlers.get(name)?.(event as never, context)) ?? "");
    const call = async ({ name, input }: ToolCall, id: number) =>
      JSON.stringify(await tools.find((each) => each.name === name)?.execute(`c${id}`, input));
    const timed = await callAll(calls, call);
    const messages: { role: string; content: object[] }[] = [];
    const say = (role: string, text: string) => messages.push({ role, content: [{ type: "text", text }] });
    const shown: string[] = [];
    for (const [index, { user, agent, write, isCompacted }] of turns.entries()) {
      if (isCompacted) {
        await emit("before_compaction", { messages: structuredClone(messages) });
        await emit("after_compaction", {});
      }
      say("user", user);
      shown.push(await emit("before_prompt_build", { prompt: user, messages: structuredClone(messages) }));
      if (write) await call(write, 1_000 + index);
      say("assistant", agent);
    }
    if (calls.length + turns.length === 0)
      shown.push(await emit("before_prompt_build", { prompt: "", messages: [] }));
    await swept();
    await emit("gateway_stop");
    return { tools: tools.map(({ name }) => name), ...timed, shown: [...shown, ...warnings] };
  },

  async commands({ commands }) {
    for (const args of commands) await main(args).catch((error: Error) => console.error(error.message));
    return {};
  },
};

/** Makes the calls one after another; a refusal is an answer. */
async function callAll(
  calls: readonly ToolCall[],
  make: (call: ToolCall, index: number) => Promise<string>,
): Promise<Required<Pick<Given, "answers" | "took">>> {
  const timed = { answers: [] as string[], took: [] as number[] };
  for (const [index, call] of calls.entries()) {
    const begun = performance.now();
    timed.answers.push(await make(call, index).catch((error: Error) => error.message));
    timed.took.push(performance.now() - begun);
  }
  return timed;
}

async function compactPi(pi: FakePi): Promise<void> {
  const kept = pi.leaf;
  const [made] = await pi.beforeCompact(kept);
  await pi.compacted(made ?? { summary: "pi's own", firstKeptEntryId: kept }, made !== undefined);
}

async function withInput<T>(work: (stdin: PassThrough) => Promise<T>): Promise<T> {
  const { stdin } = process;
  const input = new PassThrough();
  Object.defineProperty(process, "stdin", { value: input, configurable: true });
  try {
    return await work(input);
  } finally {
    Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  }
}

/** Captures stdout and stderr until released. */
function captureOutput() {
  const texts = { stdout: "", stderr: "" };
  const checks = new Set<() => void>();
  const releases = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (piece: string | Uint8Array, ...rest: unknown[]) => {
      texts[name] += typeof piece === "string" ? piece : Buffer.from(piece).toString();
      for (const check of checks) check();
      const done = rest.at(-1);
      if (typeof done === "function") done();
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const until = <T>(find: () => T | undefined) =>
    new Promise<T>((resolve) => {
      const check = () => {
        const found = find();
        if (found === undefined) return;
        checks.delete(check);
        resolve(found);
      };
      checks.add(check);
      check();
    });
  return {
    text: () => texts.stdout,
    errors: () => texts.stderr,
    printed: (pattern: RegExp) => until(() => pattern.exec(texts.stdout) ?? undefined),
    count: (pattern: RegExp, wanted: number) =>
      until(() => ([...texts.stdout.matchAll(pattern)].length >= wanted ? true : undefined)),
    release: () => {
      for (const release of releases) release();
    },
  };
}
