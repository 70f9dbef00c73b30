import assert from "node:assert/strict";
import { globSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { hostNames, hosts } from "../hosts.ts";
import { launcherFor } from "./detect.ts";
import { filesWithMachinePaths, planInit, runInit } from "./init.ts";
import { portableLauncher } from "./launcher.ts";
import { everything, freshPlaces, init, launcher, put, uninstall } from "./test-support/installed-project.ts";

test("the hosts' own variables set where their files are [init.scopes]", async () => {
  const places = freshPlaces("user");
  const elsewhere = join(dirname(places.root), "elsewhere");
  const env = {
    PATH: "",
    CLAUDE_CONFIG_DIR: join(elsewhere, "claude"),
    CODEX_HOME: join(elsewhere, "codex"),
    XDG_CONFIG_HOME: join(elsewhere, "xdg"),
    GEMINI_CLI_HOME: join(elsewhere, "gemini"),
    QWEN_HOME: join(elsewhere, "qwen"),
    COPILOT_HOME: join(elsewhere, "copilot"),
    PI_CODING_AGENT_DIR: join(elsewhere, "pi"),
    OPENCLAW_STATE_DIR: join(elsewhere, "openclaw"),
  };
  await init({ ...places, env }, ...hostNames);
  const written = globSync(["**/*", "**/.*", "**/.*/**"], { cwd: elsewhere }).filter(
    (path) => !lstatSync(join(elsewhere, path)).isDirectory(),
  );
  assert.deepEqual([...new Set(written)].toSorted(), [
    "claude/.claude.json",
    "claude/settings.json",
    "claude/skills/holdfast/SKILL.md",
    "codex/config.toml",
    "codex/hooks.json",
    "codex/skills/holdfast/SKILL.md",
    "copilot/hooks/holdfast.json",
    "copilot/mcp-config.json",
    "copilot/skills/holdfast/SKILL.md",
    "gemini/.gemini/extensions/holdfast/gemini-extension.json",
    "gemini/.gemini/extensions/holdfast/hooks/hooks.json",
    "gemini/.gemini/policies/holdfast.toml",
    "gemini/.gemini/skills/holdfast/SKILL.md",
    "openclaw/openclaw.json",
    "pi/extensions/holdfast.js",
    "qwen/settings.json",
    "qwen/skills/holdfast/SKILL.md",
    "xdg/holdfast/installed.json",
    "xdg/kilo/kilo.json",
    "xdg/kilo/plugin/holdfast.js",
    "xdg/kilo/skills/holdfast/SKILL.md",
    "xdg/opencode/opencode.json",
    "xdg/opencode/plugin/holdfast.js",
    "xdg/opencode/skills/holdfast/SKILL.md",
  ]);
  assert.deepEqual(globSync("**/*", { cwd: places.home }), []);
  assert.equal(statSync(join(elsewhere, "xdg/holdfast")).mode & 0o777, 0o700);
});

for (const [name, file, text, line] of [
  ["JSON with a missing brace", ".mcp.json", '{\n  "a": {\n', 3],
  ["JSON with a stray word", ".claude/settings.json", '{\n  "a": 1,\n  oops\n}\n', 3],
  ["a list where an object belongs", ".gemini/settings.json", "[]", 1],
  ["TOML with a half line", ".codex/config.toml", "a = 1\nb = \n", 2],
] as const) {
  test(`${name}: the error names the line, and no file of any host changes [init.refuses]`, async () => {
    const places = freshPlaces();
    put(join(places.root, file), text);
    const before = everything(places);
    await assert.rejects(
      () => init(places, ...hostNames),
      ({ message }: Error) =>
        message.includes(join(places.root, file)) &&
        message.includes(`line ${line}`) &&
        message.includes("Nothing was changed"),
    );
    assert.deepEqual(everything(places), before);
  });
}

for (const [name, file, content] of [
  ["hooks that are a list", ".claude/settings.json", '{"hooks": []}'],
  ["an event that is an object", ".claude/settings.json", '{"hooks": {"SessionStart": {}}}'],
  ["servers that are a text", ".mcp.json", '{"mcpServers": "none"}'],
  ["a duplicate key", ".mcp.json", '{"mcpServers": {}, "mcpServers": {"a": {}}}'],
  ["servers in one line of TOML", ".codex/config.toml", 'mcp_servers = { x = { command = "x" } }\n'],
  ["someone else's plugin", ".pi/extensions/holdfast.js", "export default () => {};\n"],
  ["bytes that are no text", ".mcp.json", "\u00ff\u00fe"],
] as const) {
  test(`${name}: refused, and nothing changes [init.refuses]`, async () => {
    const places = freshPlaces();
    mkdirSync(dirname(join(places.root, file)), { recursive: true });
    writeFileSync(join(places.root, file), content, "latin1");
    const before = everything(places);
    await assert.rejects(() => init(places, ...hostNames), /Nothing was changed/);
    assert.deepEqual(everything(places), before);
  });
}

test("init follows a link inside the project and keeps it; it refuses one that leads out [init.links]", async () => {
  const places = freshPlaces();
  const outside = join(places.home, "secret.json");
  put(outside, "{}");
  put(join(places.root, "shared.json"), "{}\n");
  symlinkSync("shared.json", join(places.root, ".mcp.json"));
  await init(places, "claude-code");
  assert.ok(lstatSync(join(places.root, ".mcp.json")).isSymbolicLink());
  assert.match(readFileSync(join(places.root, "shared.json"), "utf8"), /holdfast/);
  await uninstall(places);
  assert.equal(readFileSync(join(places.root, "shared.json"), "utf8"), "{}\n");
  symlinkSync(outside, join(places.root, "opencode.json"));
  await assert.rejects(() => init(places, "opencode"), /leads out of the project/);
  symlinkSync(places.home, join(places.root, ".codex"));
  await assert.rejects(() => init(places, "codex"), /leads out of the project/);
  symlinkSync(join(places.root, "nowhere"), join(places.root, ".pi"));
  await assert.rejects(() => init(places, "pi"), /is a broken link/);
  assert.equal(readFileSync(outside, "utf8"), "{}");
});

test("init writes to the target of a linked dotfile [init.links]", async () => {
  const places = freshPlaces("user");
  put(join(places.home, "dotfiles/settings.json"), "{}\n");
  mkdirSync(join(places.home, ".claude"));
  symlinkSync("../dotfiles/settings.json", join(places.home, ".claude/settings.json"));
  await init(places, "claude-code");
  assert.match(readFileSync(join(places.home, "dotfiles/settings.json"), "utf8"), /hook claude-code/);
  await uninstall(places);
  assert.equal(readFileSync(join(places.home, "dotfiles/settings.json"), "utf8"), "{}\n");
  assert.ok(lstatSync(join(places.home, ".claude/settings.json")).isSymbolicLink());
});

test("if one file cannot be written, no file changes [init.all-or-nothing]", async () => {
  const places = freshPlaces();
  put(join(places.root, ".mcp.json"), "{}\n");
  const plan = await planInit(["claude-code", "pi"], places, launcher);
  const before = everything(places);
  // Between plan and write, a file appears where a folder is needed.
  put(join(places.root, ".pi"), "");
  assert.throws(() => runInit(plan, places), /could not be written.*Nothing was changed/);
  assert.deepEqual(everything(places), { ...before, "project/.pi": "" });
});

test("init does not overwrite a file that another program changed since the plan [init.all-or-nothing]", async () => {
  const places = freshPlaces();
  const plan = await planInit(["claude-code"], places, launcher);
  put(join(places.root, ".claude/settings.json"), "{}\n");
  const before = everything(places);
  assert.throws(() => runInit(plan, places), /another program has just changed it\. Nothing was changed/);
  assert.deepEqual(everything(places), before);
});

test("init detects hosts by their program, their folder or a project file [init.detects]", async () => {
  const places = freshPlaces();
  const found = async (env = places.env) =>
    (await planInit([], { ...places, env }, launcher)).hosts.map(({ name }) => name);
  assert.deepEqual(await found(), []);
  put(join(places.root, "opencode.jsonc"), "{}");
  mkdirSync(join(places.home, ".codex"));
  const bin = join(places.home, "bin");
  put(join(bin, "gemini"), "#!/bin/sh\n");
  assert.deepEqual(
    await found({ PATH: bin }),
    ["codex", "opencode"],
    "a file that cannot be run is no program",
  );
  put(join(bin, "claude"), "");
  writeFileSync(join(bin, "pi"), "#!/bin/sh\n", { mode: 0o755 });
  assert.deepEqual(await found({ PATH: bin }), ["codex", "opencode", "pi"]);
  await assert.rejects(
    () => planInit(["windsurf"], places, launcher),
    /no host "windsurf".*claude-code, codex/,
  );
});

test("portable files contain no paths of this machine, except plugins, and init and doctor keep them so [init.machine-paths]", async () => {
  const places = freshPlaces();
  const paths = async (launcher?: typeof portableLauncher) =>
    filesWithMachinePaths((await planInit(hostNames, places, launcher)).files, places);
  const plugins = [
    ".opencode/plugin/holdfast.js",
    ".kilo/plugin/holdfast.js",
    ".pi/extensions/holdfast.js",
  ].map((path) => join(path));
  assert.ok((await paths()).includes(".mcp.json"));
  assert.deepEqual(await paths(portableLauncher), plugins);
  runInit(await planInit(hostNames, places, portableLauncher), places);
  const before = everything(places);
  runInit(await planInit(hostNames, places), places);
  assert.deepEqual(everything(places), before, "a later init keeps it");
  for (const host of hosts) {
    const setup = await host.setup();
    const hasServer = setup.pieces(places, portableLauncher).some(({ server }) => server);
    if (hasServer && !setup.hasOneConfig)
      assert.equal(launcherFor(setup, places), portableLauncher, host.name);
  }
  await uninstall(places);
  assert.deepEqual(everything(places), { home: "folder", project: "folder" });
});
