import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findImpurities, findViolations, isSource, readImports } from "../scripts/boundaries.ts";

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
    ["src/compaction/cut.ts", `import { x } from "../sessions/session.ts";`],
    ["src/compaction/cut.ts", `import { generateText } from "ai";`],
    ["src/stores/postgres/x.ts", `import { x } from "../sqlite/sqlite.ts";`],
    ["src/hosts/openclaw/x.ts", `import { x } from "../pi/extension.ts";`],
    ["src/hosts/doctor/x.ts", `import { x } from "../codex/host.ts";`],
    ["src/utils/thing.ts", `import { x } from "../errors.ts";`],
  ] as const;
  for (const [from, text] of planted) {
    const found = findViolations(readImports(from, text).map((to) => ({ from, to })));
    assert.equal(found.length, 1, `${from}: ${text}`);
  }
});

test("compaction has no I/O of its own, and no plan writes [repo.plans-pure]", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter(isSource);
  const found = files.flatMap((path) => findImpurities(path, readFileSync(join(root, path), "utf8")));
  assert.deepEqual(found, []);
});

test("a plan that writes and a pure folder that reaches outside are found [repo.plans-pure]", () => {
  const planted = [
    [
      "src/agent/x.ts",
      "export async function planClosing(scene: Scene) {\n  if (scene) {\n    await session.apply(operation);\n  }\n}",
    ],
    ["src/hosts/x.ts", "function planInit(places: Places): void {\n  writeFileSync(path, text);\n}"],
    [
      "src/agent/x.ts",
      "class Turn {\n  async plan(): Promise<void> {\n    await this.#driver.notify(moment);\n  }\n}",
    ],
    ["src/compaction/x.ts", "export function cut() {\n  return Date.now();\n}"],
    ["src/compaction/x.ts", `export const load = () => import("node:fs");`],
  ] as const;
  for (const [path, text] of planted) assert.equal(findImpurities(path, text).length, 1, text);
  const harmless =
    "function planCut() {\n  return 1;\n}\nfunction write() {\n  writeFileSync(path, text);\n}";
  assert.deepEqual(findImpurities("src/agent/x.ts", harmless), []);
});
