import assert from "node:assert/strict";
import { test } from "node:test";
import { styleText } from "node:util";
import { dotted, wrapLine } from "./wrap-text.ts";

const wrapped = (text: string) => wrapLine(text, { width: 22 });

test("Japanese and Chinese fill the line, and no line starts with closing punctuation [people.width]", () => {
  assert.deepEqual(wrapped("これは日本語の文章です。次の文、です。"), [
    "これは日本語の文章で",
    "す。次の文、です。",
  ]);
  assert.deepEqual(wrapped("the API 日本語の文章です"), ["the API 日本語の文章で", "す"]);
});

test("lines break between facts, never inside one [people.width]", () => {
  assert.deepEqual(wrapped(dotted(["9 notes", "3 open tasks", "2 pins"])), [
    "9 notes · 3 open tasks",
    "· 2 pins",
  ]);
  assert.deepEqual(wrapped(dotted(["19 notes", "3 open tasks"])), ["19 notes ·", "3 open tasks"]);
});

test("adjacent text stays together across styles, which take no room, and indentation is kept [people.width]", () => {
  const save = styleText("cyan", "save", { validateStream: false });
  assert.deepEqual(wrapped(`call the function ${save}(), then`), ["call the function", `${save}(), then`]);
  assert.deepEqual(wrapped(`${save} what was written.`), [`${save} what was written.`]);
  assert.deepEqual(wrapped("    indented code of a file"), ["    indented code of a", "    file"]);
});

test("wrapped lines of a list item begin below its text, and bars are repeated [people.width]", () => {
  assert.deepEqual(wrapped("  - one finding of the agent"), ["  - one finding of the", "    agent"]);
  assert.deepEqual(wrapped("12. ☐ the last step of all"), ["12. ☐ the last step of", "      all"]);
  assert.deepEqual(wrapped("  ▌ words that somebody said"), ["  ▌ words that", "  ▌ somebody said"]);
});
