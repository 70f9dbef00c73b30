import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { git, makeProject } from "./test-support/project.ts";

test("structure goes to discovery/ next to NOTES.md, one file per topic, and is found again [config.discovery]", async () => {
  const { root, call, log } = makeProject({ path: "grimoires/loa/NOTES.md" });
  const { text, id } = await log("structure", "Auth: modules & flow", {
    detail: `src/auth/jwt.ts checks tokens; ${root}/src/auth/refresh.ts renews them.`,
  });
  const name = "grimoires/loa/discovery/auth-modules-flow.md";
  assert.equal(text, `Documented in ${name}.`);
  assert.equal(id, name);
  assert.equal(
    readFileSync(join(root, name), "utf8"),
    `# Auth: modules & flow\n\nsrc/auth/jwt.ts checks tokens; $\{PROJECT_ROOT}/src/auth/refresh.ts renews them.\n`,
  );
  const second = await call("recover_context", { level: 2, query: "which module renews tokens" });
  assert.match(second.text, /Structure, grimoires\/loa\/discovery\/auth-modules-flow\.md: .*renews them/);
  const third = await call("recover_context", { level: 3 });
  assert.match(third.text, /Structure is documented in: grimoires\/loa\/discovery\/auth-modules-flow\.md/);
});

test("the same topic replaces the file [config.discovery]", async () => {
  const { root, log } = makeProject();
  await log("structure", "API routes", { detail: "# Routes\n\n/users" });
  assert.equal(
    readFileSync(join(root, "grimoires/loa/discovery/api-routes.md"), "utf8"),
    "# Routes\n\n/users\n",
  );
  const same = await log("structure", "api  routes", { detail: "# Routes\n\n/users\n" });
  assert.equal(same.text, "Documented in grimoires/loa/discovery/api-routes.md.");
  await log("structure", "API routes", { detail: "/users and /orders" });
  assert.equal(
    readFileSync(join(root, "grimoires/loa/discovery/api-routes.md"), "utf8"),
    "# API routes\n\n/users and /orders\n",
  );
});

test("git takes NOTES.md and discovery/, and the project has no other file of ours [config.discovery]", async () => {
  const { root, log } = makeProject();
  git(root, "init", "-q");
  await log("structure", "src", { detail: "one folder" });
  assert.throws(() => git(root, "check-ignore", "-q", "grimoires/loa/discovery/src.md"), { status: 1 });
  assert.throws(() => git(root, "check-ignore", "-q", "grimoires/loa/NOTES.md"), { status: 1 });
  assert.deepEqual(readdirSync(root).toSorted(), [".git", "grimoires", "src"]);
  assert.deepEqual(readdirSync(join(root, "grimoires/loa")).toSorted(), ["NOTES.md", "discovery"]);
});

test("a topic cannot lead out of the folder, and links are refused [config.discovery]", async () => {
  const { root, log } = makeProject();
  await log("structure", "../../etc/passwd", { detail: "x" });
  assert.ok(existsSync(join(root, "grimoires/loa/discovery/etc-passwd.md")));
  await assert.rejects(log("structure", "../..", { detail: "x" }), /no letter or digit/);
  const other = makeProject();
  mkdirSync(join(other.root, "elsewhere"));
  symlinkSync(join(other.root, "elsewhere"), join(other.root, "grimoires/loa/discovery"));
  await assert.rejects(other.log("structure", "x", { detail: "x" }), /goes through a link/);
});
