import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "./support/temporary.ts";

const script = join(import.meta.dirname, "../scripts/ensure-installed.mjs");

/** A fake npm: records its calls and installs a Node as the real one would. */
const npm = `
const { appendFileSync, mkdirSync, writeFileSync } = require("node:fs");
appendFileSync("npm-calls", process.argv.slice(2).join(" ") + require("node:os").EOL);
console.log("added 100 packages");
if (process.env.NPM_FAILS) process.exit(1);
mkdirSync("node_modules/node/bin", { recursive: true });
if (!process.env.NO_INSTALL_SCRIPTS) writeFileSync("node_modules/node/bin/node", "");
writeFileSync("node_modules/node/installArchSpecificPackage.js", 'require("node:fs").writeFileSync("node_modules/node/bin/node", "fetched")');
`;

function freshClone() {
  const root = temporaryDirectory();
  mkdirSync(join(root, "scripts"));
  cpSync(script, join(root, "scripts/ensure-installed.mjs"));
  writeFileSync(join(root, "package-lock.json"), '{"lockfileVersion":3}');
  writeFileSync(join(root, "npm.cjs"), npm);
  return {
    root,
    run(environment: Record<string, string> = {}) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, "scripts/ensure-installed.mjs")],
        {
          encoding: "utf8",
          env: { ...process.env, npm_execpath: join(root, "npm.cjs"), ...environment },
        },
      );
      return { status, stdout, stderr };
    },
    calls: () =>
      existsSync(join(root, "npm-calls"))
        ? readFileSync(join(root, "npm-calls"), "utf8").trim().split("\n")
        : [],
  };
}

test("the first script of a fresh clone installs from the lock file without changing it; later scripts do and print nothing [repo.install]", () => {
  const { run, calls } = freshClone();
  const first = run();
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, /Installing dependencies \(once per lock file\)/);
  assert.equal(first.stdout, "", "stdout is left to the script");
  assert.equal(calls().length, 1);
  assert.match(calls()[0] ?? "", /^install --no-save /);
  assert.deepEqual(
    [run(), run()],
    Array.from({ length: 2 }, () => ({ status: 0, stdout: "", stderr: "" })),
  );
  assert.equal(calls().length, 1);
});

test("reinstalls after a lock file change or when Node is missing [repo.install]", () => {
  const { root, run, calls } = freshClone();
  run();
  writeFileSync(join(root, "package-lock.json"), '{"lockfileVersion":3,"packages":{}}');
  assert.equal(run().status, 0);
  assert.equal(calls().length, 2);
  rmSync(join(root, "node_modules/node/bin/node"));
  assert.equal(run().status, 0);
  assert.equal(calls().length, 3);
  run();
  assert.equal(calls().length, 3);
});

test("a failed install is reported, ends the script, and is retried the next time [repo.install]", () => {
  const { run, calls } = freshClone();
  const failed = run({ NPM_FAILS: "1" });
  assert.equal(failed.status, 1);
  assert.match(failed.stderr, /npm install failed; see the lines above, then run the same command again\./);
  assert.equal(run().status, 0);
  assert.equal(calls().length, 2);
});

test("fetches Node even with install scripts disabled [repo.install]", () => {
  const { root, run } = freshClone();
  assert.equal(run({ NO_INSTALL_SCRIPTS: "1" }).status, 0);
  assert.equal(readFileSync(join(root, "node_modules/node/bin/node"), "utf8"), "fetched");
});
