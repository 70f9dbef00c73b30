import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { runNode } from "../../../test/support/command-line.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

const checkout = join(import.meta.dirname, "../../..");

/** A home folder of its own: init writes there. */
const home = temporaryDirectory();

/** Starts the CLI as `npm --prefix CHECKOUT run SCRIPT` does. */
function npmRun(script: string, directory: string, ...args: string[]) {
  return runNode([join(checkout, "src/cli.ts"), ...args], process.execPath, {
    cwd: checkout,
    env: {
      npm_lifecycle_event: script,
      INIT_CWD: directory,
      PATH: "",
      HOME: home,
      XDG_STATE_HOME: undefined,
      XDG_CONFIG_HOME: undefined,
    },
  });
}

test("from a checkout, commands work on the directory the person is in [init.checkout]", async () => {
  const project = temporaryDirectory();
  mkdirSync(join(project, ".git"));
  const inside = join(project, "packages");
  mkdirSync(inside);
  const [init, config, other] = await Promise.all([
    npmRun("holdfast", inside, "init", "claude-code", "--project", "--dry-run", "--json"),
    npmRun("holdfast", inside, "config", "--json"),
    npmRun("bench", inside, "init", "claude-code", "--dry-run", "--json"),
  ]);
  assert.equal(init.code, 0, init.stderr);
  const plan = JSON.parse(init.stdout) as { root: string; machinePaths: string[] };
  assert.equal(plan.root, project);
  assert.deepEqual(plan.machinePaths, [".mcp.json", join(".claude", "settings.json")]);
  assert.ok(config.stdout.includes(basename(project)), config.stdout);
  assert.equal((JSON.parse(other.stdout) as { root: string }).root, checkout, "another npm script stays");
});

test("init lists the paths of this machine that it wrote, and the next steps [init.machine-paths] [init.next]", async () => {
  const project = temporaryDirectory();
  const { stdout, code } = await npmRun("holdfast", project, "init", "claude-code", "--project");
  assert.equal(code, 0);
  assert.match(stdout, /For a teammate without Holdfast, the hooks do nothing: no output, exit code 0/);
  assert.match(stdout, /open now does not have the tools yet\.[\s\S]*claude --continue/);
  assert.match(stdout, /contain paths of this machine: \.mcp\.json, \.claude.settings\.json\.\n/);
  assert.match(stdout, /replace these paths\.[^\n]*\n +npm --prefix \S+ run holdfast -- init --portable\n/);
  assert.match(stdout, /Start Claude Code as usual/);
  const portable = await npmRun("holdfast", project, "init", "claude-code", "--portable");
  assert.match(portable.stdout, /the hooks do nothing/);
  assert.doesNotMatch(portable.stdout, /paths of this machine/);
  assert.match(
    portable.stdout,
    /there is none here\. Until you install it, they do nothing: npm install --global/,
  );
  for (const command of ["serve", "doctor", "uninstall"])
    assert.match(stdout, new RegExp(`npm --prefix \\S+ run holdfast -- ${command}\n`));
});

test("several inits at once lose nothing of each other's record [init.at-once]", async () => {
  const project = temporaryDirectory();
  const names = ["claude-code", "codex", "gemini", "qwen", "cursor", "pi"];
  const runs = await Promise.all(names.map((name) => npmRun("holdfast", project, "init", name, "--user")));
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  const text = readFileSync(join(home, ".config/holdfast/installed.json"), "utf8");
  const { files } = JSON.parse(text) as { files: { host: string }[] };
  assert.deepEqual([...new Set(files.map(({ host }) => host))].toSorted(), names.toSorted());
  const { code } = await npmRun("holdfast", project, "uninstall", "--user");
  assert.equal(code, 0);
  assert.deepEqual(
    globSync(".*", { cwd: home }).filter((name) => !/^\.(local|cache)$/.test(name)),
    [],
  );
});

test("init, uninstall and doctor name a file or folder without access, and the next step [init.refuses]", {
  skip: process.platform === "win32",
}, () => {
  const project = temporaryDirectory();
  const [open, readOnly] = [join(project, "open"), join(project, "read-only")];
  mkdirSync(join(open, ".claude"), { recursive: true });
  mkdirSync(readOnly);
  writeFileSync(join(open, ".claude/settings.json"), "{}\n");
  for (const folder of [project, open, join(open, ".claude")]) chmodSync(folder, 0o777);
  chmodSync(join(open, ".claude/settings.json"), 0o000);
  chmodSync(readOnly, 0o555);
  const run = (HOME: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(checkout, "src/cli.ts"), ...args], {
      cwd: project,
      env: { HOME, PATH: "" },
      encoding: "utf8",
      // Root has access to everything, so the command runs as another user then.
      ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
    });
  const unreadable =
    /settings\.json cannot be read \(EACCES\)\. Nothing was changed\. Make it readable for you/;
  const init = run(open, "init", "claude-code", "--user");
  assert.deepEqual([init.status, init.stdout], [1, ""]);
  assert.match(init.stderr, unreadable);
  const doctor = run(open, "doctor", "claude-code");
  assert.equal(doctor.status, 1);
  assert.match(doctor.stdout.replaceAll(/\s+/g, " "), unreadable);
  assert.doesNotMatch(doctor.stdout, /Not connected/);
  const uninstall = run(open, "uninstall");
  assert.deepEqual([uninstall.status, uninstall.stderr], [0, ""]);
  const { status, stderr } = run(readOnly, "init", "claude-code", "--user");
  assert.equal(status, 1);
  assert.match(
    stderr,
    /installed\.json could not be written: EACCES.*Make its folder writable and run the command again/,
  );
});
