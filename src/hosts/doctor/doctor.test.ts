import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { compiled } from "../../../test/support/compiled.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { forgetFailures, keepFailure } from "../failures.ts";
import { hostNamed } from "../hosts.ts";
import { planInit, runInit } from "../install/init.ts";
import type { Places } from "../install/places.ts";
import { linkSession } from "../session-link.ts";
import { checkLastFailure, checkOwnConversation, checkPlacement, examine } from "./examine.ts";
import type { Finding, HostReport } from "./finding.ts";

const cli = join(import.meta.dirname, "../../cli.ts");

// On a busy machine, hooks must not time out.
process.env.HOLDFAST_HOOK_DEADLINE = "60000";
process.env.XDG_STATE_HOME = temporaryDirectory();

interface Machine {
  root: string;
  home: string;
  bin: string;
  places: Places;
  init(...hosts: string[]): Promise<void>;
  /** Runs the command in its own process. */
  run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Checks one host, as the command does. */
  examine(host: string, isNamed?: boolean): Promise<Finding[]>;
}

/** A home and a project whose path needs shell quoting, with only the system's folders on the PATH. */
function freshMachine(scope: "project" | "user" = "project"): Machine {
  const base = temporaryDirectory();
  const [root, home, bin] = [join(base, "a 'b' $(c);d"), join(base, "home"), join(base, "bin")];
  for (const folder of [root, home, bin]) mkdirSync(folder);
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, XDG_STATE_HOME: process.env.XDG_STATE_HOME };
  const places = { scope, root, home, env };
  const project = { root, directory: findProject(root).directory };
  return {
    root,
    home,
    bin,
    places,
    init: async (...hosts) => runInit(await planInit(hosts, places), places),
    run: (...args) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [cli, ...args], {
          cwd: root,
          env: { ...env, NODE_COMPILE_CACHE: compiled, HOLDFAST_HOOK_DEADLINE: "60000" },
          stdio: ["ignore", "pipe", "pipe"],
        });
        let [stdout, stderr] = ["", ""];
        child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
        child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
        child.once("error", reject);
        child.once("close", (code) => resolve({ code, stdout, stderr }));
      }),
    async examine(name, isNamed = false) {
      return (await examine(hostNamed(name), { project, places: { ...places, scope: "project" }, isNamed }))
        .findings;
    },
  };
}

async function checkTrust(name: string, places: Places): Promise<Finding | undefined> {
  const setup = await hostNamed(name).setup();
  return setup.checkTrust?.(places, "");
}

async function wiredMachine(...hosts: string[]): Promise<Machine> {
  const machine = freshMachine();
  await machine.init(...hosts);
  trustProject(machine);
  return machine;
}

/** The user's decisions, as the hosts save them. */
function trustProject({ root, home }: Machine): void {
  const project = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ["holdfast"] };
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ projects: { [root]: project } }));
  mkdirSync(join(home, ".gemini"), { recursive: true });
  writeFileSync(join(home, ".gemini/trustedFolders.json"), JSON.stringify({ [root]: "TRUST_FOLDER" }));
}

function problemsIn(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ status }) => status === "problem");
}

/** Exactly one problem, with a remedy. */
async function onlyProblem(machine: Machine, host: string, isNamed = false): Promise<Finding> {
  const problems = problemsIn(await machine.examine(host, isNamed));
  assert.equal(problems.length, 1, JSON.stringify(problems));
  assert.notEqual(problems[0]?.remedy ?? "", "");
  return problems[0] as Finding;
}

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  assert.notEqual(changed, text);
  writeFileSync(path, changed);
}

test("in a healthy project the server starts, the canary comes back, and no trace of it remains [doctor.healthy] [doctor.server] [doctor.canary] [doctor.no-trace] [init.command]", async () => {
  const machine = await wiredMachine("claude-code", "codex", "opencode", "gemini");
  const links = join(findProject(machine.root).directory, "links");
  mkdirSync(links, { recursive: true });
  linkSession({
    directory: findProject(machine.root).directory,
    cwd: machine.root,
    host: "codex",
    hostSession: "real",
  });
  const before = readFolder(links);
  const { code, stdout } = await machine.run("doctor", "--json");
  const report = JSON.parse(stdout) as { ok: boolean; hosts: HostReport[] };
  assert.deepEqual([code, report.ok], [0, true], stdout);
  for (const { host, findings } of report.hosts.filter(({ isWired }) => isWired)) {
    const checks = findings.filter(({ status }) => status === "ok").map(({ check }) => check);
    for (const check of ["wiring", "MCP server", "canary", "hook", "last failure"])
      assert.ok(checks.includes(check), `${host}: ${check}`);
    // The policies of Gemini CLI are in the user's folder for a project too.
    assert.ok(!findings.some(({ detail }) => /runs twice/.test(detail)), `${host}: in one scope`);
  }
  const absent = report.hosts.filter(({ isWired }) => !isWired);
  assert.deepEqual(
    absent.map(({ host, findings }) => [host, findings.length]),
    [
      ["copilot", 0],
      ["kilo", 0],
      ["qwen", 0],
      ["pi", 0],
      ["openclaw", 0],
      ["cursor", 0],
    ],
  );
  const memory = await openMemory({ store: join(findProject(machine.root).directory, "memory.db") });
  assert.deepEqual(await memory.listSessions({ status: "all" }), []);
  await memory.close();
  assert.deepEqual(readFolder(links), before, "the current conversation changed");
});

test("a wrong setting is one problem, however many agents are connected [doctor.config]", async () => {
  const machine = await wiredMachine("claude-code", "gemini");
  writeFileSync(join(machine.root, "holdfast.json"), '{ "tokens": 5 }');
  const { stdout } = await machine.run("doctor");
  const text = stdout.replaceAll(/\s+/g, " ");
  assert.match(text, /there is no setting "tokens".*→ Correct the setting there\..* 1 problem\./);
  assert.equal(text.split("Not checked, because of the settings").length, 3, stdout);
});

function readFolder(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

test("with one surface alone, the canary comes back all the same [doctor.one-document]", async () => {
  for (const surfaces of [["notepad"], ["notes"], ["scratchpad"], ["project"]]) {
    const machine = freshMachine();
    writeFileSync(join(machine.root, "holdfast.json"), JSON.stringify({ surfaces }));
    await machine.init("claude-code");
    trustProject(machine);
    assert.deepEqual(problemsIn(await machine.examine("claude-code")), [], surfaces.join());
  }
});

test("a placement that the agent cannot honor is a problem, and no other is [doctor.placement]", () => {
  const { root } = freshMachine();
  const check = (host: string, placement: string) => {
    writeFileSync(join(root, "holdfast.json"), JSON.stringify({ placement }));
    return checkPlacement(hostNamed(host), findProject(root)).map(({ detail }) => detail);
  };
  assert.match(check("claude-code", "system").join(), /Claude Code lets nobody add to its system prompt/);
  assert.deepEqual(check("claude-code", "message"), []);
  assert.deepEqual(check("opencode", "system"), []);
});

test("an agent that started before it was connected is told how to continue [doctor.conversation]", async () => {
  const machine = await wiredMachine("claude-code");
  const host = hostNamed("claude-code");
  const check = async (names: string[]) =>
    checkOwnConversation(
      host,
      await host.setup(),
      findProject(machine.root),
      names.map((name, index) => ({ name, pid: 900_000 + index, start: "1" })),
    );
  assert.deepEqual(await check(["bash", "sshd"]), [], "run by a person");
  const [finding, ...more] = await check(["bash", "claude", "zsh"]);
  assert.deepEqual([finding?.status, more], ["problem", []]);
  assert.match(finding?.detail ?? "", /started before it was connected.* no memory tools/);
  assert.match(finding?.remedy ?? "", /claude --continue/);
});

test("the table lists each problem with its remedy, and the remedy fixes it [doctor.table]", async () => {
  const machine = await wiredMachine("claude-code");
  rmSync(join(machine.root, ".mcp.json"));
  const { code, stdout } = await machine.run("doctor");
  assert.equal(code, 1);
  assert.match(stdout, /^Claude Code\n/);
  assert.match(
    stdout,
    /PROBLEM {2}wiring +\S.*\.mcp\.json lacks the MCP server\.\n +→ holdfast init claude-code\n/,
  );
  assert.match(stdout, /Not found: Codex, /);
  assert.match(stdout, /\n1 problem\.\n$/);
  await machine.init("claude-code");
  assert.deepEqual(problemsIn(await machine.examine("claude-code")), []);
});

test("doctor finds a removed hook, and broken JSON with its line [doctor.wiring]", async () => {
  const machine = await wiredMachine("claude-code");
  const settings = join(machine.root, ".claude/settings.json");
  edit(settings, (text) => text.replace('"PreCompact"', '"Notification"'));
  assert.match((await onlyProblem(machine, "claude-code")).detail, /lacks the hook for PreCompact/);
  edit(settings, (text) => text.replace('"hooks"', "hooks"));
  assert.match((await onlyProblem(machine, "claude-code")).detail, /settings\.json, line 2, cannot be read/);
});

test("doctor finds a server whose program is missing or is another program [doctor.server]", async () => {
  const machine = await wiredMachine("opencode");
  const config = join(machine.root, "opencode.json");
  const original = readFileSync(config, "utf8");
  const serverProblem = async (program: string) => {
    writeFileSync(config, original.replace(`exec ${process.execPath}`, `exec ${program}`));
    const problems = problemsIn(await machine.examine("opencode"));
    return problems.find(({ check }) => check === "MCP server")?.detail ?? "";
  };
  assert.match(
    await serverProblem("/nowhere/node"),
    /^\/nowhere\/node .*cli\.[jt]s does not start: .*\/nowhere\/node: /,
  );
  assert.match(await serverProblem("/bin/echo"), /not JSON-RPC/);
  assert.match(await serverProblem("/bin/false"), /exit code 1/);
  writeFileSync(config, original.replace("test -f ", "test -f /nowhere"));
  const [gone] = problemsIn(await machine.examine("opencode"));
  assert.match(gone?.detail ?? "", /^It offers no tools, because there is no \S+node .*cli\.[jt]s\.$/);
});

test("the canary check finds a hook with a wrong command [doctor.canary]", async () => {
  const machine = await wiredMachine("gemini");
  edit(join(machine.root, ".gemini/settings.json"), (text) =>
    text.replaceAll(
      /"command": "[^"]*cli\.[jt]s hook gemini[^"]*"/g,
      '"command": "/nowhere/holdfast hook gemini"',
    ),
  );
  const { check, detail } = await onlyProblem(machine, "gemini");
  assert.equal(check, "canary");
  assert.match(detail, /exit code 127/);
});

test("doctor finds a read-only store, and does not count it as a failure of the hook later [doctor.store]", async () => {
  const machine = await wiredMachine("claude-code");
  const file = join(findProject(machine.root).directory, "memory.db");
  mkdirSync(file, { recursive: true });
  assert.equal((await onlyProblem(machine, "claude-code")).check, "store");
  rmSync(file, { recursive: true });
  assert.deepEqual(problemsIn(await machine.examine("claude-code")), []);
});

test("a hook's failure is a problem; one that doctor caused does not count, and an old one is a note [doctor.last-failure]", () => {
  const directory = temporaryDirectory();
  const now = 1_700_000_000_000;
  const look = (host: string) => checkLastFailure(host, directory, now);
  const failure = { host: "codex", event: "Stop", code: "deadline", message: "The disk was slow." };
  assert.equal(look("codex").status, "ok");
  keepFailure(directory, { ...failure, at: now - 100_000_000 });
  assert.deepEqual([look("codex").status, /The disk was slow/.test(look("codex").detail)], ["note", true]);
  keepFailure(directory, { ...failure, at: now - 5_000 });
  assert.equal(look("codex").status, "problem");
  assert.match(look("codex").detail, /Stop: The disk was slow\./);
  assert.equal(look("gemini").status, "ok", "another host's failure");
  forgetFailures(directory, "codex", now - 6_000);
  assert.equal(look("codex").status, "note");
});

test("a missing database is a note, and does not hide an earlier failure [doctor.last-failure]", () => {
  const directory = temporaryDirectory();
  const keep = (code: string, message: string, at: number) =>
    keepFailure(directory, { at, host: "codex", event: "SessionStart", code, message });
  keep("not_found", "There is no database at memory.db.", 5_000);
  const fresh = checkLastFailure("codex", directory, 6_000);
  assert.deepEqual([fresh.status, /There is no database/.test(fresh.detail)], ["note", true]);
  keep("store_busy", "The database is busy.", 3_000);
  const real = checkLastFailure("codex", directory, 6_000);
  assert.deepEqual([real.status, /is busy/.test(real.detail)], ["problem", true]);
});

test("a recorded hook failure makes doctor exit with 1 [doctor.last-failure]", async () => {
  const machine = await wiredMachine("pi");
  const failure = { host: "pi", event: "context", code: "internal", message: "It broke." };
  keepFailure(findProject(machine.root).directory, { ...failure, at: Date.now() });
  const { code, stdout } = await machine.run("doctor", "pi");
  assert.equal(code, 1);
  assert.match(stdout, /PROBLEM {2}last failure +\S+ context: It broke\.\n/);
});

test("doctor finds disabled hooks and a rejected server [doctor.trust]", async () => {
  const { root, places } = await wiredMachine("claude-code", "gemini", "openclaw");
  for (const file of [".claude.json", ".gemini/trustedFolders.json"]) rmSync(join(places.home, file));
  const only = async (host: string) => {
    const finding = await checkTrust(host, places);
    assert.equal(finding?.status, "problem");
    return finding?.detail ?? "";
  };
  const local = join(root, ".claude/settings.local.json");
  writeFileSync(local, '{ "disableAllHooks": true }');
  assert.match(await only("claude-code"), /Hooks are switched off/);
  writeFileSync(local, '{ "disabledMcpjsonServers": ["holdfast"] }');
  assert.match(await only("claude-code"), /rejected/);
  writeFileSync(local, '{ "enabledMcpjsonServers": ["holdfast"] }');
  assert.match(await only("claude-code"), /does not trust this folder yet/);
  const own = { projects: { [root]: { hasTrustDialogAccepted: true } } };
  writeFileSync(join(places.home, ".claude.json"), JSON.stringify(own));
  assert.equal((await checkTrust("claude-code", places))?.status, "ok");
  const folders = join(places.home, ".gemini/trustedFolders.json");
  assert.match(await only("gemini"), /does not trust this folder,/);
  for (const [trust, status] of Object.entries({ TRUST_FOLDER: "ok", DO_NOT_TRUST: "problem" })) {
    writeFileSync(folders, JSON.stringify({ [root]: trust, [dirname(root)]: "TRUST_FOLDER" }));
    assert.equal((await checkTrust("gemini", places))?.status, status);
  }
  edit(join(root, ".gemini/settings.json"), (text) =>
    text.replace("{", '{ "hooksConfig": { "enabled": false },'),
  );
  assert.match(await only("gemini"), /Hooks are switched off/);
  edit(join(places.home, ".openclaw/openclaw.json"), (text) =>
    text.replace('"plugins": {', '"plugins": { "deny": ["holdfast"],'),
  );
  assert.match(await only("openclaw"), /switched off/);
});

test("doctor knows the plugin wiring, and that init in addition runs every hook twice [doctor.plugin-wiring]", async () => {
  const machine = freshMachine();
  const settings = { "claude-code": ".claude/settings.json", codex: ".codex/config.toml" };
  mkdirSync(join(machine.home, ".claude"));
  mkdirSync(join(machine.home, ".codex"));
  const enable = (isEnabled: boolean) => {
    const enabledPlugins = { "holdfast@holdfast": isEnabled };
    writeFileSync(join(machine.home, settings["claude-code"]), JSON.stringify({ enabledPlugins }));
    const table = `[plugins."holdfast@holdfast"]\nenabled = ${isEnabled}\n`;
    writeFileSync(join(machine.home, settings.codex), table);
  };
  for (const [host, file] of Object.entries(settings)) {
    enable(false);
    assert.match((await machine.examine(host))[0]?.detail ?? "", /not connected yet/);
    enable(true);
    const [, wiring, server] = await machine.examine(host);
    assert.deepEqual([wiring?.status, wiring?.detail.endsWith(file)], ["ok", true]);
    assert.match(server?.detail ?? "", /holdfast, which is not on the PATH/);
  }
  writeFileSync(join(machine.bin, "holdfast"), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`, {
    mode: 0o755,
  });
  const before = process.env.PATH;
  process.env.PATH = machine.places.env.PATH;
  try {
    const findings = await machine.examine("claude-code");
    assert.deepEqual(
      findings.filter(({ status }) => status === "ok").map(({ check }) => check),
      ["wiring", "trust", "MCP server", "canary", "hook", "last failure"],
    );
    await machine.init("claude-code");
    const twice = (await machine.examine("claude-code")).find(({ detail }) => /runs twice/.test(detail));
    assert.equal(twice?.status, "problem");
    assert.match(twice?.remedy ?? "", /holdfast uninstall claude-code/);
  } finally {
    process.env.PATH = before;
  }
});

test("doctor asks Codex which hooks it trusts, and lists those it would skip [doctor.trust]", async () => {
  const machine = await wiredMachine("codex");
  const answer = (hook: object) => {
    const script = `#!${process.execPath}
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const hook = { command: "holdfast hook codex", eventName: "sessionStart", ...${JSON.stringify(hook)} };
        const other = { command: "echo", eventName: "stop", trustStatus: "untrusted" };
        const result = method === "hooks/list" ? { data: [{ hooks: [hook, other] }] } : {};
        if (id) console.log(JSON.stringify({ id, result }));
      });`;
    writeFileSync(join(machine.bin, "codex"), script, { mode: 0o755 });
    return checkTrust("codex", machine.places);
  };
  const untrusted = await answer({ trustStatus: "untrusted", enabled: true });
  assert.equal(untrusted?.detail, "Codex silently skips hooks that you have not reviewed: sessionStart.");
  assert.match(untrusted?.remedy ?? "", /\/hooks/);
  assert.equal((await answer({ trustStatus: "trusted", enabled: false }))?.status, "problem");
  assert.equal((await answer({ command: "something else" }))?.status, "problem");
  assert.equal((await answer({ trustStatus: "trusted", enabled: true }))?.status, "ok");
});

test("a host that is not installed is not a problem; one that is installed but not set up is a note, and a problem if named [doctor.absent]", async () => {
  const machine = freshMachine();
  const nothing = await machine.run("doctor");
  assert.equal(nothing.code, 0);
  assert.equal(
    nothing.stdout,
    "Not found: Claude Code, Codex, Copilot CLI, opencode, Kilo Code, Gemini CLI, Qwen Code, pi, OpenClaw, Cursor.\nNo coding agent was found here. To connect yours: holdfast init HOST.\n",
  );
  mkdirSync(join(machine.home, ".codex"));
  const unwired = await machine.run("doctor");
  assert.equal(unwired.code, 1);
  assert.match(unwired.stdout, /Installed, not connected yet: .*\. Run holdfast init\./);
  assert.equal((await machine.examine("codex"))[0]?.status, "note");
  assert.match((await onlyProblem(machine, "codex", true)).remedy ?? "", /holdfast init codex/);
});

test("doctor also checks a setup for all projects, and a plugin that does not load is a problem [doctor.wiring] [doctor.plugin]", async () => {
  const machine = freshMachine("user");
  await machine.init("pi");
  const findings = await machine.examine("pi");
  assert.deepEqual(problemsIn(findings), []);
  assert.ok(findings.some(({ detail }) => detail === "for all your projects"));
  assert.ok(findings.some(({ check, status }) => check === "canary" && status === "ok"));
  const memory = await openMemory({ store: join(findProject(machine.root).directory, "memory.db") });
  assert.deepEqual(await memory.listSessions({ status: "all" }), []);
  await memory.close();
  // The hosts load the plugin as a module, whatever a package.json above it contains.
  writeFileSync(join(machine.home, ".pi/package.json"), '{ "type": "commonjs" }');
  assert.deepEqual(problemsIn(await machine.examine("pi")), []);
  edit(join(machine.home, ".pi/agent/extensions/holdfast.js"), (text) =>
    text.replace(/from ".*"/, 'from "file:///nowhere.js"'),
  );
  const { check, detail } = await onlyProblem(machine, "pi");
  assert.equal(check, "plugin");
  assert.match(detail, /does not work: .*nowhere\.js/);
});

test("init shows a summary, --diff the lines, a dry run writes nothing, and JSON has the same content [init.shows]", async () => {
  const machine = freshMachine();
  writeFileSync(
    join(machine.root, ".mcp.json"),
    '{\n  "mcpServers": {\n    "github": { "command": "gh" }\n  }\n}\n',
  );
  const dry = await machine.run("init", "claude-code", "--project", "--dry-run");
  assert.equal(dry.code, 0);
  assert.match(dry.stdout, /\n {2}change +\.mcp\.json {2}\+12 -1 lines\n/);
  assert.doesNotMatch(dry.stdout, /mcpServers|"command"/);
  const lines = await machine.run("init", "claude-code", "--project", "--dry-run", "--diff");
  assert.match(
    lines.stdout,
    /\n {4}- {5}"github": \{ "command": "gh" \}\n {4}\+ {5}"github": \{ "command": "gh" \},\n {4}\+ {5}"holdfast": \{\n/,
  );
  assert.match(dry.stdout, /Nothing was written/);
  assert.equal(existsSync(findProject(machine.root).directory), false);
  assert.equal(existsSync(join(machine.root, ".claude")), false);
  const { stdout } = await machine.run("init", "claude-code", "--project", "--json");
  const report = JSON.parse(stdout) as { files: { path: string; action: string }[] };
  assert.deepEqual(
    report.files.map(({ path, action }) => [path, action]),
    [
      [join(machine.root, ".mcp.json"), "change"],
      [join(machine.root, ".claude/settings.json"), "create"],
      [join(machine.root, ".claude/skills/holdfast/SKILL.md"), "create"],
    ],
  );
  const undo = await machine.run("uninstall", "--json");
  assert.equal(undo.code, 0, undo.stderr);
  assert.equal(existsSync(findProject(machine.root).directory), false);
  const nobody = await machine.run("init");
  assert.deepEqual([nobody.code, nobody.stderr.includes(".mcp.json")], [0, false]);
  const stranger = await machine.run("init", "emacs");
  assert.equal(stranger.code, 1);
  assert.match(stranger.stderr, /^holdfast: There is no host "emacs"\. The hosts are claude-code, /);
});
