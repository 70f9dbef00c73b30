import assert from "node:assert/strict";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { type ClientAnswer, startScriptedModel } from "../doctor/scripted-model.ts";
import { findLink } from "../session-link.ts";
import { builtCommand, count, installClient, makePlace, run } from "../test-support/clients.ts";
import { codex, spec, writeUserConfig } from "./test-support/codex-client.ts";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

test(`${spec}: a note is in the first request after a compaction`, { timeout: 180_000 }, async () => {
  const place = makePlace("codex");
  const model = await startScriptedModel();
  stops.push(model.close);
  mkdirSync(join(place.home, ".codex"));
  const trusted = `[projects.${JSON.stringify(realpathSync(place.root))}]\ntrust_level = "trusted"\n`;
  writeFileSync(join(place.home, ".codex/config.toml"), trusted);
  const program = join(installClient(spec), "node_modules/@openai/codex/bin/codex.js");
  const chosen = [
    "--skip-git-repo-check",
    // A user would review the hooks with /hooks.
    "--dangerously-bypass-hook-trust",
    ...["--config", 'model_provider="scripted"'],
    ...[
      "--config",
      `model_providers.scripted={name="scripted",base_url="${model.url}/v1",wire_api="responses"}`,
    ],
  ];
  const say = (words: string[], more: string[], message: string) =>
    run(process.execPath, [program, ...words, ...chosen, ...more, message], place);

  await say(["exec"], [], "Where is src/ledger.ts?");
  const directory = findProject(place.root).directory;
  const link = findLink({ directory, cwd: place.root }, "codex");
  assert.ok(link, "the hooks recorded the session");
  const memory = await openMemory({ store: join(directory, "memory.db") });
  await (await memory.openSession(link.session)).notepad.append("the ledger is cedar-4711");
  await memory.close();

  const asked = model.requests.length;
  await say(["exec", "resume", "--last"], ["--config", "model_auto_compact_token_limit=1"], "Go on.");
  const [summariser, first = ""] = model.requests.slice(asked).map(({ body }) => body);
  assert.match(summariser ?? "", /CONTEXT CHECKPOINT COMPACTION/);
  assert.match(first, /## Session Notepad\\nthe ledger is cedar-4711/);
  assert.match(first, /\[Handoff[\s\S]*\[Receipt: /);
  assert.equal(count(first, "cedar-4711"), 1, "shown once, although resumed and compacted in one turn");
});

test(`${spec}: the first request waits for a slow server, and goes out without one that does not start [init.codex-wait]`, {
  timeout: 180_000,
}, async () => {
  const model = await startScriptedModel(() => ({ text: "Done." }));
  stops.push(model.close);
  /** The tools of the first request, if the server's command is replaced. */
  const toolsWith = async (replace: () => string) => {
    const place = makePlace("codex");
    writeUserConfig(place, model);
    const config = join(place.root, ".codex/config.toml");
    const written = readFileSync(config, "utf8");
    const changed = written.replace(/^command = .*\nargs = .*$/m, replace);
    assert.notEqual(changed, written);
    writeFileSync(config, changed);
    const asked = model.requests.length;
    const options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"];
    await codex(place, "exec", ...options, "Hello.");
    return (model.requests[asked]?.tools ?? []).filter((name) => name.includes("holdfast"));
  };
  // Longer than Codex waits by default.
  const start = `sleep 2; exec '${process.execPath}' '${builtCommand()}' mcp`;
  const slow = await toolsWith(() => `command = "sh"\nargs = ["-c", ${JSON.stringify(start)}]`);
  assert.ok(slow.length > 0, "the tools of the slow server are offered");
  const none = await toolsWith(() => `command = "false"\nargs = []`);
  assert.deepEqual(none, []);
});

/** Everything is allowed: the tests run where Codex cannot build its sandbox. */
const options = [
  "--skip-git-repo-check",
  "--dangerously-bypass-hook-trust",
  "--dangerously-bypass-approvals-and-sandbox",
];

test(`${spec}: an agent that works in another repository keeps the memory of the project it began in`, {
  timeout: 180_000,
}, async () => {
  const command = (cmd: string) => ({ call: { tool: "exec_command", input: { cmd } } });
  const steps: ClientAnswer[] = [
    command("mkdir nested && cd nested && git init --quiet . && pwd"),
    { call: { tool: "exec_command", input: { cmd: "pwd", workdir: "nested" } } },
    // More than the limit: the next request is the summarizer's.
    { call: { tool: "mcp__holdfast/write_notepad", input: { content: "cedar-4711" } }, tokens: 61_000 },
  ];
  const model = await startScriptedModel(({ last }) =>
    /CONTEXT CHECKPOINT COMPACTION/.test(last)
      ? { text: "The user asked for the ledger.", tokens: 1_000 }
      : (steps.shift() ?? { text: "Done.", tokens: 1_000 }),
  );
  stops.push(model.close);
  const place = makePlace("codex");
  writeUserConfig(place, model);
  await codex(place, "exec", ...options, "Move the ledger.");
  const summary = model.requests.findIndex(({ last }) => /CONTEXT CHECKPOINT COMPACTION/.test(last));
  assert.ok(summary > 0, "it was compacted");
  assert.match(model.requests[summary + 1]?.text ?? "", /## Session Notepad\ncedar-4711/);
});

test(`${spec}: a sub-agent writes to a notepad of its own, and the main agent's plan stays`, {
  timeout: 180_000,
}, async () => {
  const write = (content: string): ClientAnswer => ({
    call: { tool: "mcp__holdfast/write_notepad", input: { content } },
  });
  const wait = (text: string): ClientAnswer => {
    const [, id = ""] = /"agent_id":"([^"]+)/.exec(text) ?? [];
    return { call: { tool: "multi_agent_v1/wait_agent", input: { targets: [id], timeout_ms: 20_000 } } };
  };
  const forMain: ((text: string) => ClientAnswer)[] = [
    () => write("plan: move the ledger"),
    () => ({ call: { tool: "multi_agent_v1/spawn_agent", input: { message: "Count the sheets." } } }),
    wait,
    () => ({ call: { tool: "mcp__holdfast/read_notepad", input: {} } }),
  ];
  const forSub = [write("six sheets")];
  const subContexts: string[] = [];
  const model = await startScriptedModel(({ text }) => {
    const isMain = text.includes("Move the ledger.");
    if (!isMain) subContexts.push(text);
    return (isMain ? forMain.shift()?.(text) : forSub.shift()) ?? { text: "Done." };
  });
  stops.push(model.close);
  const place = makePlace("codex");
  writeUserConfig(place, model);
  await codex(place, "exec", ...options, "--config", "features.multi_agent=true", "Move the ledger.");

  const memory = await openMemory({ store: join(findProject(place.root).directory, "memory.db") });
  stops.push(() => memory.close());
  const child = (await memory.listSessions()).find(({ parent }) => parent !== null);
  assert.ok(child?.parent, "the sub-agent has a session below the main agent's");
  assert.equal(await (await memory.resumeSession(child.id)).notepad.read(), "six sheets");
  assert.equal(await (await memory.resumeSession(child.parent)).notepad.read(), "plan: move the ledger");
  assert.match(subContexts[0] ?? "", /Your memory is your own and starts empty/);
  assert.doesNotMatch(subContexts[0] ?? "", /move the ledger/);
});
