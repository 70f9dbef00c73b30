import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { visibleJson, visibleLine, visibleText } from "./visible-text.ts";

const harmless = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u{e0000}-\u{e0fff}\u200b\u2060\ufeff\u00ad]*$/u;

test("control characters, invisible characters and bidi controls are shown by name [people.harmless]", () => {
  for (const [text, shown] of [
    ["\x1b[31mred\x1b[0m", "␛[31mred␛[0m"],
    ["\x1b]0;title\x07", "␛]0;title␇"],
    ["\x9b31m", "⟨U+009B⟩31m"],
    ["over\rwritten", "over␍written"],
    ["back\b\x7f", "back␈␡"],
    ["user\u202egnp.exe", "user⟨U+202E⟩gnp.exe"],
    ["\u2066isolated\u2069", "⟨U+2066⟩isolated⟨U+2069⟩"],
    ["zero\u200bwidth\u2060\ufeff", "zero⟨U+200B⟩width⟨U+2060⟩⟨U+FEFF⟩"],
    ["\u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065} me", "⟨tags:Ignore⟩ me"],
    ["hidden\u{e0101}\u{e0120}", "hidden⟨U+E0101⟩⟨U+E0120⟩"],
    ["a\ufe00\ufe01", "a⟨U+FE00⟩⟨U+FE01⟩"],
    ["line\u2028end", "line⟨U+2028⟩end"],
    ["join\u200ders in Latin", "join⟨U+200D⟩ers in Latin"],
  ] as const)
    assert.equal(visibleText(text), shown);
});

test("emoji, other scripts, tabs and newlines are unchanged [people.harmless]", () => {
  for (const text of ["👩‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣ 🏳️‍🌈 🇩🇪", "می‌خواهم", "क्‍ष", "日本語\tTab\nÜber", "e\u0301"])
    assert.equal(visibleText(text), text);
  assert.equal(visibleText("a\r\nb"), "a\nb");
  assert.equal(visibleLine(" a\n\tb \x1b"), "a b ␛");
});

test("whatever the text, the terminal gets only visible characters [people.harmless]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.match(visibleText(text).replaceAll(/[\n\t]/g, ""), harmless);
    }),
    { numRuns: 2_000 },
  );
});

test("JSON is harmless too and parses back to the original [people.harmless]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = visibleJson({ [text]: [text] });
      assert.match(json.replaceAll("\n", ""), harmless);
      assert.deepEqual(JSON.parse(json), { [text]: [text] });
    }),
    { numRuns: 1_000 },
  );
});
