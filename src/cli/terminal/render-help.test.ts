import assert from "node:assert/strict";
import { test } from "node:test";
import { renderHelp } from "./render-help.ts";

const screen = { width: 60, colours: false, paint: (_style: unknown, text: string) => text };

test("terms and what they mean are told apart at the first wide gap [people.help]", () => {
  const help = ["Usage: x", "", "  --a, -b FILE    reads it", "  y  a  b", "  alone", "  trailing   "];
  assert.deepEqual(renderHelp(help.join("\n"), screen), [
    "Usage: x",
    "",
    "  --a, -b FILE  reads it",
    "  y             a  b",
    "  alone",
    "  trailing",
  ]);
});
