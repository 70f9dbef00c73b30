import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { splitCommand } from "./terminal/run-editor.ts";
import { explainUsageError, nearestName, optionsIn } from "./usage-errors.ts";

test("the nearest name is found, and none where nothing is near [people.usage]", () => {
  const options = ["--older-than", "--keep", "--max-size", "--yes", "--db"];
  assert.equal(nearestName("--older", options), "--older-than");
  assert.equal(nearestName("--kepe", options), "--keep");
  assert.equal(nearestName("--maxsize", options), "--max-size");
  assert.equal(nearestName("--frobnicate", options), undefined);
  assert.equal(nearestName("shwo", ["show", "search"]), "show");
});

test("a value that begins with a dash is refused in one line that says how to write it [people.usage]", () => {
  const parse = () =>
    parseArgs({ args: ["--limit", "-1"], options: { limit: { type: "string", short: "l" } } });
  assert.throws(parse, (error) => {
    const said = explainUsageError(error, "log", "") ?? "";
    assert.match(said, /^--limit needs a value.*write --limit=VALUE\. Run "holdfast log --help"/);
    return !said.includes("\n");
  });
});

test("a command's options are those its help names, and those of every command [people.usage]", () => {
  assert.deepEqual(optionsIn("gc [--keep N]\n  --older-than AGE  so\n  --keep N"), [
    "--keep",
    "--older-than",
    "--db",
    "--store",
    "--json",
    "--help",
  ]);
});

test("an editor's command line is split as a shell would, and run without one [people.edit]", () => {
  for (const [line, words] of [
    ["code --wait", ["code", "--wait"]],
    [`"/Program Files/ed" -n 'a "b"'`, ["/Program Files/ed", "-n", 'a "b"']],
    [String.raw`/my\ editor/ed $HOME; rm`, ["/my editor/ed", "$HOME;", "rm"]],
    [String.raw`C:\tools\ed.exe ''`, [String.raw`C:\tools\ed.exe`, ""]],
    ["  vi  ", ["vi"]],
  ] as const)
    assert.deepEqual(splitCommand(line), words);
});
