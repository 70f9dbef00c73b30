import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { buildPackage } from "../../../test/support/packed.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { startScriptedModel } from "../doctor/scripted-model.ts";
import { installClient, run } from "../test-support/clients.ts";

const client = "@anthropic-ai/claude-code@2.1.325";
const node = "node@22";

/** With a coding agent that answers at once, on a machine that does nothing else, it takes about a quarter of this. */
const maxSeconds = 240;

test(`a newcomer with ${node}, the tarball and ${client}: install, init, first memory in a real request, doctor, uninstall [repo.newcomer]`, {
  timeout: 900_000,
}, async (t) => {
  const stage = temporaryDirectory();
  await buildPackage(stage);
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts"], { cwd: stage, stdio: "ignore" });
  const [tarball = ""] = globSync("holdfast-*.tgz", { cwd: stage });
  const claude = join(installClient(client), "node_modules/@anthropic-ai/claude-code/bin/claude.exe");
  const nodeFolder = join(installClient(node), "node_modules/node/bin");
  const model = await startScriptedModel(({ last, tools, isResult }) =>
    !isResult && last.includes("Remember") && tools.includes("mcp__holdfast__write_notepad")
      ? { call: { tool: "mcp__holdfast__write_notepad", input: { content: "the ledger is cedar-4711" } } }
      : { text: "All right." },
  );
  t.after(() => model.close());

  const [root, home] = [temporaryDirectory(), temporaryDirectory()];
  const env = {
    PATH: `${nodeFolder}${delimiter}${process.env.PATH}`,
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    HOLDFAST_HOOK_DEADLINE: "9000",
  };
  const place = { root, home, env };
  const holdfast = (...args: string[]) => run(join(root, "node_modules/.bin/holdfast"), args, place);
  const say = (...words: string[]) =>
    run(claude, ["-p", "--allowedTools", "mcp__holdfast__*", "--", ...words], place);

  const started = performance.now();
  writeFileSync(join(root, "package.json"), '{ "private": true }');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", join(stage, tarball)], {
    cwd: root,
    env: { ...process.env, PATH: env.PATH },
    stdio: "pipe",
  });
  const installed = seconds(started);
  const before = readdirSync(root).toSorted();
  const { packages, megabytes } = sizeOf(join(root, "node_modules"));
  assert.ok(packages <= 65 && megabytes <= 35, `${packages} packages, ${megabytes} MB`);

  assert.match(await holdfast("init", "claude-code"), /Start Claude Code as usual/);
  await say(`Remember where the ledger is. ${"pad ".repeat(300)}`);
  const answered = model.requests.find(({ isResult }) => isResult);
  assert.ok(answered, "the real client called the tool and sent its result");
  await run(claude, ["-p", "--continue", "/compact"], place);
  const asked = model.requests.length;
  await run(claude, ["-p", "--continue", "Go on."], place);
  assert.match(model.requests[asked]?.body ?? "", /## Session Notepad\\nthe ledger is cedar-4711/);

  // The person says yes when Claude Code asks.
  const file = join(home, ".claude.json");
  const config = JSON.parse(readFileSync(file, "utf8"));
  const yes = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] };
  config.projects = { ...config.projects, [root]: { ...config.projects?.[root], ...yes } };
  writeFileSync(file, JSON.stringify(config));
  const doctor = await holdfast("doctor", "claude-code");
  assert.doesNotMatch(doctor, /There is no database/, "the first conversation was no failure");
  await holdfast("uninstall");
  const after = readdirSync(root);
  assert.deepEqual(after.toSorted(), before, "nothing stays in the project");

  const took = seconds(started);
  t.diagnostic(
    `${took.toFixed(0)} s in all, ${installed.toFixed(0)} s of it npm install; ${packages} packages, ${megabytes.toFixed(1)} MB`,
  );
  assert.ok(took < maxSeconds, `${took} s`);
});

function seconds(since: number): number {
  return (performance.now() - since) / 1_000;
}

/** The size of an installation. */
function sizeOf(modules: string): { packages: number; megabytes: number } {
  const packages = globSync("{*,@*/*}/package.json", { cwd: modules }).length;
  const bytes = globSync("**/*", { cwd: modules }).map((path) => statSync(join(modules, path)).blocks * 512);
  return { packages, megabytes: bytes.reduce((sum, size) => sum + size, 0) / 2 ** 20 };
}
