import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openMemory } from "../../index.ts";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../testing/index.ts";
import { findProject } from "../../workspace/project.ts";
import {
  type ClientPlace,
  count,
  installClient,
  makePlace,
  textOf,
  toolNames,
  writeJson,
} from "../test-support/clients.ts";

/** The last version under pi's first package name, and the newest installable one under its second. */
const versions = [
  { spec: "@mariozechner/pi-coding-agent@0.73.1", args: [], lastEvent: "agent_end" },
  { spec: "@earendil-works/pi-coding-agent@0.87.1", args: ["--approve"], lastEvent: "agent_settled" },
];

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

type PiEvent = Record<string, unknown> & { type: string };

/** The real pi, driven over its line protocol. */
function startPi(cli: string, args: readonly string[], { root, env }: ClientPlace, lastEvent: string) {
  const words = [cli, "--mode", "rpc", "--provider", "scripted", "--model", "scripted", ...args];
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
      const answered = next(({ type }) => type === lastEvent);
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
function script(request: ScriptedRequest): ScriptedAnswer {
  const text = textOf({ ...request, messages: request.messages.slice(-1) });
  if (!request.tools?.length)
    return { text: "The user asked for the invoices of March. The ledger was noted." };
  const note = /^(?:remember|jot down): (.*)$/m.exec(text)?.[1];
  if (request.messages.at(-1)?.role === "user" && note !== undefined)
    return { toolCalls: [{ name: "session_scratchpad", input: { mode: "append", content: note } }] };
  return { text: "Done." };
}

async function startEverything({ spec, args, lastEvent }: (typeof versions)[number], compaction: object) {
  const folder = installClient(spec);
  const name = spec.slice(0, spec.lastIndexOf("@"));
  const place = makePlace("pi");
  const server = await startScriptedServer(script);
  stops.push(server.close);
  const model = { id: "scripted", contextWindow: 40_000, maxTokens: 2_000 };
  const provider = { baseUrl: server.url, api: "openai-completions", apiKey: "none", models: [model] };
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
  const start = (more: readonly string[] = []) =>
    startPi(join(folder, "node_modules", name, "dist/cli.js"), [...args, ...more], place, lastEvent);
  return { place, server, start };
}

const limit = { timeout: 120_000 };

for (const version of versions) {
  test(`${version.spec}: a note survives a compaction and is not repeated`, limit, async () => {
    const { place, server, start } = await startEverything(version, {
      keepRecentTokens: 50,
      reserveTokens: 2_000,
    });
    const pi = start();
    // Not "remember", which makes it a rule of the user's that is kept word for word in addition to the note.
    await pi.ask(`jot down: the ledger is cedar-4711\n${"pad ".repeat(400)}`);
    await pi.ask(`Where are the invoices of March? ${"more ".repeat(400)}`);
    const before = server.requests.at(-1);
    assert.ok(toolNames(before).includes("session_scratchpad"), toolNames(before).join());
    assert.equal(count(textOf(before), "[Session Scratchpad]"), 1);
    const asked = server.requests.length;

    const { summary } = await pi.command("compact");
    assert.match(String(summary), /invoices of March[\s\S]*\[Handoff[\s\S]*\[End of handoff\]/);
    await pi.ask("Go on.");
    const [summariser, ...calls] = server.requests.slice(asked);
    assert.equal(toolNames(summariser).length, 0);
    const first = textOf(calls[0]);
    assert.match(first, /\[Session Scratchpad\]\nthe ledger is cedar-4711\n\[End Scratchpad\]/);
    assert.equal(count(first, "[Session Scratchpad]"), 1);
    assert.match(first, /\[Receipt: /);
    assert.ok(first.split("pad ").length < 400, "the long message is cut in the handoff, and nowhere else");

    await pi.ask("And on.");
    const shown = count(textOf(server.requests.at(-1)), "[Session Scratchpad]\nthe ledger is cedar-4711");
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

  test(
    `${version.spec}: going back in the tree, and a restart, restore the branch's memory`,
    limit,
    async () => {
      const { server, start } = await startEverything(version, {});
      const pi = start();
      await pi.ask("remember: plan A");
      await pi.ask("remember: plan B");
      assert.match(textOf(server.requests.at(-1)), /plan B/);
      // pi answers a command when it is done, and starts no turn.
      await pi.command("prompt", { message: "/back" });
      await pi.ask("remember: plan C");
      await pi.stop();
      const again = start(["--continue"]);
      await again.ask("Where were we?");
      assert.match(
        textOf(server.requests.at(-1)),
        /\[Session Scratchpad\]\nplan A\nplan C\n\[End Scratchpad\]/,
      );
      assert.doesNotMatch(textOf(server.requests.at(-1)), /plan B/);
      await again.stop();
    },
  );

  test(
    `${version.spec}: pi compacts automatically when the window is full, after one warning`,
    limit,
    async () => {
      const { server, start } = await startEverything(version, {
        keepRecentTokens: 500,
        reserveTokens: 30_000,
      });
      const pi = start();
      await pi.ask(`remember: the ledger is cedar-4711\n${"pad ".repeat(4_000)}`);
      await pi.ask(`More.\n${"pad ".repeat(16_000)}`);
      await pi.ask("Go on.");
      // pi may end the turn before once more, after its compaction.
      const asked = () =>
        server.requests.map((request) => textOf(request)).findLast((text) => text.includes("Go on."));
      while (asked() === undefined) await setTimeout(50);
      const last = asked() ?? "";
      assert.match(last, /\[Receipt: [\s\S]*Go on\./);
      assert.match(last, /\[Session Scratchpad\]\nthe ledger is cedar-4711/);
      assert.equal(
        server.requests.filter((request) => /approaching the token limit/.test(textOf(request))).length,
        1,
      );
      await pi.stop();
    },
  );
}
