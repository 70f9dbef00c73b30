import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { startScriptedServer } from "../src/testing/index.ts";
import { runNode } from "./support/command-line.ts";
import { addPackages, buildPackage, type Installed, installPackage } from "./support/packed.ts";
import { temporaryDirectory } from "./support/temporary.ts";

const stage = temporaryDirectory();
const dist = join(stage, "dist");
let installed: Installed;

before(async () => {
  await buildPackage(stage);
  installed = installPackage(stage, temporaryDirectory());
});

/** All static imports of a built file, direct and indirect. */
function staticImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(dist, file), "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export)\b[^"'();]*["']([^"']+)["'];?$/gm)) {
    if (specifier.startsWith("./")) staticImports(specifier.slice(2), seen);
    else seen.add(specifier);
  }
  return seen;
}

test("the built root entry imports no Node module [repo.root-entry]", () => {
  const imports = [...staticImports("index.js")];
  assert.ok(imports.includes("zod"), "staticImports finds nothing");
  assert.deepEqual(
    imports.filter((name) => name.startsWith("node:") || ["fs", "path", "pg", "ai"].includes(name)),
    [],
  );
});

test("the check finds a Node module where there is one [repo.root-entry]", () => {
  assert.ok([...staticImports("pi.js")].includes("node:fs"));
});

test("the CLI entry loads only its own few lines [repo.root-entry]", () => {
  assert.deepEqual([...staticImports("cli.js")], ["cli.js"]);
});

test("show loads no schema library [repo.show-entry]", () => {
  const chunkOf = (command: string) =>
    readdirSync(dist).find((name) => name.startsWith(`${command}-`) && name.endsWith(".js")) ?? "";
  assert.ok(staticImports(chunkOf("chat")).has("zod"), "staticImports finds nothing");
  assert.ok(!staticImports(chunkOf("show")).has("zod"));
});

test("a hook loads only its own file and Node's modules, because an agent waits for it [repo.hook-entry]", () => {
  const files = readdirSync(dist).filter((name) => /^hook(?:-core-[\w-]+)?\.js$/.test(name));
  assert.equal(files.length, 2);
  const text = files.map((name) => readFileSync(join(dist, name), "utf8")).join("\n");
  const imports = text.matchAll(/\b(?:from|import)\s*"([^"]+)"|getBuiltinModule\(["`]([^"`]+)/g);
  const names = [...imports].map(([, imported, builtIn]) => imported ?? builtIn ?? "");
  assert.ok(names.includes("node:sqlite"), "the pattern finds no imports");
  assert.ok(
    names.some((name) => name.startsWith("./hook-core-")),
    "the pattern finds no imports",
  );
  assert.deepEqual(
    names.filter((name) => !name.startsWith("node:") && !name.startsWith("./hook-core-")),
    [],
  );
});

test("the hook's file does not contain the setup of a host [repo.hook-entry]", () => {
  const holders = readdirSync(dist).filter(
    (name) => name.endsWith(".js") && readFileSync(join(dist, name), "utf8").includes("mcpServers"),
  );
  assert.ok(holders.length > 0, "no built file contains it");
  assert.deepEqual(
    holders.filter((name) => name.startsWith("hook")),
    [],
  );
});

test("the package installs few packages and few megabytes [repo.light]", () => {
  const { packages, megabytes } = installed;
  assert.ok(packages.includes("holdfast") && packages.includes("zod"), packages.join(" "));
  assert.ok(packages.length <= 65, `${packages.length} packages`);
  // The build here has no type declarations, which take 0.2 MB.
  assert.ok(megabytes <= 34.5, `${megabytes} MB`);
});

test("the memory itself installs and loads without ai [repo.light]", () => {
  assert.ok(!installed.packages.some((name) => name === "ai" || name.startsWith("@ai-sdk/openai")));
  for (const file of ["index.js", "cli.js", "hook.js", "pi.js", "opencode.js", "project.js"])
    assert.ok(!staticImports(file).has("ai"), file);
  assert.ok(staticImports("agent.js").has("ai"), "staticImports finds nothing");
});

test("init loads nothing that only chat, serve or the sandbox need [repo.light]", () => {
  const files = readdirSync(dist).filter((name) => /^(?:cli|main-.*|init-.*|setup.*)\.js$/.test(name));
  const loaded = new Set(files.flatMap((file) => [...staticImports(file)]));
  assert.ok(
    [...loaded].some((name) => name === "jsonc-parser"),
    "staticImports finds nothing",
  );
  const heavy = /^(?:ai|@ai-sdk.*)$|hono|quickjs|modelcontextprotocol/;
  assert.deepEqual(
    [...loaded].filter((name) => heavy.test(name)),
    [],
  );
});

test("init, a dry run and doctor from the cache of npx agree on the user's own copy [init.copy]", async () => {
  const home = temporaryDirectory();
  const { project, cli } = installPackage(stage, join(temporaryDirectory(), "_npx/0123"));
  const cwd = temporaryDirectory();
  const run = (...args: string[]) =>
    runNode([cli, ...args], process.execPath, { cwd, env: { HOME: home, PATH: "" } });
  const init = await run("init", "claude-code", "codex", "opencode", "--user");
  assert.equal(init.code, 0, init.stderr);
  assert.match(init.stdout, /npm may clear the cache/);
  assert.ok(!readFileSync(join(home, ".claude.json"), "utf8").includes(project));
  const dry = await run("init", "claude-code", "codex", "opencode", "--user", "--dry-run");
  assert.match(dry.stdout, /0 files would change/);
  const doctor = await run("doctor", "claude-code", "codex", "opencode");
  assert.doesNotMatch(doctor.stdout, /differs? from what init writes/);
});

test("a newcomer: install, init, first memory in a request, doctor, uninstall, in two minutes [repo.newcomer]", async () => {
  const started = performance.now();
  const { project, cli } = installed;
  const home = temporaryDirectory();
  const run = (args: string[], input?: string) =>
    runNode([cli, ...args], process.execPath, { cwd: project, env: { HOME: home, PATH: "" }, input });
  writeFileSync(join(project, "package.json"), "{}");
  const before = readdirSync(project).toSorted();

  const init = await run(["init", "claude-code"]);
  assert.equal(init.code, 0, init.stderr);
  assert.match(init.stdout, /Start/);
  assert.match(init.stdout.replaceAll(/\s+/g, " "), /for all your projects, but they start the program in /);

  const event = { session_id: "first", cwd: project, transcript_path: join(project, "none.jsonl") };
  const hook = (name: string, more = {}) =>
    run(["hook", "claude-code"], JSON.stringify({ ...event, hook_event_name: name, ...more }));
  await hook("SessionStart", { source: "startup" });
  const pin = await run(["pin", "Deploy only from the release branch"]);
  assert.equal(pin.code, 0, pin.stderr);
  assert.match(pin.stdout, /"npx holdfast unpin u1" removes it\./, "a hint works as it is written");
  const [, page = ""] = /^Documentation: (\S+)$/m.exec((await run(["help", "pin"])).stdout) ?? [];
  assert.ok(existsSync(new URL(page)), `${page} is in the package`);
  const back = await hook("SessionStart", { source: "compact" });
  assert.match(back.stdout, /Deploy only from the release branch/);
  // The same memory in a request over the wire; test:hosts does it with the real client and installed dependencies.
  const model = await startScriptedServer(() => ({ text: "From the release branch." }));
  const asked = ["-p", "Where do we deploy from?", "--base-url", model.url, "--model", "scripted"];
  const ask = () => run(["chat", "--session", "claude-code.first", ...asked]);
  const early = await ask();
  assert.match(
    early.stderr,
    /^holdfast: "holdfast chat" needs the AI SDK\. Run: npm install holdfast ai @ai-sdk\/openai-compatible$/m,
  );
  assert.equal(early.code, 1);
  const demo = await run(["serve", "--demo", "--no-open", "--port", "0"]);
  assert.match(demo.stderr, /^holdfast: "holdfast serve" needs the AI SDK\./);
  assert.deepEqual([demo.code, demo.stdout], [1, ""]);
  addPackages(project, ["ai", "@ai-sdk/openai-compatible"]);
  const chat = await ask();
  await model.close();
  assert.equal(chat.code, 0, chat.stderr);
  assert.match(JSON.stringify(model.requests[0]), /Deploy only from the release branch/);

  const doctor = await run(["doctor", "claude-code"]);
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.doesNotMatch(doctor.stdout, /There is no database/, "the first conversation was no failure");
  const uninstall = await run(["uninstall"]);
  assert.equal(uninstall.code, 0, uninstall.stderr);
  assert.deepEqual(readdirSync(project).toSorted(), before, "nothing stays in the project");
  const seconds = (performance.now() - started) / 1000;
  assert.ok(seconds < 120, `${seconds} s`);
});
