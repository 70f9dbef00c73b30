import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { type Outcome, runNode } from "../../test/support/command-line.ts";
import { contextIn, hookProcess } from "../../test/support/hook.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { initialize, startMcp } from "../mcp/test-support/mcp-process.ts";
import { openWorkspaceMemory } from "./open-memory.ts";
import { findProject } from "./project.ts";
import { findWorkspace } from "./workspace.ts";

const cli = join(import.meta.dirname, "../cli.ts");
const planted = "planted by someone else";
const startEvent = { session_id: "s1", hook_event_name: "SessionStart", source: "startup" };

process.env.XDG_STATE_HOME = temporaryDirectory();

function git(cwd: string, ...args: string[]): void {
  const identity = [
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@example.com",
    "-c",
    "protocol.file.allow=always",
  ];
  execFileSync("git", [...identity, ...args], { cwd, stdio: "ignore" });
}

/** A store as someone else made it: without this user's binding. */
async function plantMemory(root: string, store = join(root, ".holdfast", "memory.db")): Promise<void> {
  mkdirSync(join(root, ".holdfast"), { recursive: true });
  const memory = await openMemory({ store });
  const session = await memory.openSession("claude-code.s1");
  await session.notepad.write(planted);
  await session.notes.add(planted, ["x"]);
  await memory.close();
}

/** A clone of a repository with force-added memory. */
async function clone(options: string[] = []): Promise<string> {
  const source = temporaryDirectory();
  git(source, "init", "-q");
  await plantMemory(source);
  writeFileSync(join(source, "README.md"), "hello");
  git(source, "add", "-f", ".");
  git(source, "commit", "-qm", "all");
  const root = join(temporaryDirectory(), "clone");
  git(source, ...options, "clone", "-q", source, root);
  return root;
}

const run = (cwd: string, ...args: string[]): Promise<Outcome> =>
  runNode([cli, ...args], process.execPath, { cwd, env: { HOLDFAST_DB: "", HOLDFAST_STORE: "" } });

const start = (cwd: string) =>
  hookProcess("claude-code", JSON.stringify({ ...startEvent, cwd }), {
    cwd,
    env: { XDG_STATE_HOME: process.env.XDG_STATE_HOME ?? "" },
  });

async function assertNotShown(root: string, context: { after(work: () => unknown): void }): Promise<void> {
  const hook = await start(root);
  assert.equal(hook.code, 0);
  assert.ok(!hook.stdout.includes(planted), hook.stdout);
  assert.match(hook.stderr, /is not used/);
  assert.match(contextIn(hook.stdout), /holdfast trust/);
  const mcp = startMcp(context as never, ["--session", "claude-code.s1"], {
    cwd: root,
    env: { XDG_STATE_HOME: process.env.XDG_STATE_HOME ?? "" },
  });
  await initialize(mcp);
  assert.ok(!JSON.stringify(await mcp.call("read_notepad")).includes(planted));
  await mcp.call("write_notepad", { content: "my own" });
  assert.match(JSON.stringify(await mcp.call("read_notepad")), /my own/);
  await mcp.end();
  const again = await start(root);
  assert.match(contextIn(again.stdout), /my own/);
  const doctor = await run(root, "doctor");
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /is not used/);
}

test("memory that a clone brings is not shown, is named, and agents work on a store of their own [trust.clone] [trust.own-store]", async (context) => {
  const root = await clone();
  const before = readFileSync(join(root, ".holdfast", "memory.db"));
  await assertNotShown(root, context);
  const shown = await run(root, "show", "claude-code.s1");
  assert.match(shown.stdout, /my own/);
  assert.ok(!shown.stdout.includes(planted));
  assert.deepEqual(readFileSync(join(root, ".holdfast", "memory.db")), before, "it was changed");
  const { directory } = findProject(root);
  assert.ok(directory.startsWith(process.env.XDG_STATE_HOME ?? "-"));
});

test("memory in an unpacked archive is not shown, inside another work tree either [trust.archive]", async (context) => {
  const root = temporaryDirectory();
  await plantMemory(root);
  await assertNotShown(root, context);
  const home = temporaryDirectory();
  git(home, "init", "-q");
  const unpacked = join(home, "unpacked");
  mkdirSync(unpacked);
  await plantMemory(unpacked);
  assert.equal(findProject(unpacked).quarantine?.reason, "unbound");
});

test("tracked memory is found in every form of Git's index [trust.index]", async () => {
  const root = await clone();
  const reasonOf = (path: string) => findProject(path).quarantine?.reason;
  for (const version of ["2", "3", "4"]) {
    git(root, "update-index", "--index-version", version);
    assert.equal(reasonOf(root), "tracked", `version ${version}`);
  }
  // Neighbours with a common prefix, so that version 4 cuts the path in the middle of the folder's name.
  mkdirSync(join(root, ".holdfasu"));
  writeFileSync(join(root, ".hold"), "x");
  writeFileSync(join(root, ".holdfasu", "b"), "x");
  git(root, "add", ".hold", ".holdfasu/b");
  git(root, "update-index", "--index-version", "4");
  assert.equal(reasonOf(root), "tracked");
  git(root, "update-index", "--split-index");
  assert.equal(reasonOf(root), "tracked");
  const tree = join(temporaryDirectory(), "tree");
  git(root, "worktree", "add", "-q", tree);
  assert.equal(reasonOf(tree), "tracked");
  git(root, "update-index", "--no-split-index");
  git(root, "rm", "-rqf", "--cached", ".holdfast");
  assert.equal(reasonOf(root), undefined, "removed from the index by the user");
});

test("a .holdfast that is a submodule is not trusted [trust.index]", async () => {
  const inner = temporaryDirectory();
  git(inner, "init", "-q");
  await plantMemory(inner, join(inner, "memory.db"));
  git(inner, "add", "-f", "memory.db");
  git(inner, "commit", "-qm", "memory");
  const outer = temporaryDirectory();
  git(outer, "init", "-q");
  git(outer, "submodule", "--quiet", "add", inner, ".holdfast");
  git(outer, "commit", "-qm", "submodule");
  assert.equal(findProject(outer).quarantine?.reason, "tracked");
});

test("a folder that this user made stays trusted when it moves, and is not trusted with another key [trust.bound]", async () => {
  const root = join(temporaryDirectory(), "project");
  mkdirSync(root);
  const memory = await openWorkspaceMemory({ cwd: root });
  await (await memory.openSession("s")).notepad.write("mine");
  await memory.close();
  assert.equal(findProject(root).quarantine, undefined);
  const moved = join(temporaryDirectory(), "moved");
  renameSync(root, moved);
  assert.equal(findProject(moved).quarantine, undefined);
  const home = process.env.XDG_STATE_HOME;
  try {
    process.env.XDG_STATE_HOME = temporaryDirectory();
    assert.equal(findProject(moved).quarantine?.reason, "unbound");
    await (await openWorkspaceMemory({ cwd: temporaryDirectory() })).close();
    assert.equal(findProject(moved).quarantine?.reason, "unbound", "another user's key fits");
    const key = join(process.env.XDG_STATE_HOME, "holdfast", "key");
    writeFileSync(key, readFileSync(join(home ?? "", "holdfast", "key")));
    chmodSync(key, 0o644);
    assert.equal(findProject(moved).quarantine?.reason, "unbound", "a key that others can read was used");
  } finally {
    process.env.XDG_STATE_HOME = home;
  }
});

test("a folder from an earlier version is the user's own in a work tree that does not track it [trust.earlier]", async () => {
  const root = temporaryDirectory();
  git(root, "init", "-q");
  writeFileSync(join(root, "a.txt"), "x");
  git(root, "add", "a.txt");
  await plantMemory(root);
  assert.equal(findProject(root).quarantine, undefined);
  await (await openWorkspaceMemory({ cwd: root })).close();
  assert.ok(existsSync(join(root, ".holdfast", "binding.json")));
  // Files that teams share on purpose are not memory.
  writeFileSync(join(root, ".holdfast", "config.json"), "{}");
  writeFileSync(join(root, ".holdfast", "NOTES.md"), "# Notes");
  mkdirSync(join(root, ".holdfast", "discovery"));
  writeFileSync(join(root, ".holdfast", "discovery", "src.md"), "# src");
  git(root, "add", "-f", ".holdfast/config.json", ".holdfast/NOTES.md", ".holdfast/discovery");
  assert.equal(findProject(root).quarantine, undefined);
  // A pull may replace ignored files: then they are tracked.
  git(root, "add", "-f", ".holdfast/memory.db");
  assert.equal(findProject(root).quarantine?.reason, "tracked");
});

test("links and special files at or in .holdfast are refused and not followed [trust.links]", {
  skip: process.platform === "win32",
}, async (context) => {
  const elsewhere = temporaryDirectory();
  await plantMemory(elsewhere);
  const plant: Record<string, (root: string) => unknown> = {
    folder: (root) => symlinkSync(join(elsewhere, ".holdfast"), join(root, ".holdfast")),
    file: (root) => {
      mkdirSync(join(root, ".holdfast"));
      symlinkSync(join(elsewhere, ".holdfast", "memory.db"), join(root, ".holdfast", "memory.db"));
    },
    links: (root) => {
      mkdirSync(join(root, ".holdfast"));
      symlinkSync(elsewhere, join(root, ".holdfast", "links"));
    },
    pipe: (root) => {
      mkdirSync(join(root, ".holdfast"));
      execFileSync("mkfifo", [join(root, ".holdfast", "memory.db")]);
    },
    socket: async (root) => {
      mkdirSync(join(root, ".holdfast"));
      const server = createServer().listen(join(root, ".holdfast", "memory.db"));
      await new Promise((resolve) => server.once("listening", resolve));
      context.after(() => server.close());
    },
  };
  const before = readdirSync(elsewhere, { recursive: true }).sort();
  for (const [name, make] of Object.entries(plant)) {
    const root = temporaryDirectory();
    git(root, "init", "-q");
    await make(root);
    assert.equal(findProject(root).quarantine?.reason, "link", name);
    const hook = await start(root);
    assert.ok(!hook.stdout.includes(planted), name);
    assert.match(hook.stderr, /link or a special file/, name);
    const trusted = await run(root, "trust", "--yes");
    assert.equal(trusted.code, 1, name);
    assert.equal(findProject(root).quarantine?.reason, "link", name);
  }
  assert.deepEqual(
    readdirSync(elsewhere, { recursive: true }).sort(),
    before,
    "something was written through a link",
  );
});

test("trust shows what is quarantined and accepts it, but not what a pull brings later [trust.accept]", async () => {
  const root = await clone();
  const shown = await run(root, "trust");
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /claude-code\.s1 +1 note, 23 characters/);
  assert.match(shown.stdout, new RegExp(planted));
  assert.equal(findProject(root).quarantine?.reason, "tracked", "looking at it accepted it");
  assert.match((await run(root, "trust", "--yes")).stdout, /Accepted/);
  assert.equal(findProject(root).quarantine, undefined);
  assert.match(contextIn((await start(root)).stdout), new RegExp(planted));
  assert.match((await run(root, "trust")).stdout, /Nothing is quarantined/);
  writeFileSync(join(root, ".holdfast", "other.db"), "x");
  git(root, "add", "-f", ".holdfast/other.db");
  assert.equal(findProject(root).quarantine?.reason, "tracked", "a new file was accepted");
  // The binding of one project does not fit what another one accepts.
  const archive = temporaryDirectory();
  cpSync(join(root, ".holdfast"), join(archive, ".holdfast"), { recursive: true });
  const binding = JSON.parse(readFileSync(join(root, ".holdfast", "binding.json"), "utf8"));
  binding.accepted["other.db"] = "0".repeat(40);
  writeFileSync(join(archive, ".holdfast", "binding.json"), JSON.stringify(binding));
  assert.equal(findProject(archive).quarantine?.reason, "unbound", "a changed binding is valid");
});

test("single sessions of quarantined memory can be imported [trust.import]", async () => {
  const root = await clone();
  const { code, stdout, stderr } = await run(
    root,
    "import",
    "--quarantined",
    "claude-code.s1",
    "--session",
    "taken",
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Imported as session taken/);
  assert.match((await run(root, "show", "taken")).stdout, new RegExp(planted));
  assert.equal(findProject(root).quarantine?.reason, "tracked");
  assert.match((await run(root, "import", "--quarantined", "nobody")).stderr, /holdfast trust/);
});

test("a config from the repository cannot choose a store elsewhere until it is accepted [trust.config]", async () => {
  const root = temporaryDirectory();
  const other = temporaryDirectory();
  await plantMemory(other);
  git(root, "init", "-q");
  mkdirSync(join(root, ".holdfast"));
  const file = join(root, ".holdfast", "config.json");
  const configure = (store: string) => writeFileSync(file, JSON.stringify({ store }));
  configure(join(other, ".holdfast", "memory.db"));
  assert.equal(findWorkspace({ cwd: root }).store.source, "config", "the user's own config");
  git(root, "add", "-f", ".holdfast/config.json");
  const hook = await start(root);
  assert.ok(!hook.stdout.includes(planted));
  assert.match(hook.stderr, /names a store that is not used/);
  configure("postgres://me:secret@db.example/x");
  const { store } = findWorkspace({ cwd: root });
  assert.equal(store.source, "default");
  assert.match(store.problem ?? "", /postgres:\/\/me@db\.example/);
  assert.doesNotMatch(store.problem ?? "", /secret/);
  configure(".holdfast/sessions.db");
  assert.equal(findWorkspace({ cwd: root }).store.source, "config", "inside .holdfast");
  configure(join(other, ".holdfast", "memory.db"));
  assert.match((await run(root, "trust", "--yes")).stdout, /Accepted/);
  assert.match(contextIn((await start(root)).stdout), new RegExp(planted));
  rmSync(join(root, ".git"), { recursive: true });
  configure("../elsewhere.db");
  rmSync(join(root, ".holdfast", "binding.json"));
  assert.equal(findWorkspace({ cwd: root }).store.source, "default", "an archive's config");
});
