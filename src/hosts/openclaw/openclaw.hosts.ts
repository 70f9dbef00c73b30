import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../testing/index.ts";
import {
  count,
  installClient,
  makePlace,
  run,
  textOf,
  toolNames,
  writeJson,
} from "../test-support/clients.ts";
import { buildPackage } from "./test-support/build-package.ts";

const spec = "openclaw@2026.9.6";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

function script(request: ScriptedRequest): ScriptedAnswer {
  const last = request.messages.at(-1);
  const text = textOf(request);
  const hasNoted = request.messages.some(({ tool_calls }) => tool_calls?.length);
  if (
    toolNames(request).includes("write_notepad") &&
    last?.role === "user" &&
    /remember: /.test(text) &&
    !hasNoted
  )
    return { toolCalls: [{ name: "write_notepad", input: { content: "the ledger is cedar-4711" } }] };
  return { text: "Done.", usage: { input: 1_000, output: 5 } };
}

test(`${spec}: the tools are listed, and a note is in the prompts of later turns`, {
  timeout: 400_000,
}, async () => {
  const place = makePlace("openclaw");
  const server = await startScriptedServer(script);
  stops.push(server.close);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const window = { contextWindow: 60_000, maxTokens: 2_000 };
  const model = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost, ...window };
  const provider = { baseUrl: server.url, apiKey: "none", api: "openai-completions", models: [model] };
  writeJson(join(place.home, ".openclaw/openclaw.json"), {
    agents: {
      defaults: { workspace: place.root, skipBootstrap: true, model: { primary: "local/scripted" } },
    },
    models: { mode: "merge", providers: { local: provider } },
    plugins: {
      load: { paths: [await buildPackage()] },
      entries: { holdfast: { enabled: true, hooks: { allowConversationAccess: true } } },
    },
  });
  const program = join(installClient(spec), "node_modules/openclaw/openclaw.mjs");
  const say = (message: string) => {
    const words = ["agent", "--local", "--agent", "main", "--session-key", "agent:main:test", "-m", message];
    return run(process.execPath, [program, ...words], place);
  };
  await say("remember: the ledger");
  const [first] = server.requests;
  assert.ok(toolNames(first).includes("write_notepad"), toolNames(first).join());
  assert.match(textOf(first), /## Session Notepad\n\(use write_notepad or update_notepad/);
  const asked = server.requests.length;
  await say("Go on.");
  const next = textOf(server.requests[asked]);
  assert.match(next, /## Session Notepad\nthe ledger is cedar-4711\n\[End of notepad\]/);
  assert.equal(count(next, "## Session Notepad"), 1, "one notepad only");
});
