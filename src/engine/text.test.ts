import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diffLines } from "./diff.ts";
import {
  applySplice,
  closestLine,
  countCharacters,
  isLongerThan,
  oneLine,
  revertSplice,
  spliceBetween,
  takeCharacters,
} from "./text.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "\n", "🦞", "🦀", "é", "数", "\ufffd"), { maxLength: 15 })
  .map((parts) => parts.join(""));

test("a splice converts one text to the other and back, and never splits a surrogate pair [engine.fold]", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const splice = spliceBetween(before, after);
      assert.equal(applySplice(before, splice), after);
      assert.equal(revertSplice(after, splice), before);
      assert.ok(splice.removed.isWellFormed() && splice.inserted.isWellFormed());
    }),
    { numRuns: 3_000 },
  );
});

test("characters are code points and are never split [notes.content-limit] [notepad.limit]", () => {
  fc.assert(
    fc.property(text, fc.nat(20), (given, limit) => {
      const characters = [...given];
      assert.equal(countCharacters(given), characters.length);
      assert.equal(isLongerThan(given, limit), characters.length > limit);
      assert.equal(takeCharacters(given, limit), characters.slice(0, limit).join(""));
    }),
  );
});

test("a diff contains both texts and only the necessary changes [journal.diff]", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const without = (hidden: string) =>
        lines
          .filter(({ kind }) => kind !== hidden)
          .map((line) => line.text)
          .join("\n");
      assert.equal(without("added"), before);
      assert.equal(without("removed"), after);
      if (before === after) assert.ok(lines.every(({ kind }) => kind === "same"));
    }),
    { numRuns: 1_000 },
  );
  const big = Array.from({ length: 8_000 }, (_, index) => `line ${index}`);
  const changed = diffLines(big.join("\n"), big.with(4_000, "other").join("\n")).filter(
    ({ kind }) => kind !== "same",
  );
  assert.deepEqual(changed, [
    { kind: "removed", text: "line 4000" },
    { kind: "added", text: "other" },
  ]);
  assert.equal(diffLines(big.join("\n"), big.toReversed().join("\n")).length > 8_000, true);
});

test("the closest line is the one a person would pick [notepad.not-found]", () => {
  const notepad =
    "## Plan\n- [x] Survey all sheets (6 sheets)\n- [ ] Fix Q3 total formulas in Summary\n\n## Decisions";
  for (const [needle, number] of [
    ["- [ ] Survey all sheets", 2],
    ["fix q3 totals formula", 3],
    ["## decision", 5],
    ["- [ ] Fix Q3 total formulas in Summary\n- [ ] Next", 3],
  ] as const) {
    assert.equal(closestLine(notepad, needle)?.number, number, needle);
  }
  assert.equal(closestLine(notepad, "zzzz"), undefined);
  assert.equal(closestLine("", "x"), undefined);
});

test("oneLine collapses whitespace and ends a cut text with an ellipsis", () => {
  assert.equal(oneLine(" a\n\t b\u2028c\u00a0 "), "a b c");
  assert.equal(oneLine("four", 4), "four");
  assert.equal(oneLine("three words here", 7), "three …");
  assert.equal(oneLine("🦞🦞", 2), "\ufffd…");
  assert.equal(oneLine("text", 0), "…");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (given, limit) => {
      assert.doesNotMatch(oneLine(given), /\s\s|[\n\r\t\v\f]|^\s|\s$/);
      assert.ok(oneLine(given, limit).length <= Math.max(1, limit));
    }),
  );
});
