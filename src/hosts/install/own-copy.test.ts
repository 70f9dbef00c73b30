import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { copyProgram } from "./init.ts";
import { copyFolder, installedRoot, isInNpxCache } from "./launcher.ts";
import { freshPlaces, init, uninstall } from "./test-support/installed-project.ts";

test("uninstall removes the copy with the last host that uses it [init.copy]", async () => {
  const places = freshPlaces("user");
  const env = { ...places.env, HOME: places.home };
  const copy = copyFolder(env);
  mkdirSync(copy, { recursive: true });
  await init(places, "claude-code");
  await init({ ...places, scope: "project" }, "codex");
  await uninstall(places);
  assert.ok(existsSync(copy), "a project still uses it");
  await uninstall({ ...places, scope: "project" });
  assert.ok(!existsSync(copy));
});

test("a program in the cache of npx is copied with what it needs, and a newer copy replaces it [init.copy]", () => {
  const state = temporaryDirectory();
  const env = { XDG_STATE_HOME: state };
  const root = join(temporaryDirectory(), "_npx/0123/node_modules/holdfast");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put("dist/cli.js", "old");
  put("dist/gone.js", "only in the old version");
  put("../zod/index.js", "a dependency");
  assert.ok(isInNpxCache(root));
  const command = copyProgram(env, root);
  assert.ok(command.startsWith(copyFolder(env)), command);
  assert.equal(command, join(installedRoot(env, root), "dist/cli.js"), "a dry run and doctor name the copy");
  assert.equal(readFileSync(command, "utf8"), "old");
  assert.equal(readFileSync(join(copyFolder(env), "node_modules/zod/index.js"), "utf8"), "a dependency");
  const next = join(temporaryDirectory(), "_npx/4567/node_modules/holdfast");
  mkdirSync(join(next, "dist"), { recursive: true });
  writeFileSync(join(next, "dist/cli.js"), "new");
  assert.equal(copyProgram(env, next), command, "every host's config keeps its path");
  assert.equal(readFileSync(command, "utf8"), "new");
  assert.ok(!existsSync(join(dirname(command), "gone.js")));
  assert.deepEqual(readdirSync(join(state, "holdfast")), ["program"], "no temporary folder stays");
});
