import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { checkId } from "../sessions/options.ts";
import { findProject, makeProjectDirectory } from "../workspace/project.ts";
import { findHostProcess, isAlive, listAncestors, parseTable } from "./processes.ts";
import { dropStaleLinks, findLink, followSession, linkSession, sessionIdOf } from "./session-link.ts";

const host = "claude-code";

function place(): { directory: string; cwd: string } {
  const cwd = temporaryDirectory();
  return { cwd, directory: findProject(cwd).directory };
}

test("[hooks.ids] a host's session gets an id that every store accepts, whatever the host calls it", () => {
  const plain = "0b7c8a52-2f7e-4a8e-9f0f-0d6a0a8d2a11";
  assert.equal(sessionIdOf(host, plain), `claude-code.${plain}`);
  for (const odd of ["", "../../etc", "a/b", "a..b", "x".repeat(500), "$(rm -rf ~)", "ünï", "a\nb"]) {
    const id = sessionIdOf(host, odd);
    assert.equal(checkId(id, "session id"), id);
    assert.equal(sessionIdOf(host, odd), id);
  }
  assert.notEqual(sessionIdOf(host, "a/b"), sessionIdOf(host, "a:b"));
});

test("[hooks.follow] a follower sees each new session at once without being recreated", async () => {
  const here = place();
  const follower = followSession({ ...here, host, fallback: "alone" });
  assert.equal(await follower.current(), "alone");
  linkSession({ ...here, host, hostSession: "one" });
  assert.equal(await follower.current(), "claude-code.one");
  linkSession({ ...here, host, hostSession: "two" });
  assert.equal(await follower.current(), "claude-code.two");
  linkSession({ ...here, host, hostSession: "three", continues: "claude-code.two" });
  assert.equal(await follower.current(), "claude-code.two");
  linkSession({ ...here, host, hostSession: "one" });
  assert.equal(await follower.current(), "claude-code.one");
  // A session that continues another memory still does so when resumed.
  assert.equal(linkSession({ ...here, host, hostSession: "three" }), "claude-code.two");
});

test("[hooks.follow] ignores the link of another host, of a reused pid, and a damaged one", () => {
  const here = place();
  linkSession({ ...here, host, hostSession: "one" });
  assert.equal(findLink(here, "codex"), undefined);
  const links = join(here.directory, "links");
  const own = findHostProcess();
  for (const name of readdirSync(links)) {
    const link = JSON.parse(readFileSync(join(links, name), "utf8"));
    writeFileSync(join(links, name), JSON.stringify({ ...link, process: { ...own, start: "another" } }));
  }
  // The process is gone, so the directory's last session applies.
  assert.equal(findLink(here, host)?.session, "claude-code.one");
  dropStaleLinks(here.directory);
  assert.deepEqual(
    readdirSync(links).filter((name) => name.startsWith("process-")),
    [],
  );
  for (const name of readdirSync(links)) writeFileSync(join(links, name), '{"host":');
  assert.equal(findLink(here, host), undefined);
});

test("[hooks.follow] ignores the directory's link while another host that made it is running", async () => {
  const here = place();
  linkSession({ ...here, host, hostSession: "one" });
  const other = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  await once(other, "spawn");
  const [found] = listAncestors(other.pid);
  assert.ok(found && isAlive(found));
  const links = join(here.directory, "links");
  for (const name of readdirSync(links)) {
    const link = JSON.parse(readFileSync(join(links, name), "utf8"));
    writeFileSync(join(links, name), JSON.stringify({ ...link, process: found }));
  }
  assert.equal(findLink(here, host), undefined);
  other.kill();
  await once(other, "exit");
  assert.equal(findLink(here, host)?.session, "claude-code.one");
});

test("[hooks.link-files] links are small, private to their owner, and the least recently used are dropped", () => {
  const here = place();
  for (let n = 0; n < 30; n++)
    linkSession({ ...here, host, hostSession: `s${n}`, continues: "claude-code.s" });
  const links = join(here.directory, "links");
  assert.ok(readdirSync(links).length >= 30);
  for (const name of readdirSync(links)) {
    const { mode, size } = statSync(join(links, name));
    assert.equal(mode & 0o777, 0o600);
    assert.ok(size < 1_000);
  }
  dropStaleLinks(here.directory, 10);
  assert.ok(readdirSync(links).length <= 11);
  assert.equal(findLink(here, host)?.hostSession, "s29");
});

test("[hooks.processes] parses the process table of macOS", () => {
  const table = parseTable(
    [
      "    1     0 Mon Oct  5 09:00:01 2026     /sbin/launchd",
      "  501     1 Mon Oct  5 09:12:44 2026     /Applications/My App.app/Contents/MacOS/claude",
      "  502   501 Mon Oct 15 09:12:45 2026     -zsh",
      "nonsense",
    ].join("\n"),
  );
  assert.equal(table.size, 3);
  assert.deepEqual(table.get(501), {
    pid: 501,
    parent: 1,
    start: "Mon Oct  5 09:12:44 2026",
    name: "claude",
  });
  const ancestors = [502, 501].flatMap((pid) => table.get(pid) ?? []);
  assert.equal(findHostProcess(ancestors)?.pid, 501);
});

test("[hooks.project] the project is the nearest folder with a config or .git; its folder is private", () => {
  const root = temporaryDirectory();
  const inner = join(root, "packages", "one");
  mkdirSync(inner, { recursive: true });
  assert.equal(findProject(inner).root, inner);
  mkdirSync(join(root, ".git"));
  assert.equal(findProject(inner).root, root);
  // A config in the home folder is for agents started there, not for every folder below.
  const home = temporaryDirectory();
  const before = process.env.HOME;
  process.env.HOME = home;
  try {
    mkdirSync(join(home, "work", "deep"), { recursive: true });
    for (const folder of [home, join(home, "work")]) writeFileSync(join(folder, "holdfast.json"), "{}");
    mkdirSync(join(home, "other"));
    assert.equal(findProject(home).root, home);
    assert.equal(findProject(join(home, "work", "deep")).root, join(home, "work"));
    assert.equal(findProject(join(home, "other")).root, join(home, "other"));
  } finally {
    process.env.HOME = before;
  }
  const { directory } = findProject(inner);
  makeProjectDirectory(directory);
  makeProjectDirectory(directory);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
});
