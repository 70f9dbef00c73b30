import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { objectIn, objectsIn, parseObject } from "../../engine/json.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, type ClientRequest, startScriptedModel } from "../doctor/scripted-model.ts";
import { count, installClient, makePlace, run, writeJson } from "../test-support/clients.ts";
import { buildPackage } from "./test-support/build-package.ts";

const spec = "openclaw@2026.9.6";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Writes "remember: …" to the scratchpad. */
function script({ last, isResult, tools }: ClientRequest): ClientAnswer {
  const content = /remember: ([\w -]+)/.exec(last)?.[1];
  return !isResult && content !== undefined && tools.includes("session_scratchpad")
    ? { call: { tool: "session_scratchpad", input: { action: "set_notes", content } } }
    : { text: "Done.", tokens: 1_000 };
}

/** The system prompt of a request. */
function systemOf({ body }: ClientRequest): string {
  const system = objectsIn(objectIn(parseObject(body)).messages).filter(
    ({ role }) => role === "system" || role === "developer",
  );
  return system
    .flatMap(({ content }) =>
      typeof content === "string" ? content : objectsIn(content).map(({ text }) => text),
    )
    .join("\n");
}

async function startEverything() {
  const place = makePlace("openclaw");
  const server = await startScriptedModel(script);
  stops.push(server.close);
  const load = { paths: [await buildPackage()] };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const window = { contextWindow: 60_000, maxTokens: 2_000 };
  const model = { id: "scripted", name: "scripted", reasoning: false, input: ["text"], cost, ...window };
  const provider = {
    baseUrl: `${server.url}/v1`,
    apiKey: "none",
    api: "openai-completions",
    models: [model],
  };
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
  const say = async (message: string): Promise<ClientRequest> => {
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
    assert.ok(first.tools.includes("session_scratchpad"), first.tools.join());
    assert.ok(!first.tools.includes("write_notepad"));
    const next = (await say("Go on.")).text;
    assert.match(next, /\[Session Scratchpad\]\ncedar-4711\n\[End Scratchpad\]/);
    assert.equal(count(next, "[Session Scratchpad]"), 1, "one scratchpad only");

    rmSync(findProject(place.root).directory, { recursive: true });
    assert.match(
      (await say("And on.")).text,
      /\[Session Scratchpad\]\ncedar-4711\n/,
      "from OpenClaw's entries",
    );

    configure({ scratchpad: { enabled: false } });
    const without = await say("Without.");
    assert.ok(!without.tools.includes("session_scratchpad"));
    assert.doesNotMatch(without.text, /\[Session Scratchpad\]/);
  },
);

test(`${spec}: placement "system" and "message" show the current memory in each prompt`, limit, async () => {
  const { configure, say } = await startEverything();
  for (const placement of ["system", "message"]) {
    configure({ placement });
    await say(`remember: ${placement} one`);
    for (const prompt of ["Go on.", `remember: ${placement} two`, "And on."]) {
      const request = await say(prompt);
      const holder = placement === "system" ? systemOf(request) : request.last;
      const note = prompt === "And on." ? "two" : "one";
      assert.match(holder, new RegExp(`\\[Session Scratchpad\\]\n${placement} ${note}\n`), prompt);
      assert.equal(count(request.text, "[Session Scratchpad]"), 1, prompt);
    }
  }
});
