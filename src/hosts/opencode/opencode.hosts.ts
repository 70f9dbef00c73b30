import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../testing/index.ts";
import { findProject } from "../../workspace/project.ts";
import { readHookState } from "../hook/state.ts";
import {
  type ClientPlace,
  count,
  installClient,
  makePlace,
  textOf,
  toolNames,
  writeJson,
} from "../test-support/clients.ts";

const spec = "opencode-ai@1.18.33";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Writes "remember: …" to the notepad; fills its window on "read it all". */
function script(request: ScriptedRequest): ScriptedAnswer {
  const last = request.messages.at(-1);
  const text = textOf({ ...request, messages: request.messages.slice(-1) });
  if (!request.tools?.length)
    return {
      text: /title generator/.test(textOf(request))
        ? "Invoices"
        : "The user asked for the invoices of March.",
    };
  const note = /remember: (.*)$/m.exec(text)?.[1];
  if (last?.role === "user" && note !== undefined)
    return { toolCalls: [{ name: "holdfast_write_notepad", input: { content: note } }] };
  if (last?.role === "user" && text.includes("read it all"))
    return { text: "Read.", usage: { input: 39_000, output: 5 } };
  return { text: "Done.", usage: { input: 1_000, output: 5 } };
}

/** The real opencode, driven over HTTP. */
async function startOpencode({ root, home, env }: ClientPlace, modelUrl: string) {
  const model = { name: "scripted", tool_call: true, limit: { context: 40_000, output: 2_000 } };
  writeJson(join(home, ".config/opencode/opencode.json"), {
    autoupdate: false,
    share: "disabled",
    permission: "allow",
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: modelUrl, apiKey: "none" },
        models: { scripted: model },
      },
    },
  });
  const program = join(installClient(spec), "node_modules/opencode-ai/bin/opencode.exe");
  const child = spawn(program, ["serve", "--port", "0", "--hostname", "127.0.0.1"], {
    cwd: root,
    env: { ...env, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  stops.push(() => {
    child.kill();
    return ended;
  });
  const base = await new Promise<string>((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const url = /listening on (http:\S+)/.exec(output)?.[1];
        if (url) resolve(url);
      });
    void ended.then(() => reject(new Error(`opencode ended: ${output}`)));
  });
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  };
  const chosen = { providerID: "scripted", modelID: "scripted" };
  return {
    newSession: async () => ((await post("/session", {})) as { id: string }).id,
    ask: (id: string, text: string) =>
      post(`/session/${id}/message`, { model: chosen, parts: [{ type: "text", text }] }),
    compact: (id: string) => post(`/session/${id}/summarize`, chosen),
    remove: (id: string) => fetch(`${base}/session/${id}`, { method: "DELETE" }),
    dispose: () => post("/instance/dispose", {}),
  };
}

async function startEverything() {
  const server = await startScriptedServer(script);
  stops.push(server.close);
  const place = makePlace("opencode");
  return { server, place, opencode: await startOpencode(place, server.url) };
}

const limit = { timeout: 180_000 };

test(`${spec}: a note survives a compaction and is not repeated`, limit, async () => {
  const { server, opencode } = await startEverything();
  const id = await opencode.newSession();
  await opencode.ask(id, `remember: the ledger is cedar-4711\n\n${"pad ".repeat(3_000)}`);
  await opencode.ask(id, "Where are the invoices of March?");
  const before = server.requests.at(-1);
  assert.ok(toolNames(before).includes("holdfast_write_notepad"), toolNames(before).join());
  assert.equal(count(textOf(before), "## Session Notepad"), 1);
  const titles = server.requests.filter((request) => /title generator/.test(textOf(request)));
  assert.ok(titles.length > 0);
  for (const request of titles) assert.doesNotMatch(textOf(request), /## Session Notepad/);
  const asked = server.requests.length;

  await opencode.compact(id);
  await opencode.ask(id, "Go on.");
  const [summariser, ...calls] = server.requests.slice(asked);
  assert.match(textOf(summariser), /are kept outside the conversation/);
  assert.doesNotMatch(textOf(summariser), /## Session Notepad/);
  const first = textOf(calls[0]);
  assert.match(
    first,
    /## Session Notepad\nthe ledger is cedar-4711\n\[End of notepad\][\s\S]*\[Handoff[\s\S]*\[Receipt: /,
  );
  assert.ok(first.split("pad ").length < 1_000, "the long message is cut in the handoff, and nowhere else");

  await opencode.ask(id, "And on.");
  const last = textOf(server.requests.at(-1));
  assert.equal(count(last, "## Session Notepad"), 1);
  assert.equal(count(last, "[Receipt: "), 1, "one receipt only");
});

test(`${spec}: the automatic turn after a full window has the memory`, limit, async () => {
  const { server, opencode } = await startEverything();
  const id = await opencode.newSession();
  await opencode.ask(id, `remember: the ledger is cedar-4711\n\n${"pad ".repeat(3_000)}`);
  await opencode.ask(id, "read it all");
  await opencode.ask(id, "Go on.");
  const compacted = server.requests.findIndex((request) =>
    /are kept outside the conversation/.test(textOf(request)),
  );
  assert.ok(compacted > 0, "opencode compacted automatically");
  const next = server.requests.slice(compacted + 1).find((request) => toolNames(request).length > 0);
  assert.match(textOf(next), /## Session Notepad\nthe ledger is cedar-4711/);
});

test(`${spec}: each of two sessions writes to its own memory`, limit, async () => {
  const { server, opencode } = await startEverything();
  const [a, b] = [await opencode.newSession(), await opencode.newSession()];
  await opencode.ask(a, "remember: only in A");
  await opencode.ask(b, "remember: only in B");
  await opencode.compact(a);
  await opencode.ask(a, "Go on.");
  const last = textOf(server.requests.at(-1));
  assert.match(last, /## Session Notepad\nonly in A\n/);
  assert.doesNotMatch(last, /only in B/);
});

test(
  `${spec}: a deleted session has ended, and so has every session of a closed instance`,
  limit,
  async () => {
    const { place, opencode } = await startEverything();
    const [a, b] = [await opencode.newSession(), await opencode.newSession()];
    await opencode.ask(a, "remember: only in A");
    await opencode.ask(b, "remember: only in B");
    const hasEnded = (id: string) =>
      readHookState(findProject(place.root).directory, "opencode", id)?.last?.kind === "end";
    await opencode.remove(a);
    while (!hasEnded(a)) await setTimeout(100);
    assert.equal(hasEnded(b), false);
    await opencode.dispose();
    while (!hasEnded(b)) await setTimeout(100);
  },
);
