import assert from "node:assert/strict";
import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { holdfast } from "../../../test/support/command-line.ts";
import { decision, jwt, makeProject, seedNotes, writeInto } from "./test-support/project.ts";
import { verifyProject } from "./verify.ts";

test("references are checked against the working tree, and moved quotes get their new location [project.verify]", async () => {
  const { root, project, call, log, read } = makeProject();
  await call("log_decision", decision);
  await log("identifier", "src/auth/jwt.ts:3-5", { detail: "Expiry" });
  await log("identifier", "src/auth", { detail: "All of it" });
  const states = () =>
    verifyProject(project, { write: false }).references.map(({ status, now }) =>
      now ? `${status} ${now}` : status,
    );
  assert.deepEqual(states(), ["ok", "ok", "ok"]);
  writeInto(root, "src/auth/jwt.ts", `// new\n// lines\n${jwt}`);
  assert.deepEqual(states(), ["ok", "ok", "moved $" + "{PROJECT_ROOT}/src/auth/jwt.ts:5"]);
  assert.equal(verifyProject(project, { fix: true }).stale.length, 0);
  assert.match(read(), /isTokenExpired\(token: Token` \[\$\{PROJECT_ROOT\}\/src\/auth\/jwt\.ts:5\]/);
  renameSync(join(root, "src/auth/jwt.ts"), join(root, "src/tokens.ts"));
  assert.deepEqual(states(), ["missing", "ok", "missing"]);
  writeInto(root, "src/auth/jwt.ts", "one line\n");
  assert.deepEqual(states(), ["changed", "ok", "changed"]);
  renameSync(join(root, "src/auth/jwt.ts"), join(root, "elsewhere.ts"));
  symlinkSync("/etc/hostname", join(root, "src/auth/jwt.ts"));
  assert.deepEqual(states(), ["outside", "ok", "outside"]);
});

test("Last Verified is updated for valid references, and no other cell changes [project.last-verified]", () => {
  const files = {
    "src/auth/jwt.ts": `${"\n".repeat(51)}export function isTokenExpired(token: Token, graceMs = 900000)\n${"\n".repeat(40)}`,
  };
  const { project, read } = makeProject({ notes: seedNotes, files });
  const { ok, stale, updated } = verifyProject(project);
  assert.deepEqual([ok, stale.length, updated], [2, 1, 1]);
  assert.match(read(), /jwt\.ts:45-67 \| Token validation logic \| 2026-03-01T10:00:\d\dZ \|$/m);
  assert.match(read(), /refresh\.ts:12-34 \| Refresh flow \| 14:28:00Z \|$/m);
  assert.equal(read().replace(/2026-03-01T10:00:\d\dZ/, "14:25:00Z"), seedNotes);
});

test("the command lists stale references and exits with 1; --no-write writes nothing [project.verify]", async () => {
  const { root, read } = makeProject({ notes: seedNotes });
  const { code, stdout } = await holdfast("project", "verify", "--root", root, "--no-write");
  assert.equal(code, 1);
  assert.match(stdout, /line 19: .*jwt\.ts:45-67: the file has only 5 lines \(changed\)/);
  assert.match(stdout, /line 20: .*refresh\.ts:12-34: the file is gone \(missing\)/);
  assert.match(stdout, /line 30: .*the quote moved to line 3 \(moved\)/);
  assert.equal(read(), seedNotes);
});
