import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { closestName } from "../engine/edit-distance.ts";
import { splitCommand } from "./terminal/run-editor.ts";
import { explainUsageError, optionsIn } from "./usage-errors.ts";

test("the nearest name is suggested, and none if nothing is near [people.usage]", () => {
  const options = ["--older-than", "--keep", "--max-size", "--yes", "--db"];
  assert.equal(closestName("--older", options), "--older-than");
  assert.equal(closestName("--kepe", options), "--keep");
  assert.equal(closestName("--maxsize", options), "--max-size");
  assert.equal(closestName("--frobnicate", options), undefined);
  assert.equal(closestName("shwo", ["show", "search"]), "show");
});

test("a value that starts with a dash is rejected with one line on how to write it [people.usage]", () => {
  const parse = () =>
    parseArgs({ args: ["--limit", "-1"], options: { limit: { type: "string", short: "l" } } });
  assert.throws(parse, (error) => {
    const message = explainUsageError(error, "log", "") ?? "";
    assert.match(message, /^--limit needs a value.*write --limit=VALUE\. Run "holdfast log --help"/);
    return !message.includes("\n");
  });
});

test("a command's options are those in its help, plus the common ones [people.usage]", () => {
  assert.deepEqual(optionsIn("log [--keep N]\n  --older-than AGE  so\n  --keep N"), [
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
