import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withinEdits } from "../../engine/edit-distance.ts";
import { eachTerm, terms } from "./words.ts";

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

test("withinEdits matches exactly the words within the edit distance [notes.search-ranked]", () => {
  const word = fc
    .array(fc.constantFrom("a", "b", "c", "é"), { maxLength: 8 })
    .map((letters) => letters.join(""));
  fc.assert(
    fc.property(word, word, fc.constantFrom(0, 1, 2), (a, b, maxEdits) => {
      assert.equal(withinEdits(a, b, maxEdits), distance(a, b) <= maxEdits, `${a} ${b} ${maxEdits}`);
    }),
    { numRuns: 5_000 },
  );
});

test("every character except separators is part of a term at the reported position [notes.search-index]", () => {
  const text = fc
    .array(fc.constantFrom("a", "b1", "_", " ", ".", "数", "据", "カ", "🦞", "é", "—"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (sample) => {
      const covered = new Set<number>();
      eachTerm(sample, (term, at) => {
        assert.equal(sample.slice(at, at + term.length), term);
        for (let index = at; index < at + term.length; index++) covered.add(index);
      });
      for (const [index, unit] of sample.split("").entries())
        assert.equal(covered.has(index), !/[ .—]/.test(unit), `${sample} ${index}`);
    }),
  );
  assert.deepEqual(terms("snake_case v2, 数据库!"), ["snake_case", "v2", "数据", "据库", "库"]);
});
