import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { estimateTokens } from "./estimate-tokens.ts";
import { chooseEnds, renderEnds, shareRoom } from "./excerpt.ts";

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1} of the file`).join("\n");

test("a text that fits is whole; a longer one keeps whole lines at both ends [controller.fit-results]", () => {
  assert.equal(chooseEnds("short", 10, estimateTokens), undefined);
  const text = lines(500);
  const ends = chooseEnds(text, 200, estimateTokens);
  assert.ok(ends);
  const shown = renderEnds(text, ends, "[cut]");
  assert.ok(estimateTokens(shown) <= 210);
  assert.match(
    shown,
    /^line 1 of the file\n[\s\S]*\nline \d+ of the file\n\[cut\]\nline \d+ of the file\n[\s\S]*line 500 of the file$/,
  );
});

test("a code block that the cut goes through is closed and opened again [controller.fit-results]", () => {
  const text = `before\n\`\`\`ts\n${lines(300)}\n\`\`\`\nafter`;
  const ends = chooseEnds(text, 120, estimateTokens);
  assert.ok(ends);
  const fences = renderEnds(text, ends, "[cut]")
    .split("\n")
    .filter((line) => line.startsWith("```"));
  assert.deepEqual(fences, ["```ts", "```", "```", "```"]);
});

test("in any script the ends stay within the budget and split no character [controller.fit-results]", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 50, maxLength: 2_000 }),
    fc.string({
      unit: fc.constantFrom("漢", "字", "🦑", "ก", "א", "\n", "=", "a"),
      minLength: 50,
      maxLength: 2_000,
    }),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 200 }), (long, room) => {
      const ends = chooseEnds(long, room, estimateTokens);
      if (!ends) return;
      const head = long.slice(0, ends.head);
      const tail = long.slice(long.length - ends.tail);
      assert.ok(head.isWellFormed() && tail.isWellFormed());
      assert.ok(ends.head + ends.tail < long.length);
      assert.ok(estimateTokens(head) + estimateTokens(tail) <= room + 2);
    }),
    { seed: 2 },
  );
});

test("room is shared fairly: small items are whole, the others get the same [controller.fit-results]", () => {
  assert.deepEqual(shareRoom([10, 500, 1_000, 90], 700), [10, 300, 300, 90]);
  assert.deepEqual(shareRoom([10, 20], 100), [10, 20]);
  assert.deepEqual(shareRoom([10, 20], -5), [0, 0]);
});
