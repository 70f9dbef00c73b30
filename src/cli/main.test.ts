import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { holdfast, runNode } from "../../test/support/command-line.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

const root = join(import.meta.dirname, "../..");

test("on a Node that is too old, one line reports it and the exit code is 1 [repo.node-version]", async () => {
  for (const version of ["20.20.2", "22.12.0", "18.0.0", "9.0.0"]) {
    const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
    const { code, stdout, stderr } = await runNode([
      "--import",
      `data:text/javascript,${encodeURIComponent(pretend)}`,
      join(root, "src/cli.ts"),
      "--version",
    ]);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      new RegExp(`^holdfast needs Node 22\\.13 or newer, and this is ${version}\\..*\\n$`),
    );
  }
  assert.equal((await holdfast("--version")).code, 0);
});

test("a real older Node, if there is one, prints the same [repo.node-version]", async (context) => {
  const old = (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "node"))
    .find((path) => isOlder(path));
  if (old === undefined) return context.diagnostic("no older Node was found on the PATH");
  const entry = join(temporaryDirectory(), "cli.mjs");
  writeFileSync(entry, stripTypeScriptTypes(readFileSync(join(root, "src/cli.ts"), "utf8")));
  for (const args of [["--version"], ["show"], []]) {
    const { code, stdout, stderr } = await runNode([entry, ...args], old);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^holdfast needs Node 22\.13 or newer, and this is [\d.]+\..*\n$/);
  }
});

function isOlder(path: string): boolean {
  try {
    const [major = 0] = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" })
      .split(".")
      .map(Number);
    return major < 22;
  } catch {
    return false;
  }
}
