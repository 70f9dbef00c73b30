import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { closestName } from "../engine/options.ts";
import { explainUsageError, renderHelp } from "./help.ts";

test("the nearest name is suggested, and none if nothing is near [people.usage]", () => {
  const options = ["--older-than", "--keep", "--max-size", "--yes", "--store"];
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
    const message = explainUsageError(error, "log") ?? "";
    assert.match(message, /^--limit needs a value.*write --limit=VALUE\. Run "holdfast help log"/);
    return !message.includes("\n");
  });
});

test("the meanings of a part start in one column, and under their terms on a narrow screen [people.help]", () => {
  const paint = (_style: unknown, text: string) => text;
  const parts = [
    "Usage: x",
    {
      title: "Options",
      rows: [
        ["--a FILE", "reads it"],
        ["-b", "y"],
      ] as const,
    },
  ];
  const at = (width: number) => renderHelp(parts, { width, colours: false, paint });
  assert.deepEqual(at(60), ["Usage: x", "", "Options", "  --a FILE     reads it", "  -b           y"]);
  assert.deepEqual(at(40).slice(3), ["  --a FILE", "      reads it", "  -b", "      y"]);
});
