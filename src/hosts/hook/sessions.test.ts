import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProject, hook, hookProcess, hookProject, inMemory } from "../../../test/support/hook.ts";
import { startProgram } from "../../../test/support/processes.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { findLink } from "../session-link.ts";

const host = "claude-code";

function start(project: HookProject, session_id: string, source: string, more = {}) {
  return hook(project, host, { hook_event_name: "SessionStart", session_id, source, ...more });
}

function current(project: HookProject): string | undefined {
  return findLink({ directory: project.directory, cwd: project.root }, host)?.session;
}

const append = (project: HookProject, session: string, text: string) =>
  inMemory(project, async (memory) => (await memory.openSession(session)).notepad.append(text));

const notepad = (project: HookProject, session: string) =>
  inMemory(project, async (memory) => (await memory.resumeSession(session)).notepad.read());

test("[hooks.clear] after /clear the notes are kept in every later session of the chain", async () => {
  const project = await hookProject();
  await start(project, "a", "startup");
  await append(project, "claude-code.a", "kept through clear");
  await hook(project, host, { hook_event_name: "SessionEnd", session_id: "a", reason: "clear" });
  const cleared = await start(project, "b", "clear");
  assert.match(cleared.context, /was cleared[\s\S]+kept through clear/);
  assert.doesNotMatch(cleared.context, /\[Checkpoint/);
  assert.equal(current(project), "claude-code.a");
  assert.match((await start(project, "c", "clear")).context, /kept through clear/);
  // It still has that memory when resumed after a restart of the host.
  await start(project, "x", "startup");
  assert.equal(current(project), "claude-code.x");
  await start(project, "b", "resume");
  assert.equal(current(project), "claude-code.a");
});

test("[hooks.sessions] a new conversation gets its own memory; a resumed or compacted one keeps its memory", async () => {
  const project = await hookProject();
  await start(project, "a", "startup");
  await append(project, "claude-code.a", "of a");
  assert.doesNotMatch((await start(project, "b", "startup")).context, /of a/);
  assert.equal(current(project), "claude-code.b");
  assert.match((await start(project, "a", "resume")).context, /of a/);
  assert.equal(current(project), "claude-code.a");
  assert.match((await start(project, "a", "compact")).context, /of a/);
  assert.equal(current(project), "claude-code.a");
});

test("[hooks.fork] a forked conversation gets its own copy of the memory", async () => {
  const project = await hookProject();
  await start(project, "a", "startup");
  await append(project, "claude-code.a", "before the fork");
  await start(project, "other", "startup");
  const transcript_path = join(project.root, "t.jsonl");
  writeFileSync(
    transcript_path,
    '{"type":"user","uuid":"1","sessionId":"a","message":{"content":"hello"}}\n',
  );
  const forked = await start(project, "f", "fork", { transcript_path });
  assert.match(forked.context, /forked[\s\S]+before the fork/);
  assert.equal(current(project), "claude-code.f");
  await append(project, "claude-code.f", "in the fork");
  assert.equal(await notepad(project, "claude-code.a"), "before the fork");
  assert.equal(await notepad(project, "claude-code.f"), "before the fork\nin the fork");
  // A second event of the same start changes nothing.
  await start(project, "f", "fork", { transcript_path });
  assert.equal(await notepad(project, "claude-code.f"), "before the fork\nin the fork");
});

test("[hooks.follow] the server of each host follows its own host through start, clear and resume, in one directory", async () => {
  const project = await hookProject();
  const hosts = [1, 2].map(() => startProgram("hook-host.ts", { cwd: project.root, role: "host" }));
  const tell = async (index: number, session_id: string, source: string): Promise<string | undefined> => {
    const program = hosts[index];
    const said = new Promise<string>((resolve) => program?.onLine(resolve));
    program?.say(
      source === ""
        ? "ask"
        : JSON.stringify({ hook_event_name: "SessionStart", session_id, source, cwd: project.root }),
    );
    return said;
  };
  try {
    assert.equal(await tell(0, "a", "startup"), "claude-code.a");
    assert.equal(await tell(1, "", ""), "none");
    assert.equal(await tell(1, "b", "startup"), "claude-code.b");
    assert.equal(await tell(0, "", ""), "claude-code.a");
    assert.equal(await tell(0, "a2", "clear"), "claude-code.a");
    assert.equal(await tell(1, "b2", "clear"), "claude-code.b");
    assert.equal(await tell(1, "a", "resume"), "claude-code.a");
    assert.equal(await tell(0, "new", "startup"), "claude-code.new");
  } finally {
    for (const { process: child } of hosts) child.stdin.end();
  }
  for (const { ended } of hosts) assert.equal((await ended).code, 0);
});

test("[hooks.place] a host's own variable names the project, wherever the agent's shell is", async () => {
  const project = await hookProject();
  await inMemory(project, async (memory) => {
    await (await memory.openSession("claude-code.s1")).notepad.write("the plan");
  });
  const nested = join(project.root, "vendor/clone");
  mkdirSync(join(nested, ".git"), { recursive: true });
  const event = { hook_event_name: "SessionStart", source: "resume", session_id: "s1", cwd: nested };
  const start = (env: Record<string, string>) =>
    hookProcess("claude-code", JSON.stringify(event), { cwd: nested, env });
  assert.match((await start({ CLAUDE_PROJECT_DIR: project.root })).stdout, /the plan/);
  assert.doesNotMatch((await start({ CLAUDE_PROJECT_DIR: "" })).stdout, /the plan/);
});

test("[hooks.place] an agent that removes the worktree that it is in keeps its memory", async () => {
  const project = await hookProject();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], {
      cwd: project.root,
      stdio: "pipe",
    });
  rmSync(join(project.root, ".git"), { recursive: true, force: true });
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message", "begin");
  const worktree = join(realpathSync(temporaryDirectory()), "worktree");
  git("worktree", "add", "--quiet", worktree);
  const start = (source: string, cwd: string) => {
    const event = { hook_event_name: "SessionStart", source, session_id: "w1", cwd };
    return hookProcess("claude-code", JSON.stringify(event), { cwd, env: { CLAUDE_PROJECT_DIR: worktree } });
  };
  await start("startup", worktree);
  await append(project, "claude-code.w1", "the plan");
  git("worktree", "remove", "--force", worktree);
  // Claude Code goes on in the home folder.
  const { stdout, stderr } = await start("compact", temporaryDirectory());
  assert.match(stdout, /the plan/);
  assert.equal(stderr, "");
});
