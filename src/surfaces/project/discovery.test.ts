import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openMemory } from "../../index.ts";
import { projectSurface } from "./surface.ts";
import { git, makeProject, writeInto } from "./test-support/project.ts";

test("structure goes to discovery/ beside NOTES.md, one file per topic, and is found again [config.discovery]", async () => {
  const { root, call } = makeProject({ path: "grimoires/loa/NOTES.md" });
  const { text, id } = await call("log_structure", {
    topic: "Auth: modules & flow",
    content: `src/auth/jwt.ts checks tokens; ${root}/src/auth/refresh.ts renews them.`,
  });
  const name = "grimoires/loa/discovery/auth-modules-flow.md";
  assert.equal(text, `Documented in ${name}.`);
  assert.equal(id, name);
  assert.equal(
    readFileSync(join(root, name), "utf8"),
    `# Auth: modules & flow\n\nsrc/auth/jwt.ts checks tokens; $\{PROJECT_ROOT}/src/auth/refresh.ts renews them.\n`,
  );
  const first = await call("recover_context", { level: 1 });
  assert.match(first.text, /Structure in grimoires\/loa\/discovery\/: auth-modules-flow\.md/);
  const second = await call("recover_context", { level: 2, query: "which module renews tokens" });
  assert.match(second.text, /Structure, grimoires\/loa\/discovery\/auth-modules-flow\.md: .*renews them/);
  const third = await call("recover_context", { level: 3 });
  assert.match(third.text, /Structure is documented in: grimoires\/loa\/discovery\/auth-modules-flow\.md/);
});

test("the same topic replaces the file and keeps a copy of the earlier text [config.discovery]", async () => {
  const { root, call } = makeProject();
  await call("log_structure", { topic: "API routes", content: "# Routes\n\n/users" });
  assert.equal(
    readFileSync(join(root, "grimoires/loa/discovery/api-routes.md"), "utf8"),
    "# Routes\n\n/users\n",
  );
  const same = await call("log_structure", { topic: "api  routes", content: "# Routes\n\n/users\n" });
  assert.equal(same.text, "Documented in grimoires/loa/discovery/api-routes.md.");
  const { text } = await call("log_structure", { topic: "API routes", content: "/users and /orders" });
  const [, backup = ""] = /The earlier text is in (\S+)\.$/.exec(text) ?? [];
  assert.equal(readFileSync(backup, "utf8"), "# Routes\n\n/users\n");
});

test("git takes NOTES.md and discovery/, and the project has no other file of ours [config.discovery]", async () => {
  const { root, call } = makeProject();
  git(root, "init", "-q");
  await call("log_structure", { topic: "src", content: "one folder" });
  assert.throws(() => git(root, "check-ignore", "-q", "grimoires/loa/discovery/src.md"), { status: 1 });
  assert.throws(() => git(root, "check-ignore", "-q", "grimoires/loa/NOTES.md"), { status: 1 });
  assert.deepEqual(readdirSync(root).toSorted(), [".git", "grimoires", "src"]);
  assert.deepEqual(readdirSync(join(root, "grimoires/loa")).toSorted(), ["NOTES.md", "discovery"]);
});

test("a topic cannot lead out of the folder, and links are refused [config.discovery]", async () => {
  const { root, call } = makeProject();
  await call("log_structure", { topic: "../../etc/passwd", content: "x" });
  assert.ok(existsSync(join(root, "grimoires/loa/discovery/etc-passwd.md")));
  await assert.rejects(call("log_structure", { topic: "../..", content: "x" }), /no letter or digit/);
  const other = makeProject();
  mkdirSync(join(other.root, "elsewhere"));
  symlinkSync(join(other.root, "elsewhere"), join(other.root, "grimoires/loa/discovery"));
  await assert.rejects(other.call("log_structure", { topic: "x", content: "x" }), /goes through a link/);
});

test("the block of a running agent shows a file that a person adds [config.discovery]", async () => {
  const { root } = makeProject();
  const memory = await openMemory({ store: "memory:", surfaces: [projectSurface({ root })] });
  const session = await memory.openSession("s");
  assert.doesNotMatch(JSON.stringify(await session.context()), /Structure in/);
  await session.call("log_structure", { topic: "first", content: "one" });
  assert.match(
    JSON.stringify(await session.context()),
    /Structure in grimoires\/loa\/discovery\/: first\.md/,
  );
  writeInto(root, "grimoires/loa/discovery/second.md", "two");
  assert.match(JSON.stringify(await session.context()), /first\.md, second\.md/);
  await memory.close();
});
