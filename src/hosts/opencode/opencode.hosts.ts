import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ClientRequest, startScriptedModel } from "../doctor/scripted-model.ts";
import { readHookState } from "../hook/state.ts";
import { type ClientPlace, count, installClient, makePlace, writeJson } from "../test-support/clients.ts";

const spec = "opencode-ai@1.18.33";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Writes "remember: …" to the notepad; fills its window on "read it all". */
function script({ text, last, isResult, tools }: ClientRequest): ClientAnswer {
  if (tools.length === 0)
    return { text: /title generator/.test(text) ? "Invoices" : "The user asked for the invoices of March." };
  const content = /remember: (.*)$/m.exec(last)?.[1];
  if (!isResult && content !== undefined)
    return { call: { tool: "holdfast_write_notepad", input: { content } } };
  return !isResult && last.includes("read it all")
    ? { text: "Read.", tokens: 39_000 }
    : { text: "Done.", tokens: 1_000 };
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
        options: { baseURL: `${modelUrl}/v1`, apiKey: "none" },
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
  const model = await startScriptedModel(script);
  stops.push(model.close);
  const place = makePlace("opencode");
  return { model, place, opencode: await startOpencode(place, model.url) };
}

const limit = { timeout: 180_000 };

test(`${spec}: a note survives a compaction and is not repeated`, limit, async () => {
  const { model, opencode } = await startEverything();
  const id = await opencode.newSession();
  await opencode.ask(id, `remember: the ledger is cedar-4711\n\n${"pad ".repeat(3_000)}`);
  await opencode.ask(id, "Where are the invoices of March?");
  const { tools = [], text = "" } = model.requests.at(-1) ?? {};
  assert.ok(tools.includes("holdfast_write_notepad"), tools.join());
  assert.equal(count(text, "## Session Notepad"), 1);
  const titles = model.requests.filter((request) => /title generator/.test(request.text));
  assert.ok(titles.length > 0);
  for (const title of titles) assert.doesNotMatch(title.text, /## Session Notepad/);
  const asked = model.requests.length;

  await opencode.compact(id);
  await opencode.ask(id, "Go on.");
  const [summariser, ...calls] = model.requests.slice(asked);
  assert.match(summariser?.text ?? "", /are kept outside the conversation/);
  assert.doesNotMatch(summariser?.text ?? "", /## Session Notepad/);
  const first = calls[0]?.text ?? "";
  assert.match(
    first,
    /## Session Notepad\nthe ledger is cedar-4711\n\[End of notepad\][\s\S]*\[Handoff[\s\S]*\[Receipt: /,
  );
  assert.ok(first.split("pad ").length < 1_000, "the long message is cut in the handoff, and nowhere else");

  await opencode.ask(id, "And on.");
  const last = model.requests.at(-1)?.text ?? "";
  assert.equal(count(last, "## Session Notepad"), 1);
  assert.equal(count(last, "[Receipt: "), 1, "one receipt only");
});

test(`${spec}: the automatic turn after a full window has the memory`, limit, async () => {
  const { model, opencode } = await startEverything();
  const id = await opencode.newSession();
  await opencode.ask(id, `remember: the ledger is cedar-4711\n\n${"pad ".repeat(3_000)}`);
  await opencode.ask(id, "read it all");
  await opencode.ask(id, "Go on.");
  const compacted = model.requests.findIndex(({ text }) => /are kept outside the conversation/.test(text));
  assert.ok(compacted > 0, "opencode compacted automatically");
  const next = model.requests.slice(compacted + 1).find(({ tools }) => tools.length > 0);
  assert.match(next?.text ?? "", /## Session Notepad\nthe ledger is cedar-4711/);
});

test(`${spec}: each of two sessions writes to its own memory`, limit, async () => {
  const { model, opencode } = await startEverything();
  const [a, b] = [await opencode.newSession(), await opencode.newSession()];
  await opencode.ask(a, "remember: only in A");
  await opencode.ask(b, "remember: only in B");
  await opencode.compact(a);
  await opencode.ask(a, "Go on.");
  const last = model.requests.at(-1)?.text ?? "";
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
