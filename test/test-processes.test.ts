import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { planProcesses } from "../scripts/test-processes.ts";

const root = join(import.meta.dirname, "..");

test("every test file runs once, most of them in a process with others", () => {
  const files = globSync("{src,test,inspector}/**/*.test.ts", { cwd: root }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const processes = planProcesses(files, (path) => readFileSync(join(root, path), "utf8"));
  assert.deepEqual(processes.flatMap((each) => each.files).toSorted(), files.toSorted());
  assert.equal(new Set(processes.map(({ name }) => name)).size, processes.length);
  assert.ok(processes.length < files.length / 3, `${processes.length} processes`);
});

test("a file that changes or measures its process has it alone", () => {
  const planted = [
    'process.env.HOME = "/tmp";',
    'process.env["HOME"] ??= "/tmp";',
    "delete process.env.HOME;",
    "Object.assign(process.env, { HOME });",
    "process.chdir(root);",
    'process.once("uncaughtException", listen);',
    "const start = performance.now();",
    "process.memoryUsage().rss",
    'mock.method(pg.Client.prototype, "query");',
    'context.mock.timers.enable({ apis: ["Date"] });',
    "const a = 1;\nafter(() => server.stop());",
  ];
  for (const text of planted) {
    const files = ["src/a/one.test.ts", "src/a/three.test.ts", "src/a/two.test.ts"];
    const plan = planProcesses(files, (path) => (path === files[1] ? text : "  after(() => close());"));
    assert.deepEqual(
      plan.map((each) => each.files),
      [[files[0], files[2]], [files[1]]],
      text,
    );
  }
});

test("a folder of many files has several processes of about the same size", () => {
  const files = Array.from({ length: 33 }, (_, index) => `src/a/${String(index).padStart(2, "0")}.test.ts`);
  const sizes = planProcesses(files, () => "").map((each) => each.files.length);
  assert.deepEqual(sizes, [11, 11, 11]);
});
