import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { stateFolder } from "../../state-folder.ts";
import { hostNames } from "../hosts.ts";
import { planInit, runInit } from "./init.ts";
import { hookLine, sharedServer } from "./launcher.ts";
import { type Places, recordFolder } from "./places.ts";
import {
  everything,
  freshPlaces,
  init,
  launcher,
  otherHook,
  put,
  uninstall,
} from "./test-support/installed-project.ts";
import { planUninstall } from "./uninstall.ts";

test("if there was nothing before init, uninstall leaves nothing, in both scopes [uninstall.exact] [init.scopes]", async () => {
  for (const scope of ["project", "user"] as const) {
    const places = freshPlaces(scope);
    const before = everything(places);
    await init(places, ...hostNames);
    assert.ok(Object.keys(everything(places)).length > 15);
    const folder = recordFolder(places);
    const { home } = places;
    const above = scope === "project" ? join(stateFolder({ HOME: home }), "projects") : join(home, ".config");
    assert.equal(dirname(folder), above);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder, "installed.json")).mode & 0o777, 0o600);
    await uninstall(places);
    assert.deepEqual(everything(places), before);
  }
});

test("the user's additions to our entries and next to them survive init and uninstall [init.idempotent] [uninstall.edits]", async () => {
  const places = freshPlaces();
  const file = join(places.root, ".mcp.json");
  put(file, '{\n  // mine\n  "mcpServers": {\n    "github": { "command": "gh" }\n  }\n}\n');
  const original = readFileSync(file, "utf8");
  await init(places, "claude-code");
  const edited = readFileSync(file, "utf8")
    .replace('"mcp"\n', '"mcp",\n        "--surfaces",\n        "notepad"\n')
    .replace("// mine", "// mine, and more");
  writeFileSync(file, edited);
  await init(places, "claude-code");
  assert.equal(readFileSync(file, "utf8"), edited);
  await uninstall(places, "claude-code");
  assert.equal(readFileSync(file, "utf8"), original.replace("// mine", "// mine, and more"));
});

test("uninstall removes our hooks and keeps one that the user added next to them [uninstall.edits]", async () => {
  const places = freshPlaces();
  const file = join(places.root, ".claude/settings.json");
  await init(places, "claude-code");
  const value = JSON.parse(readFileSync(file, "utf8")) as { hooks: Record<string, unknown[]> };
  value.hooks.SessionStart?.push(otherHook);
  value.hooks.PreToolUse = [otherHook];
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  await uninstall(places);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    hooks: { SessionStart: [otherHook], PreToolUse: [otherHook] },
  });
  assert.equal(existsSync(join(places.root, ".mcp.json")), false);
  assert.equal(existsSync(recordFolder(places)), false);
});

test("uninstall restores an earlier server of the same name [uninstall.edits]", async () => {
  const places = freshPlaces();
  const file = join(places.root, ".mcp.json");
  put(file, '{ "mcpServers": { "holdfast": { "command": "old", "env": { "A": "1" } } } }');
  await init(places, "claude-code");
  const changed = JSON.parse(readFileSync(file, "utf8")) as {
    mcpServers: Record<string, Record<string, unknown>>;
  };
  const server = sharedServer(launcher);
  assert.deepEqual(changed.mcpServers.holdfast, {
    command: server.command,
    env: { A: "1" },
    type: "stdio",
    alwaysLoad: true,
    args: [...server.args, "mcp"],
  });
  writeFileSync(file, JSON.stringify({ ...changed, mine: 1 }));
  await uninstall(places);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    mcpServers: { holdfast: { command: "old", env: { A: "1" } } },
    mine: 1,
  });
});

test("uninstall finds and removes our parts without the record [uninstall.edits]", async () => {
  const places = freshPlaces();
  put(join(places.root, ".mcp.json"), '{\n  "mcpServers": {\n    "github": {}\n  }\n}\n');
  await init(places, ...hostNames);
  writeFileSync(join(recordFolder(places), "installed.json"), "{ damaged");
  await uninstall(places);
  assert.equal(
    readFileSync(join(places.root, ".mcp.json"), "utf8"),
    '{\n  "mcpServers": {\n    "github": {}\n  }\n}\n',
  );
  for (const path of [
    ".claude/settings.json",
    ".codex/config.toml",
    "opencode.json",
    ".pi/extensions/holdfast.js",
  ])
    assert.equal(existsSync(join(places.root, path)), false, path);
});

test("uninstall leaves files alone that have nothing of ours, blank ones too [uninstall.edits]", async () => {
  const theirs = {
    ".mcp.json": "{}\n",
    ".claude/settings.json": '{\n  "hooks": {}\n}\n',
    "kilo.json": "{ }",
  };
  const places = freshPlaces();
  for (const [file, text] of Object.entries({ ...theirs, "opencode.json": "", ".codex/config.toml": "" }))
    put(join(places.root, file), text);
  put(join(places.home, ".gemini/settings.json"), "{}\n");
  const before = everything(places);
  const { files } = await planUninstall([], places);
  assert.deepEqual(files, []);
  await uninstall(places);
  assert.deepEqual(everything(places), before);
  // In the home folder, a project's files are next to those for all projects.
  const inHome: Places = { ...places, root: places.home, scope: "user" };
  await init(inHome, "gemini");
  await uninstall({ ...inHome, scope: "project" }, "gemini");
  await uninstall(inHome, "gemini");
  assert.deepEqual(everything(places), before);
});

test("uninstall in a project keeps files outside of it that another project uses [uninstall.one-project]", async () => {
  const shared = ["copilot", "openclaw", "gemini"];
  const one = freshPlaces();
  const [two, three] = ["two", "three"].map((name): Places => {
    const root = join(dirname(one.root), name);
    mkdirSync(root);
    return { ...one, root };
  }) as [Places, Places];
  put(join(one.home, ".openclaw/openclaw.json"), '{ "mine": 1 }\n');
  const inHome = () => Object.entries(everything(one)).filter(([path]) => /^home\/\.(?!local)/.test(path));
  const before = inHome();
  await init(one, ...shared);
  await init(two, ...shared);
  const connected = everything(one);
  await uninstall(three);
  assert.deepEqual(everything(one), connected);
  const files = inHome();
  const kept = (await planUninstall(shared, one)).shared.map((path) => relative(one.home, path));
  assert.ok(kept.includes(join(".copilot/mcp-config.json")), String(kept));
  assert.ok(files.length > 8);
  await uninstall(one);
  assert.deepEqual(inHome(), files);
  await uninstall(two);
  assert.deepEqual(inHome(), before);
});

test("in the home folder, a project's files may be those for all projects; uninstall removes both [uninstall.exact]", async () => {
  const hosts = ["claude-code", "codex", "qwen", "cursor", "copilot"];
  for (const order of [["project", "user"] as const, ["user", "project"] as const]) {
    for (const text of [undefined, '{\n  "mine": 1\n}\n']) {
      const places = { ...freshPlaces("user"), env: { PATH: "" } };
      const at = (scope: Places["scope"]): Places => ({ ...places, scope, root: places.home });
      if (text !== undefined) put(join(places.home, ".claude/settings.json"), text);
      const before = everything(places);
      for (const scope of order) await init(at(scope), ...hosts);
      await uninstall(at("project"));
      assert.match(readFileSync(join(places.home, ".claude/settings.json"), "utf8"), /hook claude-code/);
      await uninstall(at("user"));
      assert.deepEqual(everything(places), before);
    }
  }
});

test("uninstalling one host keeps the others [uninstall.one-host]", async () => {
  const places = freshPlaces();
  await init(places, "claude-code");
  const alone = everything(places);
  await init(places, "codex", "pi");
  await uninstall(places, "codex", "pi");
  const { ...rest } = everything(places);
  const record = relative(dirname(places.root), join(recordFolder(places), "installed.json"));
  assert.deepEqual(JSON.parse(rest[record] ?? ""), JSON.parse(alone[record] ?? ""));
  assert.deepEqual({ ...rest, [record]: "" }, { ...alone, [record]: "" });
});

test("init replaces an older command, and uninstall still restores the original [init.idempotent] [uninstall.exact]", async () => {
  const places = freshPlaces();
  put(join(places.root, ".codex/config.toml"), 'model = "x"\n');
  const before = everything(places);
  await init(places, ...hostNames);
  const newer = { command: "holdfast", args: [] };
  runInit(await planInit(hostNames, places, newer), places);
  const config = readFileSync(join(places.root, ".codex/config.toml"), "utf8");
  assert.ok(config.includes("exec holdfast") && !config.includes("/opt/"));
  const settings = readFileSync(join(places.root, ".claude/settings.json"), "utf8");
  assert.ok(
    settings.includes(`"command": "${hookLine(newer, "claude-code")}"`) && !settings.includes("/opt/"),
  );
  await uninstall(places);
  assert.deepEqual(everything(places), before);
});

test("the project's folder stays if it has a memory, and goes with its record otherwise [uninstall.exact]", async () => {
  const places = freshPlaces();
  await init(places, "claude-code");
  put(join(recordFolder(places), "memory.db"), "kept");
  await uninstall(places);
  assert.deepEqual(readdirSync(recordFolder(places)), ["memory.db"]);
});

test("worktrees share the record, and uninstall in one leaves the others as they are [uninstall.exact]", async () => {
  const places = freshPlaces();
  const before = everything(places);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", places.root, "-c", "user.name=T", "-c", "user.email=t@example.org", ...args]);
  git("init", "-q");
  git("commit", "-qm", "first", "--allow-empty");
  const other: Places = { ...places, root: join(dirname(places.root), "other") };
  git("worktree", "add", "-q", other.root);
  assert.equal(recordFolder(other), recordFolder(places));
  await init(places, "claude-code");
  const one = everything(places);
  await init(other, "claude-code");
  await uninstall(other);
  assert.deepEqual(everything(places), one);
  await init(other, "claude-code");
  await uninstall(places);
  assert.ok(existsSync(join(other.root, ".mcp.json")) && !existsSync(join(places.root, ".mcp.json")));
  await uninstall(other);
  git("worktree", "remove", other.root);
  rmSync(join(places.root, ".git"), { recursive: true });
  assert.deepEqual(everything(places), before);
});

test("a broken file of a host that init never set up does not stop uninstall; one that it did set up does [uninstall.one-host]", async () => {
  const places = freshPlaces();
  const before = everything(places);
  await init(places, "pi");
  put(join(places.home, ".openclaw/openclaw.json"), "{ broken");
  await uninstall(places);
  assert.deepEqual(
    Object.keys(everything(places)).toSorted(),
    [...Object.keys(before), "home/.openclaw", "home/.openclaw/openclaw.json"].toSorted(),
  );
  await init(places, "claude-code");
  put(join(places.root, ".mcp.json"), "{ broken");
  const broken = everything(places);
  await assert.rejects(() => uninstall(places), /\.mcp\.json, line 1/);
  assert.deepEqual(everything(places), broken);
});

test("uninstall removes the compiled hooks, once nothing is installed here any more [uninstall.cache]", async () => {
  const places = freshPlaces();
  const cached = join(places.home, ".cache/holdfast/v24/module");
  await init(places, "claude-code", "codex");
  put(cached, "compiled");
  await uninstall(places, "codex");
  assert.ok(existsSync(cached));
  await uninstall(places, "claude-code");
  assert.ok(!existsSync(join(places.home, ".cache/holdfast")));
});
