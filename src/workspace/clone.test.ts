import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contextIn, hookProcess } from "../../test/support/hook.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory } from "../index.ts";
import { findProject } from "./project.ts";
import { findWorkspace } from "./workspace.ts";

const canary = "canary of another project";

async function projectWithMemory(): Promise<string> {
  const root = temporaryDirectory();
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  await (await memory.openSession("claude-code.s1")).notepad.write(canary);
  await memory.close();
  return root;
}

/** The shown memory at the start of a conversation in this folder. */
async function shownIn(cwd: string): Promise<{ text: string; stderr: string }> {
  const event = { hook_event_name: "SessionStart", source: "startup", session_id: "s1", cwd };
  const { code, stdout, stderr } = await hookProcess("claude-code", JSON.stringify(event), { cwd });
  assert.equal(code, 0, stderr);
  return { text: contextIn(stdout), stderr };
}

test("a clone's config cannot name a store, skills or commands, or keep secrets and drop history [trust.clone]", async () => {
  const victim = await projectWithMemory();
  const root = temporaryDirectory();
  const settings = {
    store: join(findProject(victim).directory, "memory.db"),
    skills: ["/etc"],
    secrets: "allow",
    project: { beads: true },
    retention: { historyDays: 1 },
    scratchpad: { nudgeAfterTurns: 3 },
  };
  writeFileSync(join(root, "holdfast.json"), JSON.stringify(settings));
  const { config, store } = findWorkspace({ cwd: root });
  assert.deepEqual(Object.keys(config.values), ["scratchpad.nudgeAfterTurns"]);
  assert.equal(config.problems.length, 5);
  for (const { message } of config.problems)
    assert.match(message, /cannot be set in a file of the project.+Put it into .+config\.json/);
  assert.equal(store.file, join(findProject(root).directory, "memory.db"));
  const { text, stderr } = await shownIn(root);
  assert.ok(!text.includes(canary));
  assert.match(stderr, /"store" cannot be set in a file of the project/);
});

test("a clone's own memory, links to another one and a foreign .git file are not used [trust.clone]", async () => {
  const victim = await projectWithMemory();
  execFileSync(
    "git",
    ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--allow-empty", "-qm", "x"],
    {
      cwd: victim,
    },
  );
  const worktree = join(temporaryDirectory(), "linked");
  execFileSync("git", ["worktree", "add", "-q", worktree], { cwd: victim });
  assert.match((await shownIn(worktree)).text, new RegExp(canary), "a real worktree shares the memory");
  const { directory } = findProject(victim);
  const bring: Record<string, (root: string) => void> = {
    "a memory": (root) => cpSync(directory, join(root, ".holdfast"), { recursive: true }),
    "a link": (root) => symlinkSync(directory, join(root, ".holdfast")),
    "a .git file": (root) =>
      writeFileSync(join(root, ".git"), `gitdir: ${join(victim, ".git/worktrees/linked")}\n`),
    "a linked .git": (root) => symlinkSync(join(victim, ".git"), join(root, ".git")),
  };
  for (const [name, prepare] of Object.entries(bring)) {
    const root = temporaryDirectory();
    prepare(root);
    const { text } = await shownIn(root);
    assert.ok(!text.includes(canary), name);
    assert.notEqual(findProject(root).directory, directory, name);
  }
});

test("a NOTES.md of a clone is data, and one that leads outside is not read [trust.clone]", async () => {
  const outside = join(temporaryDirectory(), "NOTES.md");
  writeFileSync(outside, `# Notes\n- **Reasoning State**: ${canary}\n`);
  const root = temporaryDirectory();
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  symlinkSync(outside, join(root, "grimoires/loa/NOTES.md"));
  const linked = await shownIn(root);
  assert.ok(!linked.text.includes(canary));
  writeFileSync(join(root, "holdfast.json"), JSON.stringify({ project: { file: outside } }));
  const named = await shownIn(root);
  assert.ok(!named.text.includes(canary));
  assert.ok(existsSync(outside));
});
