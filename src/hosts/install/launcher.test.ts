import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { packageRoot } from "../../workspace/package.ts";
import { findLauncher, hookLine, isOurHook, npxLauncher, shellLine } from "./launcher.ts";

test("hosts get plain holdfast only if that is this package and permanently on the PATH [init.command]", () => {
  const base = temporaryDirectory();
  const own = join(base, "cli.js");
  writeFileSync(own, "#!/bin/sh\n", { mode: 0o755 });
  const commandIn = (folder: string) => findLauncher({ PATH: folder }, own).command;
  const [another, npx, lasting] = [join(base, "another"), join(base, "node_modules/.bin"), join(base, "bin")];
  for (const folder of [another, npx, lasting]) mkdirSync(folder, { recursive: true });
  assert.equal(commandIn(lasting), process.execPath);
  writeFileSync(join(another, "holdfast"), "#!/bin/sh\n", { mode: 0o755 });
  assert.equal(commandIn(another), process.execPath, "another program of that name");
  symlinkSync(own, join(npx, "holdfast"));
  assert.equal(commandIn(npx), process.execPath, "npx adds this folder to the PATH only temporarily");
  symlinkSync(own, join(lasting, "holdfast"));
  assert.equal(commandIn(lasting), "holdfast");
  assert.match(findLauncher({ PATH: "" }).args[0] ?? "", /cli\.[jt]s$/);
});

test("a hook's command has the watch before it: by name if that is on the PATH too, otherwise by path [hooks.watch]", {
  skip: process.platform === "win32",
}, () => {
  const base = temporaryDirectory();
  const own = join(base, "cli.js");
  writeFileSync(own, "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync(own, join(base, "holdfast"));
  const line = () => hookLine(findLauncher({ PATH: base }, own), "codex");
  assert.match(line(), /^\/bin\/sh \S+\/bin\/holdfast-watch holdfast hook codex$/);
  symlinkSync(join(packageRoot, "bin/holdfast-watch"), join(base, "holdfast-watch"));
  assert.equal(line(), "holdfast-watch holdfast hook codex");
  const elsewhere = hookLine(findLauncher({ PATH: "" }), "codex", "--event", "stop");
  assert.match(elsewhere, /\/bin\/holdfast-watch \S+ \S+\/cli\.[jt]s hook codex --event stop$/);
  for (const each of [line(), elsewhere]) assert.ok(isOurHook(each, "codex"), each);
  assert.equal(hookLine(npxLauncher, "codex"), "npx --yes holdfast hook codex");
});

test("a shell splits a command line into the original words [init.command]", () => {
  const words = [
    "a b",
    "it's",
    "$HOME",
    "`x`",
    '"q"',
    "a;b|c&d",
    "*",
    "back\\slash",
    "plain-1.2/x",
    "grüße",
    "new\nline",
  ];
  const script = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
  const line = shellLine([process.execPath, "--eval", script, "--", ...words]);
  assert.deepEqual(JSON.parse(execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" })), words);
});

test("our hooks are recognised by their command line, with any launcher [uninstall.edits]", () => {
  for (const line of [
    "holdfast hook codex",
    "/usr/bin/node /opt/holdfast/dist/cli.js hook codex",
    "'/opt/a b/node' '/opt/it'\\''s/src/cli.ts' hook codex",
    `"C:\\node.exe" "C:\\x\\cli.js" hook codex`,
    shellLine(["/a b/node", "/c $d/cli.js", "hook", "codex"]),
  ])
    assert.ok(isOurHook(line, "codex"), line);
  for (const line of [
    "holdfast hook gemini",
    "echo hook codex",
    "holdfast mcp",
    "notholdfast hook codex",
    undefined,
    1,
  ])
    assert.ok(!isOurHook(line, "codex"), String(line));
});
