import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { closestName } from "../engine/edit-distance.ts";
import { explainUsageError, optionsIn } from "./help.ts";

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
