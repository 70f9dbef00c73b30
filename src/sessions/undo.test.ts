import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isHoldfastError, type Session } from "../index.ts";
import { modelLimits } from "./test-support/model.ts";
import { openSmallMemory, play, randomCall } from "./test-support/random-calls.ts";

const calls = fc.array(randomCall, { maxLength: 25, size: "max" });

/** The state that undo restores: everything except the counters that never decrease. */
async function visible(session: Session) {
  const { row } = await session.state();
  return {
    notepad: row.notepad,
    scratchpad: await session.scratchpad.read(),
    notes: await session.notes.all(),
    tags: await session.notes.tags(),
    counted: [row.counters.notes, row.counters.tags],
    title: row.title,
  };
}

test("undoing the last operation restores the memory exactly; undoing the undo redoes it [journal.undo-last]", async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (todo) => {
      const session = await (await openSmallMemory()).createSession();
      for (const each of todo) {
        const before = await visible(session);
        if (!(await play(session, each))) continue;
        const after = await visible(session);
        const { revision } = await session.undo();
        assert.deepEqual(await visible(session), before, `undo of ${JSON.stringify(each)}`);
        await session.undo(revision);
        assert.deepEqual(await visible(session), after, `redo of ${JSON.stringify(each)}`);
      }
    }),
    { numRuns: 100 },
  );
});

test("repeated undo goes back to the beginning, one step at a time [journal.undo-last]", async () => {
  await fc.assert(
    fc.asyncProperty(calls, async (todo) => {
      const session = await (await openSmallMemory()).createSession();
      const earlier: Awaited<ReturnType<typeof visible>>[] = [];
      for (const each of todo) {
        const before = await visible(session);
        if (await play(session, each)) earlier.push(before);
      }
      for (const expected of earlier.toReversed()) {
        await session.undo();
        assert.deepEqual(await visible(session), expected);
      }
      await assert.rejects(session.undo(), (error) => isHoldfastError(error) && error.code === "cannot_undo");
    }),
    { numRuns: 100 },
  );
});

test("undo of any operation keeps totals and limits correct, or is rejected and changes nothing [journal.undo-any]", async () => {
  await fc.assert(
    fc.asyncProperty(calls, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), async (todo, picks) => {
      const session = await (await openSmallMemory()).createSession();
      for (const each of todo) await play(session, each);
      for (const pick of picks) {
        const before = await visible(session);
        const { revision } = (await session.state()).row;
        const target = 1 + (pick % revision);
        const [entry] = await session.history({ from: target, to: target });
        try {
          await session.undo(target);
        } catch (error) {
          assert.ok(isHoldfastError(error) && error.code === "cannot_undo", String(error));
          assert.deepEqual(await visible(session), before);
          assert.equal((await session.state()).row.revision, revision);
          continue;
        }
        await checkInvariants(session);
        checkOnlyTouched(
          before,
          await visible(session),
          entry?.operation.type === "undo" ? "" : (entry?.operation.type ?? ""),
        );
      }
    }),
    { numRuns: 250 },
  );
});

/** The invariants of the surfaces hold after an undo. */
async function checkInvariants(session: Session): Promise<void> {
  const { notes, tags, counted, scratchpad, notepad } = await visible(session);
  const counts = new Map<string, number>();
  for (const note of notes) {
    for (const tag of new Set(note.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  assert.deepEqual(new Map(tags.map(({ tag, notes: count }) => [tag, count])), counts);
  assert.deepEqual(counted, [notes.length, counts.size]);
  assert.equal(new Set(scratchpad.refs).size, scratchpad.refs.length, "a ref is stored twice");
  assert.ok(scratchpad.refs.length <= modelLimits.refs, "too many refs");
  assert.ok([...(notepad ?? "")].length <= modelLimits.notepadCharacters, "the notepad is over its limit");
  assert.ok([...scratchpad.plan].length <= modelLimits.spacePlanCharacters, "the plan is over its limit");
  assert.ok(
    [...scratchpad.notes].length <= modelLimits.spaceNotesCharacters,
    "the notes are over their limit",
  );
}

/** Undoing an edit of one surface does not change the others. */
function checkOnlyTouched(
  before: Awaited<ReturnType<typeof visible>>,
  after: Awaited<ReturnType<typeof visible>>,
  type: string,
): void {
  const [surface] = type.split(".");
  if (surface === "notepad") assert.deepEqual({ ...after, notepad: null }, { ...before, notepad: null });
  if (surface === "scratchpad")
    assert.deepEqual({ ...after, scratchpad: null }, { ...before, scratchpad: null });
  if (surface === "notes")
    assert.deepEqual([after.notepad, after.scratchpad], [before.notepad, before.scratchpad]);
}

type Edit = { kind: "append" } | { kind: "replace" | "clear"; pick: number };

const edits = fc.array(
  fc.oneof(
    fc.constant<Edit>({ kind: "append" }),
    fc.record({ kind: fc.constantFrom<"replace" | "clear">("replace", "clear"), pick: fc.nat() }),
  ),
  { minLength: 1, maxLength: 20, size: "max" },
);

test("undo of a line edit works while the line is unchanged, and is rejected if it was edited since [journal.undo-any]", async () => {
  await fc.assert(
    fc.asyncProperty(edits, fc.nat(), async (todo, pick) => {
      const session = await (await openSmallMemory({ limits: {} })).createSession();
      let serial = 0;
      const fresh = () => `<${String(serial++).padStart(3, "0")}>`;
      const lines: string[] = [fresh()];
      await session.notepad.append(lines[0] as string);
      const done: { revision: number; line: number; before: string; after: string }[] = [];
      for (const edit of todo) {
        // Only non-empty lines, and never the last: an append would fill a cleared last line.
        const open = [...lines.keys()].filter((line) => lines[line] !== "" && line < lines.length - 1);
        const line = edit.kind === "append" ? lines.length : open[edit.pick % Math.max(1, open.length)];
        if (line === undefined) continue;
        const before = lines[line] ?? "";
        const after = edit.kind === "clear" ? "" : fresh();
        const { revision } =
          edit.kind === "append"
            ? await session.notepad.append(after)
            : edit.kind === "clear"
              ? await session.notepad.delete(before)
              : await session.notepad.replace(before, after);
        lines[line] = after;
        done.push({ revision, line, before, after });
      }
      assert.equal(await session.notepad.read(), lines.join("\n"));
      const target = done[pick % Math.max(1, done.length)];
      if (!target) return;
      const isLatest = done.findLast(({ line }) => line === target.line) === target;
      if (!isLatest)
        return assert.rejects(
          session.undo(target.revision),
          (error) => isHoldfastError(error) && error.code === "cannot_undo",
        );
      await session.undo(target.revision);
      if (target.before === "") lines.splice(target.line, 1);
      else lines[target.line] = target.before;
      assert.equal(await session.notepad.read(), lines.join("\n"));
    }),
    { numRuns: 150 },
  );
});
