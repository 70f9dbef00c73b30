import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import {
  findLauncher,
  findProgram,
  hookLine,
  isOurHook,
  type Launcher,
  portableLauncher,
  sharedServer,
  shellLine,
  windowsLine,
} from "./launcher.ts";

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

test("a hook's command does nothing if its program is gone, in every shell [hooks.gone]", {
  skip: process.platform === "win32",
}, () => {
  const base = temporaryDirectory();
  const own = join(base, "cli.js");
  writeFileSync(own, "#!/bin/sh\necho ran\n", { mode: 0o755 });
  symlinkSync(own, join(base, "holdfast"));
  const onPath = hookLine(findLauncher({ PATH: base }, own), "codex");
  assert.equal(onPath, "command -v holdfast >/dev/null && holdfast hook codex || exit 0");
  const elsewhere = hookLine({ command: "/bin/sh", args: [own] }, "codex", "--event", "stop");
  assert.equal(elsewhere, `test -f ${own} && /bin/sh ${own} hook codex --event stop || exit 0`);
  assert.equal(hookLine(portableLauncher, "codex"), onPath);
  for (const line of [onPath, elsewhere]) assert.ok(isOurHook(line, "codex"), line);
  const shells = ["sh", "dash", "bash", "zsh", "fish"].filter((shell) => findProgram(shell) !== undefined);
  const results = () =>
    shells.flatMap((shell) =>
      [onPath, elsewhere].map((line) => {
        // With another home, no shell reads the developer's own settings.
        const env = { HOME: base, PATH: `${base}:${process.env.PATH}` };
        const { status, stdout, stderr } = spawnSync(shell, ["-c", line], { env, encoding: "utf8" });
        return `${status} ${stdout}${stderr}`.trim();
      }),
    );
  assert.deepEqual(new Set(results()), new Set(["0 ran"]));
  for (const name of ["holdfast", "cli.js"]) rmSync(join(base, name));
  assert.deepEqual(new Set(results()), new Set(["0"]));
});

test("without its program, the server of a project's files answers every request and offers nothing [init.teammate]", {
  skip: process.platform === "win32",
}, () => {
  const base = temporaryDirectory();
  const own = join(base, "cli.js");
  const run = (launcher: Launcher, input = "") => {
    const { command, args } = sharedServer(launcher);
    const env = { PATH: `${base}:${process.env.PATH}` };
    const { status, stdout, stderr } = spawnSync(command, [...args, "mcp", "a b"], {
      env,
      input,
      encoding: "utf8",
    });
    assert.equal(`${status}${stderr}`, "0");
    return stdout;
  };
  const elsewhere = { command: "/bin/sh", args: [own] };
  // The orders of the two libraries that clients are built with, and a message of the user that quotes a request.
  const quoted = { prompt: '"initialize" "jsonrpc":"2.0","id":9' };
  const requests = [
    { method: "initialize", params: quoted, jsonrpc: "2.0", id: 0 },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { method: "tools/list", jsonrpc: "2.0", id: 1 },
    { jsonrpc: "2.0", id: 17, method: "tools/call", params: quoted },
  ];
  const spaced = '{"jsonrpc": "2.0", "id": "a-b", "method": "tools/list"}\n';
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("") + spaced;
  for (const launcher of [elsewhere, portableLauncher]) {
    const answers = run(launcher, input)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: number | string; result: Record<string, unknown> });
    assert.deepEqual(
      answers.map(({ id }) => id),
      [0, 1, 17, "a-b"],
    );
    const serverInfo = { name: "holdfast", version: "0" };
    assert.deepEqual(
      answers.map(({ result }) => result),
      [
        { protocolVersion: "2025-06-18", capabilities: {}, serverInfo },
        { tools: [] },
        { content: [] },
        { tools: [] },
      ],
    );
  }
  writeFileSync(own, '#!/bin/sh\nprintf "%s," "$@"\n', { mode: 0o755 });
  symlinkSync(own, join(base, "holdfast"));
  for (const launcher of [elsewhere, portableLauncher]) assert.equal(run(launcher), "mcp,a b,");
});

test("on Windows, Node itself ignores a program that is gone, without a word that a shell has to know [hooks.gone]", () => {
  const base = temporaryDirectory();
  const own = join(base, "it's a.js");
  writeFileSync(own, "process.stdout.write(process.argv.slice(2).join());");
  const line = windowsLine(own, ["codex", "--event", "stop"]);
  // Git Bash, cmd and PowerShell agree on a word, a word in double quotes, and nothing else.
  assert.match(
    line,
    /^node --eval "[^"$`%!\\]*(?:%[0-9A-F]{2}[^"$`%!\\]*)*" holdfast hook codex --event stop$/,
  );
  assert.ok(isOurHook(line, "codex"), line);
  const run = () => {
    const env = { PATH: dirname(process.execPath) };
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { env, encoding: "utf8" });
    return `${status} ${stdout}${stderr}`;
  };
  assert.equal(run(), "0 hook,codex,--event,stop");
  rmSync(own);
  assert.equal(run(), "0 ");
});

test("on Windows, Node starts a program that is on the PATH, and is silent without it [hooks.gone]", {
  skip: process.platform === "win32",
}, () => {
  const line = windowsLine(undefined, ["codex", "--event", "stop"]);
  assert.match(line, /^node --eval "[^"$`%!\\]*"$/);
  assert.ok(isOurHook(line, "codex"), line);
  const folder = temporaryDirectory();
  const run = () => {
    const env = { PATH: `${dirname(process.execPath)}:${folder}:/bin` };
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], {
      env,
      encoding: "utf8",
      input: "event",
    });
    return `${status} ${stdout}${stderr}`;
  };
  assert.equal(run(), "0 ");
  writeFileSync(join(folder, "holdfast"), '#!/bin/sh\necho "$@ $(cat)"\n', { mode: 0o755 });
  assert.equal(run(), "0 hook codex --event stop event\n");
});

test("a hook's command ends with 0 if Node is gone or the program fails [hooks.gone]", {
  skip: process.platform === "win32",
}, () => {
  const base = temporaryDirectory();
  const own = join(base, "cli.js");
  const statusOf = (command: string, text: string) => {
    writeFileSync(own, text);
    const line = hookLine({ command, args: [own] }, "codex");
    return ["sh", "dash", "bash", "zsh"]
      .filter((shell) => findProgram(shell) !== undefined)
      .map((shell) => spawnSync(shell, ["-c", line], { encoding: "utf8" }).status);
  };
  const statuses = [
    ...statusOf(join(base, "no-node"), ""),
    ...statusOf(process.execPath, "process.exit(2)"),
    ...statusOf(process.execPath, "throw new Error()"),
    ...statusOf(process.execPath, "process.kill(process.pid, 'SIGKILL')"),
  ];
  assert.deepEqual(new Set(statuses), new Set([0]));
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

test("our hooks are recognized by their command line, with any launcher [uninstall.edits]", () => {
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
