import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { renderMarkdown } from "./render-markdown.ts";
import { fit, screenOf } from "./screen.ts";
import { cutToWidth, textWidth } from "./wrap-text.ts";

/** A terminal of the given width, with or without colors. */
function terminal(columns: number, colours = false) {
  return screenOf({ isTTY: true, columns, hasColors: () => colours } as unknown as NodeJS.WriteStream);
}

test("CJK and emoji have their real width in columns [people.width]", () => {
  for (const [text, width] of [
    ["abc", 3],
    ["日本語", 6],
    ["ｶﾅ", 2],
    ["한국어", 6],
    ["👩‍👩‍👧‍👦", 2],
    ["❤️", 2],
    ["❤", 1],
    ["🇩🇪", 2],
    ["👍🏽", 2],
    ["e\u0301", 1],
    ["☐ ☑ …", 5],
    ["1️⃣", 2],
    ["𠮷", 2],
    ["ｶﾞ", 2],
    ["का", 2],
    ["각", 2],
  ] as const)
    assert.equal(textWidth(text), width, text);
  assert.equal(cutToWidth("日本語の文", 6), "日本…");
});

test("Markdown is wrapped to the width, with hanging indents [people.show]", () => {
  const text = [
    "# Findings",
    "- Sheet 1 has 500 rows and a gap",
    "  - [x] nested and done already",
    "- [ ] 日本語のテキストは折り返される",
    "> quoted words of the user",
    "```ts",
    "const answer = 42;",
    "```",
    "1. first",
  ].join("\n");
  assert.deepEqual(fit(renderMarkdown(text, "  ", terminal(24)), terminal(24)), [
    "  # Findings",
    "  • Sheet 1 has 500 rows",
    "    and a gap",
    "    ☑ nested and done",
    "      already",
    "  ☐ 日本語のテキストは折",
    "    り返される",
    "  ▌ quoted words of the",
    "  ▌ user",
    "  │ ts",
    "  │ const answer = 42;",
    "  1. first",
  ]);
});

test("no line is wider than the terminal, and no word is lost [people.width]", () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      "日本語の文章、です。",
      "👩‍👩‍👧‍👦",
      "- ",
      "# ",
      "> ",
      "**bold words**",
      "`code`",
      "x".repeat(70),
      "\n",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 30, max: 90 }), (pieces, width) => {
      const screen = terminal(width, true);
      const lines = fit(renderMarkdown(pieces.join(" "), "  ", screen), screen).map(stripVTControlCharacters);
      for (const line of lines) assert.ok(textWidth(line) <= width, JSON.stringify(line));
      const letters = (text: string) => text.replaceAll(/[^\p{L}]/gu, "");
      assert.equal(letters(lines.join("")), letters(pieces.join(" ")));
    }),
    { numRuns: 300 },
  );
});

test("colors only on a terminal that has them, and never with NO_COLOR [people.colours]", () => {
  const painted = (stream: object) =>
    screenOf(stream as unknown as NodeJS.WriteStream).paint("red", "x") !== "x";
  const before = process.env.NO_COLOR;
  try {
    delete process.env.NO_COLOR;
    assert.ok(painted({ isTTY: true, columns: 80, hasColors: () => true }));
    assert.ok(!painted({ isTTY: true, columns: 80, hasColors: () => false }));
    assert.ok(!painted({ isTTY: false, hasColors: () => true }));
    process.env.NO_COLOR = "1";
    assert.ok(!painted({ isTTY: true, columns: 80, hasColors: () => true }));
  } finally {
    if (before === undefined) delete process.env.NO_COLOR;
    else process.env.NO_COLOR = before;
  }
});
