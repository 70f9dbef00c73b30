import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ClientRequest, startScriptedModel } from "../doctor/scripted-model.ts";
import { type ClientPlace, count, installClient, makePlace, writeJson } from "../test-support/clients.ts";

const spec = "@earendil-works/pi-coding-agent@0.87.1";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

type PiEvent = Record<string, unknown> & { type: string };

/** The real pi, driven over its line protocol. */
function startPi({ root, env }: ClientPlace, args: readonly string[]) {
  const cli = join(installClient(spec), "node_modules/@earendil-works/pi-coding-agent/dist/cli.js");
  const options = ["--approve", "--provider", "scripted", "--model", "scripted"];
  const words = [cli, "--mode", "rpc", ...options, ...args];
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = () => {
    child.stdin.end();
    child.kill();
    return ended;
  };
  stops.push(stop);
  const waiting: { matches: (event: PiEvent) => boolean; resolve: (event: PiEvent) => void }[] = [];
  let [line, errors] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (line + text).split("\n");
    line = lines.pop() ?? "";
    for (const event of lines
      .filter((part) => part.startsWith("{"))
      .map((part) => JSON.parse(part) as PiEvent)) {
      const found = waiting.findIndex(({ matches }) => matches(event));
      if (found >= 0) waiting.splice(found, 1)[0]?.resolve(event);
    }
  });
  const next = (matches: (event: PiEvent) => boolean) =>
    new Promise<PiEvent>((resolve, reject) => {
      waiting.push({ matches, resolve });
      void ended.then(() => reject(new Error(`pi ended: ${errors}`)));
    });
  const send = (command: object) => void child.stdin.write(`${JSON.stringify(command)}\n`);
  return {
    stop,
    errors: () => errors,
    async ask(message: string): Promise<void> {
      const answered = next(({ type }) => type === "agent_settled");
      await this.command("prompt", { message });
      await answered;
    },
    async command(type: string, fields: object = {}): Promise<Record<string, unknown>> {
      const answered = next((event) => event.type === "response" && event.command === type);
      send({ type, ...fields });
      const { success, data, error } = await answered;
      assert.equal(success, true, String(error));
      return (data ?? {}) as Record<string, unknown>;
    },
  };
}

/** Appends "remember: …" to the scratchpad, and answers summary requests. */
function script({ last, isResult, tools }: ClientRequest): ClientAnswer {
  if (tools.length === 0) return { text: "The user asked for the invoices of March. The ledger was noted." };
  const content = /^(?:remember|jot down): (.*)$/m.exec(last)?.[1];
  return isResult || content === undefined
    ? { text: "Done." }
    : { call: { tool: "session_scratchpad", input: { mode: "append", content } } };
}

async function startEverything(compaction: object) {
  const place = makePlace("pi");
  const server = await startScriptedModel(script);
  stops.push(server.close);
  const model = { id: "scripted", contextWindow: 40_000, maxTokens: 2_000 };
  const baseUrl = `${server.url}/v1`;
  const provider = { baseUrl, api: "openai-completions", apiKey: "none", models: [model] };
  writeJson(join(place.home, ".pi/agent/models.json"), { providers: { scripted: provider } });
  writeJson(join(place.home, ".pi/agent/settings.json"), { compaction });
  // A test command that moves in the tree, as a user does.
  const back = `export default (pi) => pi.registerCommand("back", {
    handler: async (_args, ctx) => {
      const entry = ctx.sessionManager.getBranch().findLast(({ message }) => JSON.stringify(message ?? "").includes("remember: plan B"));
      await ctx.navigateTree(entry.parentId, { summarize: false });
    },
  });`;
  writeFileSync(join(place.root, ".pi/extensions/back.js"), back);
  const start = (args: readonly string[] = []) => startPi(place, args);
  return { place, server, start };
}

const limit = { timeout: 120_000 };

test(`${spec}: a note survives a compaction and is not repeated`, limit, async () => {
  const { place, server, start } = await startEverything({
    keepRecentTokens: 50,
    reserveTokens: 2_000,
  });
  const pi = start();
  // Not "remember", which makes it a rule of the user's that is kept word for word in addition to the note.
  await pi.ask(`jot down: the ledger is cedar-4711\n${"pad ".repeat(400)}`);
  await pi.ask(`Where are the invoices of March? ${"more ".repeat(400)}`);
  const { tools = [], text = "" } = server.requests.at(-1) ?? {};
  assert.ok(tools.includes("session_scratchpad"), tools.join());
  assert.equal(count(text, "[Session Scratchpad]"), 1);
  const asked = server.requests.length;

  const { summary } = await pi.command("compact");
  assert.match(String(summary), /invoices of March[\s\S]*\[Handoff[\s\S]*\[End of handoff\]/);
  await pi.ask("Go on.");
  const [summariser, ...calls] = server.requests.slice(asked);
  assert.deepEqual(summariser?.tools, []);
  const first = calls[0]?.text ?? "";
  assert.match(first, /\[Session Scratchpad\]\nthe ledger is cedar-4711\n\[End Scratchpad\]/);
  assert.equal(count(first, "[Session Scratchpad]"), 1);
  assert.match(first, /\[Receipt: /);
  assert.ok(first.split("pad ").length < 400, "the long message is cut in the handoff, and nowhere else");

  await pi.ask("And on.");
  const shown = count(server.requests.at(-1)?.text ?? "", "[Session Scratchpad]\nthe ledger is cedar-4711");
  assert.equal(shown, 1, "once only");
  assert.equal(pi.errors(), "");
  await pi.stop();

  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  const [session] = await memory.listSessions();
  const receipts = await (await memory.resumeSession(session?.id ?? "")).receipts();
  assert.deepEqual(
    receipts.map(({ trigger }) => trigger),
    ["host"],
  );
  await memory.close();
});

test(`${spec}: going back in the tree, and a restart, restore the branch's memory`, limit, async () => {
  const { server, start } = await startEverything({});
  const pi = start();
  await pi.ask("remember: plan A");
  await pi.ask("remember: plan B");
  assert.match(server.requests.at(-1)?.text ?? "", /plan B/);
  // pi answers a command when it is done, and starts no turn.
  await pi.command("prompt", { message: "/back" });
  await pi.ask("remember: plan C");
  await pi.stop();
  const again = start(["--continue"]);
  await again.ask("Where were we?");
  assert.match(
    server.requests.at(-1)?.text ?? "",
    /\[Session Scratchpad\]\nplan A\nplan C\n\[End Scratchpad\]/,
  );
  assert.doesNotMatch(server.requests.at(-1)?.text ?? "", /plan B/);
  await again.stop();
});

test(`${spec}: pi compacts automatically when the window is full, after one warning`, limit, async () => {
  const { server, start } = await startEverything({
    keepRecentTokens: 500,
    reserveTokens: 30_000,
  });
  const pi = start();
  await pi.ask(`remember: the ledger is cedar-4711\n${"pad ".repeat(4_000)}`);
  await pi.ask(`More.\n${"pad ".repeat(16_000)}`);
  await pi.ask("Go on.");
  // pi may end the turn before once more, after its compaction.
  const asked = () => server.requests.map(({ text }) => text).findLast((text) => text.includes("Go on."));
  while (asked() === undefined) await setTimeout(50);
  const last = asked() ?? "";
  assert.match(last, /\[Receipt: [\s\S]*Go on\./);
  assert.match(last, /\[Session Scratchpad\]\nthe ledger is cedar-4711/);
  assert.equal(server.requests.filter(({ text }) => /approaching the token limit/.test(text)).length, 1);
  await pi.stop();
});
