import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");

/** Paths in backticks: those of the repository have a slash, or are a file at its top. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w./-]+)`/g)].map(([, path = ""]) => path);
  return quoted.filter(
    (path) => /^(?:src|test|docs|scripts|inspector|bench|examples)\//.test(path) || /^[A-Z]+\.md$/.test(path),
  );
}

test("every path that ARCHITECTURE.md names exists [repo.architecture]", () => {
  const paths = pathsIn(page);
  assert.ok(paths.length > 50, `${paths.length} paths`);
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(root, path))),
    [],
  );
  assert.deepEqual(
    pathsIn("see `src/nowhere.ts`").map((path) => existsSync(join(root, path))),
    [false],
  );
});

test("every path of the repository that the documentation names exists [repo.architecture]", () => {
  const pages = globSync(["docs/*.md", "README.md", "AGENTS.md", "CONTRIBUTING.md"], { cwd: root });
  // A file at the top, such as NOTES.md, is one of the user's project.
  const missingIn = (text: string) =>
    pathsIn(text).filter((path) => path.includes("/") && !existsSync(join(root, path)));
  assert.ok(pages.length > 20, `${pages.length} pages`);
  assert.deepEqual(
    pages.flatMap((name) =>
      missingIn(readFileSync(join(root, name), "utf8")).map((path) => `${name}: ${path}`),
    ),
    [],
  );
  const dependencies = readFileSync(join(root, "docs/dependencies.md"), "utf8");
  assert.deepEqual(missingIn(dependencies.replace("src/engine/merge.ts", "src/merge/merge.ts")), [
    "src/merge/merge.ts",
  ]);
});

test("ARCHITECTURE.md names every folder of src, and every decision is in its index [repo.architecture]", () => {
  const folders = globSync("src/*/", { cwd: root }).map((path) => `\`${path.replace(/\/?$/, "/")}\``);
  assert.deepEqual(
    folders.filter((folder) => !page.includes(folder)),
    [],
  );
  const decisions = readFileSync(join(root, "docs/decisions.md"), "utf8");
  const headings = [...decisions.matchAll(/^## ((\d+)\. .+)$/gm)];
  assert.ok(headings.length > 0);
  assert.deepEqual(
    headings.map(([, , number]) => Number(number)),
    headings.map((_, index) => index + 1),
    "the numbers have a gap",
  );
  for (const [, title = ""] of headings) assert.ok(decisions.includes(`| [${title}](#`), title);
});
