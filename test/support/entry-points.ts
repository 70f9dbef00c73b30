import { PassThrough } from "node:stream";
import { main } from "../../src/cli/main.ts";
import { openScratchSession } from "../../src/hosts/doctor/scratch-session.ts";
import type { OpenClawContext } from "../../src/hosts/openclaw/api.ts";
import openClawPlugin from "../../src/hosts/openclaw/index.ts";
import piExtension from "../../src/hosts/pi/index.ts";
import { FakePi, shownIn } from "../../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory } from "../../src/index.ts";
import { findProject } from "../../src/workspace/project.ts";

/** A configuration to check through every entry point, in one long-lived process. */
export interface EntryRequest {
  cwd: string;
  variables: Record<string, string>;
  flags: string[];
  /** A session that exists only in the expected store, by its name in each host. */
  session: string;
  /** The store that doctor must write to, opened directly instead of located. */
  expected: string;
}

/** The text of each entry point about the session. "" when it takes no flags but the request has some. */
export type EntryAnswer = Record<"mcp" | "serve" | "pi" | "openclaw" | "doctor" | "warnings", string>;

const initial = { ...process.env };
// Each `holdfast mcp` adds signal and stdout listeners, and many run in this process.
process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
let warnings: string[] = [];
console.warn = (warning: string) => void warnings.push(warning);

process.on("message", (request: EntryRequest) => {
  void answer(request).then(
    (shown) => process.send?.({ shown }),
    (error: Error) => process.send?.({ error: error.stack }),
  );
});

async function answer(request: EntryRequest): Promise<EntryAnswer> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, initial, request.variables);
  process.chdir(request.cwd);
  warnings = [];
  const hasNoFlags = request.flags.length === 0;
  return {
    mcp: await readThroughMcp(request),
    serve: await listThroughServer(request),
    pi: hasNoFlags ? await readInPi(request) : "",
    openclaw: hasNoFlags ? await readInOpenClaw(request) : "",
    doctor: hasNoFlags ? await writeAsDoctor(request) : "",
    warnings: warnings.join("\n"),
  };
}

async function readThroughMcp({ flags, session }: EntryRequest): Promise<string> {
  const output = captureOutput();
  const { stdin } = process;
  const input = new PassThrough();
  Object.defineProperty(process, "stdin", { value: input, configurable: true });
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const call = { name: "read_notepad", arguments: {} };
  for (const message of [
    { id: 1, method: "initialize", params },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: call },
  ])
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  try {
    const running = main(["mcp", "--session", session, ...flags]);
    await Promise.race([output.printed(/"id":2/), running]);
    input.end();
    await running;
  } finally {
    output.release();
    Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  }
  return output.text();
}

async function listThroughServer({ flags }: EntryRequest): Promise<string> {
  const output = captureOutput();
  const running = main(["serve", "--no-open", "--port", "0", ...flags]);
  try {
    const invitation = output.printed(/(http:\S+)\?token=(\S+)/);
    const ended = running.then((code) =>
      Promise.reject(new Error(`serve ended with ${code}: ${output.text()}`)),
    );
    const [, url = "", token = ""] = await Promise.race([invitation, ended]);
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(new URL("/api/sessions?status=all", url), { headers });
    ended.catch(() => {});
    return `${output.text()}\n${await response.text()}`;
  } finally {
    process.emit("SIGTERM");
    await running;
    output.release();
  }
}

async function readInPi({ cwd, session }: EntryRequest): Promise<string> {
  const pi = new FakePi({ cwd, id: session });
  await piExtension(pi);
  await pi.emit("session_start", { reason: "startup" });
  pi.say("user", "Go on.");
  const shown = shownIn(await pi.modelCall());
  await pi.emit("session_shutdown");
  return shown + pi.notices.join("\n");
}

async function readInOpenClaw({ cwd, session }: EntryRequest): Promise<string> {
  const handlers = new Map<string, (event: never, context: OpenClawContext) => unknown>();
  const refusals: string[] = [];
  openClawPlugin.register({
    on: (name, handler) => void handlers.set(name, handler),
    registerTool: () => {},
    logger: { warn: (message) => void refusals.push(message) },
  });
  const context = { sessionKey: session, sessionId: session, workspaceDir: cwd };
  const event = { prompt: "", messages: [] } as never;
  const added = await handlers.get("before_prompt_build")?.(event, context);
  await handlers.get("gateway_stop")?.(event, context);
  return JSON.stringify(added) + refusals.join("\n");
}

/** Lets doctor write its canary, then looks for it in the expected store. */
async function writeAsDoctor({ cwd, expected }: EntryRequest): Promise<string> {
  const scratch = await openScratchSession("claude-code", findProject(cwd));
  const memory = await openMemory({ store: expected });
  try {
    const found = await memory.findSession(`claude-code.${scratch.hostSession}`);
    const notepad = (await found?.notepad.read()) ?? "";
    return notepad.includes(scratch.canary) ? "the canary is there" : "the canary is elsewhere";
  } finally {
    await memory.close();
    await scratch.close();
  }
}

/** Captures stdout until released. */
function captureOutput() {
  const { write } = process.stdout;
  let text = "";
  let check = () => {};
  process.stdout.write = (piece: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof piece === "string" ? piece : Buffer.from(piece).toString();
    check();
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  return {
    text: () => text,
    printed: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        check = () => {
          const found = pattern.exec(text);
          if (found) resolve(found);
        };
        check();
      }),
    release: () => {
      process.stdout.write = write;
    },
  };
}
