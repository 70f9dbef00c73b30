import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongEnough, kindOfResult } from "./result-kinds.ts";

test("the kind of a result follows from its command, its tool or its text [controller.results-kinds]", () => {
  for (const [kind, command] of [
    ["search", 'rg "TODO" --type ts'],
    ["search", "cd app && grep -rn token src"],
    ["search", "find . -name '*.ts' -newer x"],
    ["file", "cat src/index.ts"],
    ["file", "sed -n 1,200p src/index.ts"],
    ["tree", "tree -L 3"],
    ["tree", "ls -laR"],
    ["test", "npm test"],
    ["test", "cd app && npx vitest run"],
    ["other", "git status"],
  ] as const)
    assert.equal(kindOfResult("bash", { command }, "some text"), kind, command);
  for (const [kind, tool] of [
    ["search", "grep"],
    ["search", "search_files"],
    ["file", "read_file"],
    ["tree", "directory_tree"],
    ["test", "run_tests"],
    ["other", "deploy"],
  ] as const)
    assert.equal(kindOfResult(tool, {}, "some text"), kind, tool);
  assert.equal(kindOfResult("fetch_user", {}, '{"id": 7}\n'), "json");
  assert.equal(kindOfResult("bash", { command: "curl localhost" }, "[1, 2]"), "json");
});

test("a search is long enough with more than 20 lines, a file with more than 100, the others always [controller.results-kinds]", () => {
  const lines = (count: number) => "line\n".repeat(count);
  assert.equal(isLongEnough("search", lines(20)), false);
  assert.equal(isLongEnough("search", lines(21)), true);
  assert.equal(isLongEnough("file", lines(100)), false);
  assert.equal(isLongEnough("file", lines(101)), true);
  for (const kind of ["tree", "json", "test", "other"] as const) assert.equal(isLongEnough(kind, "x"), true);
});
