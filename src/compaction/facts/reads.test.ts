import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result } from "../../../test/support/conversation.ts";
import { compareReads, readParts } from "./reads.ts";

const numbered = (from: number, ...lines: string[]) =>
  lines.map((line, index) => `${String(from + index).padStart(6)}→${line}`).join("\n");

function statusOf(seen: string, now: string, more: Record<string, unknown> = {}): string {
  const reads = readParts(conversation(calls("Read", { file_path: "a.ts", ...more }), result(seen)));
  const { unchanged, changed } = compareReads(reads, [], new Map([["a.ts", now]]));
  return unchanged.has("a.ts") ? "unchanged" : changed.has("a.ts") ? "changed" : "unknown";
}

test("says that a file is unchanged only if the agent saw exactly what it contains now [controller.read-ledger]", () => {
  const cases: [seen: string, now: string, status: string, more?: Record<string, unknown>][] = [
    [numbered(1, "one", "two"), "one\ntwo\n", "unchanged"],
    [numbered(1, "one", "two", ""), "one\r\ntwo\r\n", "unchanged"],
    [`${numbered(1, "one", "two")}\n\n<reminder>three</reminder>`, "one\ntwo", "unchanged"],
    [numbered(1, "one", "two"), "one\nTWO\n", "changed"],
    [numbered(1, "one", "two"), "one\ntwo\nthree\n", "unknown"],
    [numbered(1, "one", "two"), "one\n", "changed"],
    [numbered(2, "two"), "one\ntwo\nthree\n", "unchanged", { offset: 2, limit: 1 }],
    [numbered(2, "two"), "zero\none\ntwo\n", "changed", { offset: 2, limit: 1 }],
    ["one\ntwo\n", "one\ntwo", "unchanged"],
    ["one\n[truncated]", "one\ntwo", "unknown"],
    ["two", "one\ntwo", "unknown", { offset: 2 }],
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
  const now = new Map([["a.ts", "new"]]);
  assert.deepEqual([...compareReads(reads, [], now).unchanged], ["a.ts"]);
  assert.equal(compareReads(reads, [], new Map()).unchanged.size, 0);
  const edited = { path: "a.ts", done: "edited" as const, lines: "", last: 3 };
  assert.equal(compareReads(reads, [edited], now).unchanged.size, 0);
});
