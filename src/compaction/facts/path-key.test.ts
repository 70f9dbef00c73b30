import assert from "node:assert/strict";
import { test } from "node:test";
import { pathKey } from "./path-key.ts";

test("every spelling of a path has the same key, and other paths have others [controller.read-ledger]", () => {
  const keyOf = pathKey("/p");
  for (const path of [
    "src/a.ts",
    "./src/a.ts",
    "/p/src/a.ts",
    "src/../src//a.ts",
    "../p/src/a.ts",
    "/../p/src/a.ts",
  ])
    assert.equal(keyOf(path), "/p/src/a.ts", path);
  for (const path of ["~/a.ts", "C:\\p\\..\\a.ts", "https://a.dev/../b"]) assert.equal(keyOf(path), path);
  const alone = pathKey();
  assert.deepEqual(["./a.ts", "../a.ts", "x/../../a.ts", "/a/./b.ts", ".env", "a..b/c.ts", "."].map(alone), [
    "a.ts",
    "../a.ts",
    "../a.ts",
    "/a/b.ts",
    ".env",
    "a..b/c.ts",
    ".",
  ]);
});
