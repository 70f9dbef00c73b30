import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hasConflictMarkers, type MergePart, markConflicts, merge } from "./merge.ts";

const word = fc.constantFrom("a", "b", "c", "", "d\r", "- [ ] e");
const text = fc
  .array(word, { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`, lines.join("\r\n")));

function merged(base: string, mine: string, theirs: string): string {
  const outcome = merge(base, mine, theirs);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.text;
}

test("edits of one side, or the same edits on both, merge unchanged [merge.one-side]", () => {
  fc.assert(
    fc.property(text, text, (base, changed) => {
      assert.equal(merged(base, changed, base), changed);
      assert.equal(merged(base, base, changed), changed);
      assert.equal(merged(base, changed, changed), changed);
    }),
    { numRuns: 1_000 },
  );
});

test("edits of different lines are both kept, with any line endings [merge.disjoint]", () => {
  const edits = fc.array(fc.constantFrom("keep", "mine", "theirs"), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(edits, fc.constantFrom("\n", "\r\n"), fc.boolean(), (plan, end, endsWithBreak) => {
      const write = (...sides: string[]) =>
        plan.map((who, line) => (sides.includes(who) ? `${who} wrote ${line}` : `line ${line}`)).join(end) +
        (endsWithBreak ? end : "");
      assert.equal(merged(write(), write("mine"), write("theirs")), write("mine", "theirs"));
    }),
    { numRuns: 500 },
  );
});

test("a line added at the end merges with an edit of the last line [merge.disjoint]", () => {
  assert.equal(merged("a\nb", "a\nB", "a\nb\nc"), "a\nB\nc");
  assert.equal(merged("a\nb\n", "A\nb\n", "a\nb\nc\n"), "A\nb\nc\n");
  assert.equal(merged("a\nb", "b", "a\nb\nc"), "b\nc");
  assert.equal(merged("port 80\nhost a", "port 81\nhost a", "port 80\nhost b"), "port 81\nhost b");
});

test("two edits of one line, or two insertions at one position, are a conflict with both sides [merge.conflicts]", () => {
  fc.assert(
    fc.property(fc.nat(9), fc.nat(9), fc.boolean(), (length, position, replaces) => {
      const lines = Array.from({ length: length + 1 }, (_, line) => `line ${line}`);
      const at = position % lines.length;
      const write = (line: string) => lines.toSpliced(at, replaces ? 1 : 0, line).join("\n");
      const outcome = merge(lines.join("\n"), write("mine"), write("theirs"));
      assert.ok(!outcome.ok);
      const conflicts = outcome.parts.filter(({ kind }) => kind === "conflict");
      assert.deepEqual(conflicts, [
        { kind: "conflict", base: replaces ? [lines[at]] : [], mine: ["mine"], theirs: ["theirs"] },
      ]);
    }),
  );
});

test("no merge loses a line that either side wrote [merge.nothing-lost]", () => {
  const side = (parts: MergePart[], who: "mine" | "theirs") =>
    parts.flatMap((part) => (part.kind === "text" ? part.lines : part[who]));
  const numbered = (name: string) =>
    fc.array(fc.constantFrom("1", "2", "3", "4", `${name} 5`, `${name} 6`), { maxLength: 10 });
  fc.assert(
    fc.property(numbered("base"), numbered("mine"), numbered("theirs"), (base, mine, theirs) => {
      const outcome = merge(base.join("\n"), mine.join("\n"), theirs.join("\n"));
      const parts: MergePart[] = outcome.ok
        ? [{ kind: "text", lines: outcome.text.split("\n") }]
        : outcome.parts;
      const counted = (lines: string[], line: string) => lines.filter((each) => each === line).length;
      for (const line of ["mine 5", "mine 6"])
        assert.equal(counted(side(parts, "mine"), line), counted(mine, line));
      for (const line of ["theirs 5", "theirs 6"])
        assert.equal(counted(side(parts, "theirs"), line), counted(theirs, line));
    }),
    { numRuns: 2_000 },
  );
});

test("markers name the sides; only our own markers are recognized [merge.marks]", () => {
  const outcome = merge("top\nport 80\nend", "top\nport 81\nend", "top\nport 90\nend");
  assert.ok(!outcome.ok);
  const names = { mine: "you", base: "before", theirs: "agent, revision 7" };
  const marked = markConflicts(outcome.parts, names);
  assert.equal(
    marked,
    "top\n<<<<<<< you\nport 81\n||||||| before\nport 80\n=======\nport 90\n>>>>>>> agent, revision 7\nend",
  );
  assert.ok(hasConflictMarkers(marked, names));
  assert.ok(hasConflictMarkers(marked.replaceAll("\n", "\r\n"), names));
  assert.ok(!hasConflictMarkers("top\n=======\n<<<<<<< HEAD\nend", names));
});
