import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryDirectory } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("code blocks in the docs are cut from examples that run [repo.docs]", () => {
  let blocks = 0;
  for (const page of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const [, source, code] of read(page).matchAll(/(?:<!-- from (\S+) -->\n)?```ts\n([\s\S]*?)```/g)) {
      blocks++;
      assert.ok(source, `${page}: a code block does not name its source file`);
      assert.equal(code, read(source), `${page}: the block differs from ${source}`);
    }
  }
  assert.ok(blocks >= 4);
});

for (const example of globSync("examples/*.ts", { cwd: root })) {
  test(`${example} runs [repo.docs]`, () => {
    const preload = pathToFileURL(join(root, "test/support/resolve-holdfast.ts")).href;
    execFileSync(process.execPath, ["--import", preload, join(root, example)], {
      cwd: temporaryDirectory(),
      stdio: "pipe",
    });
  });
}

test("links between the pages resolve [repo.docs]", () => {
  for (const page of globSync(["*.md", "docs/**/*.md"], { cwd: root })) {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      const path = join(page, "..", target);
      assert.ok(globSync(path.replace(/\/$/, ""), { cwd: root }).length === 1, `${page} links to ${target}`);
    }
  }
});
