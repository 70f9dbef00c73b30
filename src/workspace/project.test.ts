import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { stateFolder } from "../state-folder.ts";
import { openMemoryIn } from "./open-memory.ts";
import { findProject } from "./project.ts";
import { findWorkspace } from "./workspace.ts";

function git(root: string, ...args: string[]): void {
  const options = ["user.name=T", "user.email=t@example.org", "protocol.file.allow=always"];
  execFileSync("git", ["-C", root, ...options.flatMap((each) => ["-c", each]), ...args], { stdio: "pipe" });
}

/** A folder with a repository `name` that has one commit. */
function repository(name = "main"): { base: string; root: string } {
  const base = realpathSync(temporaryDirectory());
  const root = join(base, name);
  mkdirSync(root);
  git(root, "init", "-q");
  git(root, "commit", "-qm", "first", "--allow-empty");
  return { base, root };
}

const folderOf = (root: string) => findProject(root).directory;

test("all worktrees of a repository share a folder, found from anywhere in them [store.default]", () => {
  const { base, root } = repository();
  for (const path of ["../one", "../deep/two", "inside"]) git(root, "worktree", "add", "-q", path);
  mkdirSync(join(base, "one/packages/a"), { recursive: true });
  for (const path of ["one", "one/packages/a", "deep/two", "main/inside"]) {
    const { root: found, directory } = findProject(join(base, path));
    assert.equal(directory, folderOf(root), path);
    assert.equal(found, join(base, path.replace("/packages/a", "")), "each has its own root");
  }
  assert.match(basename(folderOf(root)), /^main-[0-9a-f]{16}$/);
  assert.equal(dirname(folderOf(root)), join(stateFolder(), "projects"));
  git(root, "worktree", "move", "../one", "../moved");
  assert.equal(folderOf(join(base, "moved")), folderOf(root));
  symlinkSync(join(base, "deep/two"), join(base, "link"));
  symlinkSync(root, join(base, "to-main"));
  for (const path of ["link", "to-main"]) assert.equal(folderOf(join(base, path)), folderOf(root), path);
});

test("worktrees with relative paths, as newer versions of git write them, share a folder too [store.default]", () => {
  const { base, root } = repository();
  git(root, "worktree", "add", "-q", "../one");
  const [worktree, entry] = [join(base, "one"), join(root, ".git/worktrees/one")];
  writeFileSync(join(worktree, ".git"), `gitdir: ${relative(worktree, entry)}\n`);
  writeFileSync(join(entry, "gitdir"), `${relative(entry, join(worktree, ".git"))}\n`);
  assert.equal(folderOf(worktree), folderOf(root));
});

test("the worktrees of a bare repository share its folder [store.default]", () => {
  const { base, root } = repository();
  git(base, "clone", "-q", "--bare", root, "bare.git");
  const bare = join(base, "bare.git");
  for (const path of ["../one", "../two"]) git(bare, "worktree", "add", "-q", "-b", basename(path), path);
  assert.equal(folderOf(join(base, "one")), folderOf(join(base, "two")));
  assert.equal(folderOf(join(base, "one")), folderOf(bare));
  assert.match(basename(folderOf(bare)), /^bare\.git-/);
  assert.notEqual(folderOf(join(base, "one")), folderOf(root));
});

test("a submodule and another clone have folders of their own [store.default]", () => {
  const { base, root } = repository();
  const library = repository("library");
  git(root, "submodule", "--quiet", "add", library.root, "library");
  assert.ok(statSync(join(root, "library/.git")).isFile());
  git(base, "clone", "-q", root, "clone");
  const roots = [root, join(root, "library"), library.root, join(base, "clone")];
  assert.equal(new Set(roots.map(folderOf)).size, roots.length);
});

test("folders of the same name have folders of their own, and odd names are safe [store.default]", () => {
  const base = temporaryDirectory();
  const roots = ["a/x", "b/x", "a/what? now", "a/..x", "a/grüße"].map((path) => join(base, path));
  for (const root of roots) mkdirSync(join(root, ".git"), { recursive: true });
  assert.equal(new Set(roots.map(folderOf)).size, roots.length);
  for (const root of roots) {
    assert.match(basename(folderOf(root)), /^[\w.-]+-[0-9a-f]{16}$/);
    assert.equal(dirname(folderOf(root)), join(stateFolder(), "projects"));
  }
});

/** A repository with a worktree, and a folder that an archive brought. */
function victim(): { root: string; worktree: string; brought: string } {
  const { base, root } = repository("victim");
  git(root, "worktree", "add", "-q", "../worktree");
  const brought = join(base, "brought");
  mkdirSync(brought);
  return { root, worktree: join(base, "worktree"), brought };
}

test("a .git file that names a repository which does not name it gets a folder of its own [store.default]", () => {
  const { root, worktree, brought } = victim();
  const own = folderOf(brought);
  const written = [
    readFileSync(join(worktree, ".git"), "utf8"),
    `gitdir: ${join(root, ".git")}\n`,
    "gitdir: ../victim/.git/worktrees/worktree\n",
    "gitdir: ../victim/.git/worktrees/none\n",
    "gitdir: \n",
    "",
  ];
  for (const text of written) {
    writeFileSync(join(brought, ".git"), text);
    assert.equal(folderOf(brought), own, text);
  }
  assert.notEqual(own, folderOf(root));
});

test("a .git file with an entry of its own that names another repository gets a folder of its own [store.default]", () => {
  const { root, brought } = victim();
  const own = folderOf(brought);
  mkdirSync(join(brought, "entry"));
  writeFileSync(join(brought, ".git"), "gitdir: entry\n");
  writeFileSync(join(brought, "entry/gitdir"), "../.git\n");
  for (const common of [join(root, ".git"), "../../victim/.git"]) {
    writeFileSync(join(brought, "entry/commondir"), `${common}\n`);
    assert.equal(folderOf(brought), own, common);
  }
});

test("a .git that is a link to a worktree's gets a folder of its own [store.default]", () => {
  const { worktree, brought } = victim();
  const own = folderOf(brought);
  symlinkSync(join(worktree, ".git"), join(brought, ".git"));
  assert.equal(folderOf(brought), own);
});

test("the folder and its files are private to their owner, and nothing is written to the project [store.default]", async (context) => {
  const { XDG_STATE_HOME } = process.env;
  process.env.XDG_STATE_HOME = temporaryDirectory();
  context.after(() => {
    process.env.XDG_STATE_HOME = XDG_STATE_HOME;
  });
  const { root } = repository();
  const { directory } = findProject(root);
  const open = async () => {
    const memory = await openMemoryIn(findWorkspace({ cwd: root }));
    await (await memory.openSession("s")).notepad.write("private");
    await memory.close();
  };
  assert.equal(existsSync(directory), false);
  const umask = process.umask(0);
  try {
    await open();
  } finally {
    process.umask(umask);
  }
  const mode = (path: string) => statSync(path).mode & 0o777;
  for (const folder of [directory, dirname(directory), stateFolder()]) assert.equal(mode(folder), 0o700);
  assert.ok(readdirSync(directory).includes("memory.db"));
  for (const name of readdirSync(directory)) assert.equal(mode(join(directory, name)), 0o600, name);
  assert.deepEqual(readdirSync(root), [".git"]);
  chmodSync(directory, 0o755);
  await open();
  assert.equal(mode(directory), 0o700);
});
