// Three days of a user, with the real clients: the first install and the first compaction, the next morning in the same
// project with another client, and a colleague's checkout on a machine without Holdfast.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { codex, spec as codexSpec, writeUserConfig } from "./codex/test-support/codex-client.ts";
import { type ClientAnswer, type ScriptedModel, startScriptedModel } from "./doctor/scripted-model.ts";
import {
  type ClientPlace,
  copyPackage,
  count,
  installClient,
  makeBarePlace,
  run,
  writeJson,
} from "./test-support/clients.ts";

const claudeSpec = "@anthropic-ai/claude-code@2.1.325";
const timeout = 240_000;

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** A project without Holdfast, both clients connected to the model, and the program that the user has. */
async function machine(script?: Parameters<typeof startScriptedModel>[0]) {
  const model = await startScriptedModel(script);
  stops.push(model.close);
  const place = makeBarePlace();
  connectClients(place, model);
  const program = join(copyPackage(), "dist/cli.js");
  const holdfast = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: place.root,
      env: place.env,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  return { model, place, program, holdfast };
}

function connectClients(place: ClientPlace, model: ScriptedModel): void {
  Object.assign(place.env, {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  });
  writeUserConfig(place, model);
}

const claude = (place: ClientPlace, words: string, ...options: string[]) =>
  run(
    join(installClient(claudeSpec), "node_modules/@anthropic-ai/claude-code/bin/claude.exe"),
    ["-p", ...options, "--allowedTools", "mcp__holdfast__*", "--", words],
    place,
  );

/** The same in the last conversation, in a new process. */
const goOn = (place: ClientPlace, words: string) => claude(place, words, "--continue");

/** The hooks are reviewed, and the agent may run commands. */
const codexOptions = [
  "--skip-git-repo-check",
  "--dangerously-bypass-hook-trust",
  "--dangerously-bypass-approvals-and-sandbox",
];

const plan = `# Move the ledger
- [x] read the old format
- [ ] write the importer
- [ ] run it on the 500 rows`;

const isSummary = (last: string) => /detailed summary of the conversation/i.test(last);

test(`the first two days: ${claudeSpec}, then ${codexSpec} in the same project`, {
  timeout: 2 * timeout,
}, async (t) => {
  let answers: ((text: string) => ClientAnswer)[] = [];
  const { model, place, holdfast } = await machine(({ last, text }) => {
    if (isSummary(last)) return { text: "<summary>The user wants the ledger moved.</summary>" };
    return answers.shift()?.(text) ?? { text: "All right." };
  });
  /** The first request of the agent in a turn. */
  const firstRequest = async (turn: () => Promise<unknown>) => {
    const asked = model.requests.length;
    await turn();
    const request = model.requests[asked];
    assert.ok(request, "the model was asked");
    return request;
  };

  await t.test("the first day: install, a plan, a rule, and the first compaction", { timeout }, async () => {
    const before = readdirSync(place.root);
    const listed = holdfast("init", "claude-code", "codex");
    assert.match(listed, /~\/\.claude\/settings\.json/, "it lists the files that it changes");
    assert.deepEqual(readdirSync(place.root), before, "and writes nothing into the project");

    answers = [() => ({ call: { tool: "mcp__holdfast__write_notepad", input: { content: plan } } })];
    await claude(place, `Move the ledger in src/ledger.ts. ${"pad ".repeat(3_000)}`);
    assert.match(holdfast("pin", "Never push to main."), /in every conversation of this project/);
    const pinned = await firstRequest(() => goOn(place, "What is next?"));
    assert.match(pinned.text, /Never push to main\./, "the rule is in the conversation that was open");

    await goOn(place, "/compact");
    const { text } = await firstRequest(() => goOn(place, "Go on."));
    assert.ok(count(text, "pad ") < 1_500, "the conversation was compacted");
    for (const part of [plan, "Never push to main.", "src/ledger.ts", "[Handoff", "[Receipt: "])
      assert.ok(text.includes(part), `no ${part} in:\n${text}`);
    assert.equal(count(text, plan), 1, "the plan is there once");
  });

  await t.test("the next morning: another client is offered the open items", { timeout }, async () => {
    const offer = /run: (.+ continue [\w.-]+)\n/;
    const runOffered = (text: string): ClientAnswer => ({
      call: { tool: "exec_command", input: { cmd: offer.exec(text)?.[1] ?? "exit 1" } },
    });
    answers = [runOffered];
    const { text } = await firstRequest(() => codex(place, "exec", ...codexOptions, "Good morning. Go on."));
    assert.match(text, /Open items of the last conversation in this project/);
    assert.match(text, /- \[ \] write the importer\n- \[ \] run it on the 500 rows\n/);
    assert.match(text, /Never push to main\./, "the rule holds in every conversation of the project");
    assert.doesNotMatch(
      text,
      /read the old format/,
      "the notepad itself is still that of the last conversation",
    );
    const adopted = model.requests.at(-1);
    assert.match(adopted?.last ?? "", /- \[ \] write the importer/, "the offered command printed the notes");

    const next = await firstRequest(() =>
      codex(place, "exec", "resume", "--last", ...codexOptions, "And now?"),
    );
    assert.match(next.text, /## Session Notepad\n# Move the ledger\n- \[x\] read the old format/);
  });
});

for (const more of [[], ["--portable"]])
  test(`the third day: a colleague's checkout without Holdfast is silent (${["init --project", ...more].join(" ")}) [init.teammate]`, {
    timeout,
  }, async () => {
    const { place, program, holdfast } = await machine();
    const said = holdfast("init", "claude-code", "codex", "--project", ...more);
    assert.match(said, /For a teammate without Holdfast, the hooks do nothing: no output, exit code 0/);
    rmSync(program);

    // Another machine has the files of the repository, another home and no Holdfast.
    const theirs = makeBarePlace();
    cpSync(place.root, theirs.root, { recursive: true });
    const model = await startScriptedModel(() => ({ text: "All right." }));
    stops.push(model.close);
    connectClients(theirs, model);
    const inClaude = () =>
      claude(theirs, "Where is the ledger?", "--verbose", "--output-format", "stream-json");
    const inCodex = (...options: string[]) =>
      codex(theirs, "exec", "--skip-git-repo-check", ...options, "Where is the ledger?");
    /** The colleague approves or declines the project's server. */
    const decide = (decision: object) => {
      writeJson(join(theirs.home, ".claude/settings.json"), decision);
      return inClaude();
    };
    for (const ask of [
      () => inClaude(),
      () => inCodex(),
      () => decide({ disabledMcpjsonServers: ["holdfast"] }),
      () => decide({ enableAllProjectMcpServers: true }),
      () => inCodex("--dangerously-bypass-hook-trust"),
    ]) {
      const asked = model.requests.length;
      const output = await ask();
      const { text = "", tools = [] } = model.requests[asked] ?? {};
      assert.match(text, /Where is the ledger\?/, "the prompt goes through");
      assert.doesNotMatch(text, /\[Holdfast\]|Session Notepad/, "and no memory comes with it");
      assert.doesNotMatch(text, /failed to connect/, "the model is told of no failure");
      assert.ok(!tools.some((name) => name.includes("holdfast")));
      assert.doesNotMatch(
        output,
        /hook\S*[ -]error|hook: \w+ Failed|mcp.*fail|"outcome":"(?!success)|"status":"failed"/i,
        "the client reports no failure",
      );
    }
  });
