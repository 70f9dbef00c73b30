import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "tsdown";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

const root = join(import.meta.dirname, "../../..");

function runProgram(sandbox: string) {
  const program = join(import.meta.dirname, "test-support/sandbox-program.ts");
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  return spawnSync(process.execPath, [program, pathToFileURL(sandbox).href], {
    env,
    encoding: "utf8",
    timeout: 60_000,
  });
}

const expected = [JSON.stringify(["cpu", { ok: true, value: 2, logs: "" }]), ""];

test("a process that does not close its sandbox still exits, with nothing on standard error [sandbox.idle]", () => {
  const { status, signal, stdout, stderr } = runProgram(join(root, "src/surfaces/sandbox/index.ts"));
  assert.deepEqual([status, signal], [0, null]);
  assert.deepEqual([stdout.trim(), stderr], expected);
});

test("the built package finds its worker and its engine [sandbox.built]", async () => {
  const directory = temporaryDirectory();
  const outDir = join(directory, "dist");
  const entry = {
    sandbox: "src/surfaces/sandbox/index.ts",
    "sandbox-worker": "src/surfaces/sandbox/worker.ts",
  };
  await build({
    config: false,
    cwd: root,
    entry,
    outDir,
    format: "esm",
    fixedExtension: false,
    dts: false,
    logLevel: "silent",
  });
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
  const { status, stdout, stderr } = runProgram(join(outDir, "sandbox.js"));
  assert.deepEqual([status, stdout.trim(), stderr], [0, ...expected]);
});
