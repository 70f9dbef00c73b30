import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calls, conversation, result } from "../../../test/support/conversation.ts";
import type { ReadFact } from "../../engine/records.ts";
import { compareReads } from "./compare-reads.ts";
import type { FileNow } from "./part-status.ts";
import { readParts } from "./reads.ts";

const numbered = (from: number, ...lines: string[]) =>
  lines.map((line, index) => `${String(from + index).padStart(6)}→${line}`).join("\n");

const file = { path: "a.ts", done: "read" as const, lines: "", last: 9 };

const compared = (reads: readonly ReadFact[], now: FileNow) =>
  compareReads(reads, [file], new Map([["a.ts", now]]));

function statusOf(seen: string, now: string, more: Record<string, unknown> = {}): string {
  const reads = readParts(conversation(calls("Read", { file_path: "a.ts", ...more }), result(seen)));
  const { unchanged, changed } = compared(reads, { text: now });
  return unchanged.has("a.ts") ? "unchanged" : changed.has("a.ts") ? "changed" : "unknown";
}

test("says that a file is unchanged only if the agent saw exactly what it contains now [controller.read-ledger]", () => {
  const cases: [seen: string, now: string, status: string, more?: Record<string, unknown>][] = [
    [numbered(1, "one", "two"), "one\ntwo\n", "unchanged"],
    [numbered(1, "one", "two", ""), "one\ntwo\n", "unchanged"],
    [numbered(1, "one", "two"), "one\r\ntwo\r\n", "unknown"],
    [numbered(1, "one\r", "two\r"), "one\r\ntwo\r\n", "unchanged"],
    [numbered(1, "one\r", "two\r"), "one\ntwo\n", "unknown"],
    [numbered(1, "one", "two"), "one\ntwo\n\n\n", "unknown"],
    [numbered(1, "one", "two", ""), "one\ntwo\n\n", "unknown"],
    [numbered(1, "one", "\ufffd"), "one\n\ufffd\n", "unknown"],
    [numbered(1, "one", "caf\u00e9"), "one\ncaf\ufffd\n", "unknown"],
    [numbered(1, "one", "two"), "\ufeffone\ntwo\n", "unknown"],
    [numbered(1, "one", "two", ""), "one\ntwo\n", "unchanged", { offset: 1, limit: 20 }],
    ["two\n", "one\ntwo\nthree", "unknown", { offset: 2, limit: 2 }],
    ["two\n", "one\ntwo\nthree", "unchanged", { offset: 2, limit: 1 }],
    ["two", "one\ntwo\nthree", "unknown", { offset: 2 }],
    ["one\r\ntwo", "one\ntwo", "unknown"],
    ["one\ntwo\n", "one\ntwo\n\n", "unknown"],
    [`${numbered(1, "one", "two")}\n\n<reminder>three</reminder>`, "one\ntwo", "unchanged"],
    [numbered(1, "one", "two"), "one\nTWO\n", "changed"],
    [numbered(1, "one", "two"), "one\ntwo\nthree\n", "unknown"],
    [numbered(1, "one", "two"), "one\n", "changed"],
    [numbered(2, "two"), "one\ntwo\nthree\n", "unchanged", { offset: 2, limit: 1 }],
    [numbered(2, "two"), "zero\none\ntwo\n", "changed", { offset: 2, limit: 1 }],
    [numbered(1, `${"x".repeat(500)}…`), "x".repeat(900), "unknown"],
    ["one\ntwo\n", "one\ntwo", "unknown"],
    ["one\ntwo\n", "one\ntwo\n", "unchanged"],
    ["one\ntwo", "one\ntwo\n", "unchanged"],
    ["one\n[truncated]", "one\ntwo", "unknown"],
    ["two", "one\ntwo", "unchanged", { offset: 2 }],
    ["two", "one\nTWO", "unknown", { offset: 2 }],
    ["two", "one\ntwo", "unknown", { offset: 1 }],
    ["two", "one\ntwo", "unknown", { limit: 1 }],
    ["two\n\n[1 more line in the file]", "one\ntwo\nthree", "unknown", { offset: 2, limit: 1 }],
    [JSON.stringify({ content: "one\ntwo", lines: 2 }), "one\ntwo\n", "unchanged"],
    [JSON.stringify({ content: "one\ntwo", lines: 2 }), "one\nTWO\n", "unknown"],
  ];
  for (const [seen, now, status, more] of cases)
    assert.equal(statusOf(seen, now, more), status, `${seen}\n${now}`);
});

test("a file that the agent wrote or that cannot be read is in neither list; the newest read counts [controller.read-ledger]", () => {
  const reads = readParts(
    conversation(
      calls("Read", { file_path: "a.ts" }, "1"),
      result(numbered(1, "old"), "1"),
      calls("Read", { file_path: "a.ts" }, "2"),
      result(numbered(1, "new"), "2"),
    ),
  );
  const now = new Map([["a.ts", { text: "new" }]]);
  assert.deepEqual([...compareReads(reads, [file], now).unchanged], ["a.ts"]);
  assert.equal(compareReads(reads, [file], new Map()).unchanged.size, 0);
  const edited = { path: "a.ts", done: "edited" as const, lines: "", last: 3 };
  const { unchanged, changed } = compareReads(reads, [edited], new Map([["a.ts", { text: "other" }]]));
  assert.deepEqual([unchanged.size, changed.size], [0, 0]);
});

test("lines that the agent has read again count as it saw them last [controller.read-ledger]", () => {
  const again = (...parts: [seen: string, more: Record<string, unknown>][]) =>
    readParts(
      parts.flatMap(([seen, more], index) =>
        conversation(
          calls("Read", { file_path: "a.ts", ...more }, String(index)),
          result(seen, String(index)),
        ),
      ),
    );
  const now = { text: "one\nTWO\nthree" };
  const old: [string, Record<string, unknown>] = [numbered(2, "two"), { offset: 2, limit: 1 }];
  assert.deepEqual([...compared(again(old), now).changed], ["a.ts"]);
  const whole = again(old, [numbered(1, "one", "TWO", "three"), {}]);
  assert.deepEqual([...compared(whole, now).unchanged], ["a.ts"]);
  const part = again(old, [numbered(1, "one", "TWO"), { offset: 1, limit: 2 }]);
  assert.deepEqual([...compared(part, now).unchanged], ["a.ts"]);
  const elsewhere = again(old, [numbered(3, "three"), { offset: 3, limit: 1 }]);
  assert.deepEqual([...compared(elsewhere, now).changed], ["a.ts"]);
});

test("whatever was read and changed, no file is called unchanged that is not [controller.read-ledger]", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "", "c\r", "  d"), { maxLength: 8 });
  const part = fc.tuple(fc.nat(8), fc.nat(8));
  let unchanged = 0;
  fc.assert(
    fc.property(
      lines,
      lines,
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (then, other, parts, isSame) => {
        const now = isSame ? then : other;
        const seen = parts.map(([from, count]) => ({ from, shown: then.slice(from, from + count) }));
        const reads = readParts(
          conversation(
            ...seen.flatMap(({ from, shown }, index) => [
              calls("Read", { file_path: "a.ts", offset: from + 1, limit: shown.length }, String(index)),
              result(numbered(from + 1, ...shown), String(index)),
            ]),
          ),
        );
        const text = now.join("\n");
        const { files, unchanged: same } = compared(reads, { text });
        const listed = files.find(({ path }) => same.has(path));
        if (!listed) return;
        unchanged++;
        const ranges = listed.path === "a.ts" ? listed.lines : listed.path.slice("a.ts:".length);
        for (const { from, shown } of seen)
          if (ranges === "" || ranges.split(",").includes(`${from + 1}-${from + shown.length}`))
            assert.deepEqual(shown, text.split("\n").slice(from, from + shown.length));
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(unchanged > 20, `only ${unchanged} were unchanged`);
});
