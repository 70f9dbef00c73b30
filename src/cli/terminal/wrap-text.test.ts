import assert from "node:assert/strict";
import { test } from "node:test";
import type { Screen } from "./screen.ts";
import { dotted, type Span, wrapSpans } from "./wrap-text.ts";

const screen: Screen = { width: 22, colours: false, paint: (_, text) => text };

function wrapped(text: string): string[] {
  return wrapSpans([{ text }], "", "", screen);
}

test("Japanese and Chinese fill the line, and no line starts with closing punctuation [people.width]", () => {
  assert.deepEqual(wrapped("これは日本語の文章です。次の文、です。"), [
    "これは日本語の文章で",
    "す。次の文、です。",
  ]);
  assert.deepEqual(wrapped("the API 日本語の文章です"), ["the API 日本語の文章で", "す"]);
});

test("lines break between facts, never inside one [people.width]", () => {
  assert.deepEqual(wrapSpans(dotted(["9 notes", "3 open tasks", "2 pins"]), "", "", screen), [
    "9 notes · 3 open tasks",
    "· 2 pins",
  ]);
  assert.deepEqual(wrapSpans(dotted(["19 notes", "3 open tasks"]), "", "", screen), [
    "19 notes ·",
    "3 open tasks",
  ]);
});

test("adjacent text stays together across styles, and indentation is kept [people.width]", () => {
  const spans: Span[] = [
    { text: "call the function " },
    { text: "save", style: "cyan" },
    { text: "(), then" },
  ];
  assert.deepEqual(wrapSpans(spans, "", "", screen), ["call the function", "save(), then"]);
  assert.deepEqual(wrapped("    indented code of a file"), ["    indented code of a", "file"]);
});
