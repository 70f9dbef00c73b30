import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { eachTerm, terms, withinEdits } from "./words.ts";

/** Optimal string alignment by its definition. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) =>
    Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => table[row]?.[column] ?? 0;
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const swap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const costs = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + same];
      if (swap) costs.push(at(row - 2, column - 2) + 1);
      (table[row] as number[])[column] = Math.min(...costs);
    }
  }
  return at(a.length, b.length);
}

test("words within a number of edits are found, no others [notes.search-ranked]", () => {
  const word = fc
    .array(fc.constantFrom("a", "b", "c", "é"), { maxLength: 8 })
    .map((letters) => letters.join(""));
  fc.assert(
    fc.property(word, word, fc.constantFrom(0, 1, 2), (a, b, most) => {
      assert.equal(withinEdits(a, b, most), distance(a, b) <= most, `${a} ${b} ${most}`);
    }),
    { numRuns: 5_000 },
  );
});

test("every character that is no separator stands in a term, at the place that is named [notes.search-index]", () => {
  const text = fc
    .array(fc.constantFrom("a", "b1", "_", " ", ".", "数", "据", "カ", "🦞", "é", "—"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (given) => {
      const covered = new Set<number>();
      eachTerm(given, (term, at) => {
        assert.equal(given.slice(at, at + term.length), term);
        for (let place = at; place < at + term.length; place++) covered.add(place);
      });
      for (const [place, unit] of given.split("").entries())
        assert.equal(covered.has(place), !/[ .—]/.test(unit), `${given} ${place}`);
    }),
  );
  assert.deepEqual(terms("snake_case v2, 数据库!"), ["snake_case", "v2", "数据", "据库", "库"]);
});
