import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../testing/index.ts";
import { findProject } from "../../workspace/project.ts";
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

/** Writes "remember: …" to the scratchpad. */
function script(request: ScriptedRequest): ScriptedAnswer {
  const last = request.messages.at(-1)?.role === "tool" ? "" : lastPrompt(request);
  const note = /remember: ([\w -]+)/.exec(last)?.[1];
  const asked = request.messages.findLastIndex(
    ({ role, content }) => role === "user" && /remember: /.test(JSON.stringify(content)),
  );
  const hasNoted = request.messages.slice(asked).some(({ tool_calls }) => tool_calls?.length);
  if (note !== undefined && !hasNoted && toolNames(request).includes("session_scratchpad"))
    return { toolCalls: [{ name: "session_scratchpad", input: { action: "set_notes", content: note } }] };
  return { text: "Done.", usage: { input: 1_000, output: 5 } };
}

/** The user's newest message; OpenClaw adds a message of its own after it. */
function lastPrompt({ messages }: ScriptedRequest): string {
  const isOwn = (content: unknown) => JSON.stringify(content).includes("OPENCLAW_INTERNAL_CONTEXT");
  const last = messages.findLast(({ role, content }) => role === "user" && !isOwn(content));
  return textOf({ messages: last ? [last] : [] } as ScriptedRequest);
}

const systemOf = ({ messages }: ScriptedRequest) =>
  textOf({
    messages: messages.filter(({ role }) => role === "system" || role === "developer"),
  } as ScriptedRequest);

async function startEverything() {
  const place = makePlace("openclaw");
  const server = await startScriptedServer(script);
  stops.push(server.close);
  const load = { paths: [await buildPackage()] };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const window = { contextWindow: 60_000, maxTokens: 2_000 };
  const model = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost, ...window };
  const provider = { baseUrl: server.url, apiKey: "none", api: "openai-completions", models: [model] };
  const configure = (config: object) =>
    writeJson(join(place.home, ".openclaw/openclaw.json"), {
      agents: {
        defaults: { workspace: place.root, skipBootstrap: true, model: { primary: "local/scripted" } },
      },
      models: { mode: "merge", providers: { local: provider } },
      plugins: {
        load,
        entries: { holdfast: { enabled: true, hooks: { allowConversationAccess: true }, config } },
      },
    });
  configure({});
  const program = join(installClient(spec), "node_modules/openclaw/openclaw.mjs");
  /** One turn; its first request. */
  const say = async (message: string): Promise<ScriptedRequest> => {
    const words = ["agent", "--local", "--agent", "main", "--session-key", "agent:main:test", "-m", message];
    const before = server.requests.length;
    await run(process.execPath, [program, ...words], place);
    const first = server.requests[before];
    assert.ok(first, "the model was asked");
    return first;
  };
  return { place, configure, say };
}

const limit = { timeout: 600_000 };

test(
  `${spec}: the scratchpad is offered, shown in later turns, and kept in OpenClaw's own entries`,
  limit,
  async () => {
    const { place, configure, say } = await startEverything();
    const first = await say("remember: cedar-4711");
    assert.ok(toolNames(first).includes("session_scratchpad"), toolNames(first).join());
    assert.ok(!toolNames(first).includes("write_notepad"));
    const next = textOf(await say("Go on."));
    assert.match(next, /\[Session Scratchpad\]\ncedar-4711\n\[End Scratchpad\]/);
    assert.equal(count(next, "[Session Scratchpad]"), 1, "one scratchpad only");

    rmSync(findProject(place.root).directory, { recursive: true });
    assert.match(
      textOf(await say("And on.")),
      /\[Session Scratchpad\]\ncedar-4711\n/,
      "from OpenClaw's entries",
    );

    configure({ scratchpad: { enabled: false } });
    const without = await say("Without.");
    assert.ok(!toolNames(without).includes("session_scratchpad"));
    assert.doesNotMatch(textOf(without), /\[Session Scratchpad\]/);
  },
);

test(`${spec}: placement "system" and "message" show the current memory in each prompt`, limit, async () => {
  const { configure, say } = await startEverything();
  for (const placement of ["system", "message"]) {
    configure({ placement });
    await say(`remember: ${placement} one`);
    for (const prompt of ["Go on.", `remember: ${placement} two`, "And on."]) {
      const request = await say(prompt);
      const holder = placement === "system" ? systemOf(request) : lastPrompt(request);
      const note = prompt === "And on." ? "two" : "one";
      assert.match(holder, new RegExp(`\\[Session Scratchpad\\]\n${placement} ${note}\n`), prompt);
      assert.equal(count(textOf(request), "[Session Scratchpad]"), 1, prompt);
    }
  }
});
