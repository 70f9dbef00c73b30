import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findViolations, isSource, readImports } from "../scripts/boundaries.ts";

const root = join(import.meta.dirname, "..");

test("imports point inward only [repo.boundaries]", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter(isSource);
  assert.ok(files.length > 30);
  const imports = files.flatMap((from) =>
    readImports(from, readFileSync(join(root, from), "utf8")).map((to) => ({ from, to })),
  );
  assert.ok(imports.length > 100, "readImports finds too few imports");
  assert.deepEqual(findViolations(imports), []);
});

test("the check finds planted violations [repo.boundaries]", () => {
  const planted = [
    ["src/engine/text.ts", `import { x } from "../stores/store.ts";`],
    ["src/engine/text.ts", `import type { x } from "zod";`],
    ["src/engine/text.ts", `import {\n  x,\n  y,\n} from "node:fs";`],
    ["src/stores/store.ts", `export { x } from "../sessions/session.ts";`],
    ["src/surfaces/notes/tools.ts", `import "../../cli/main.ts";`],
    ["src/index.ts", `import { readFileSync } from "node:fs";`],
    ["src/utils/thing.ts", `import { x } from "../errors.ts";`],
  ] as const;
  for (const [from, text] of planted) {
    const found = findViolations(readImports(from, text).map((to) => ({ from, to })));
    assert.equal(found.length, 1, `${from}: ${text}`);
  }
});
