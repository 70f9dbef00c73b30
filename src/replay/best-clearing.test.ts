import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bestSaving } from "./best-clearing.ts";
import type { ClearingProblem } from "./clearing-problem.ts";

interface RandomProblem {
  /** Share of the rewriting cost due at each moment; 0 when the cache is lost anyway. */
  shares: number[];
  results: { from: number; spare: number; behind: number }[];
}

/** Each token saves 1 per moment; rewriting costs the uncleared text after the result, and grows with time. */
function problemOf({ shares, results: given }: RandomProblem): ClearingProblem {
  const moments = shares.length;
  const results = given
    .map((result) => ({ ...result, from: result.from % moments }))
    .sort((left, right) => left.from - right.from);
  return {
    moments: shares.map((_, moment) => moment),
    results: results.map(({ from, spare }, message) => ({
      message,
      from,
      saving: Array.from({ length: moments + 1 }, (_, moment) => spare * (moments - moment)),
    })),
    rewriting: (moment, index) =>
      results.slice(index).reduce((sum, { behind }) => sum + behind, moment) * (shares[moment] ?? 0),
  };
}

/** Tries every choice of a first result, or none, at every moment. */
function tryAll({ moments, results, rewriting }: ClearingProblem): number {
  let best = 0;
  const visit = (moment: number, cleared: ReadonlySet<number>, gained: number): void => {
    best = Math.max(best, gained);
    if (moment === moments.length) return;
    visit(moment + 1, cleared, gained);
    for (const [first, { from }] of results.entries()) {
      if (from > moment) break;
      const now = new Set(cleared);
      let gain = -rewriting(moment, first);
      for (const [index, result] of results.entries()) {
        if (index < first || result.from > moment || now.has(index)) continue;
        now.add(index);
        gain += result.saving[moment] ?? 0;
      }
      visit(moment + 1, now, gained + gain);
    }
  };
  visit(0, new Set(), 0);
  return best;
}

test("the bound equals the result of an exhaustive search", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(0, 0.5, 1, 1, 1), { minLength: 1, maxLength: 5 }),
      fc.array(fc.record({ from: fc.nat(4), spare: fc.integer({ min: 1, max: 9 }), behind: fc.nat(20) }), {
        minLength: 1,
        maxLength: 4,
      }),
      (shares, results) => {
        const problem = problemOf({ shares, results });
        assert.ok(Math.abs(bestSaving(problem) - tryAll(problem)) < 1e-9);
      },
    ),
    { numRuns: 300 },
  );
});
