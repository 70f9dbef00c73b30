import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stateWith } from "../../test/support/conversation.ts";
import { step } from "../engine/commit.ts";
import type { Json } from "../engine/json.ts";
import { defaultLimits } from "../engine/limits.ts";
import type { Environment } from "../engine/operations.ts";
import type { RecordId } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { applyOperation, type JournalEntry, type Operation } from "./operations.ts";

const text = fc.constantFrom("", "a", "ab", "a\nb", "🦞", "x".repeat(30));
const tags = fc.array(fc.constantFrom("t", "T", "u"), { maxLength: 3 });
const id = fc.constantFrom("note_1000", "note_1001", "note_1002", "note_9");

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    type: fc.constantFrom("notepad.write", "notepad.append", "notepad.prepend", "notepad.delete"),
    content: text,
  }),
  fc.record({ type: fc.constant("notepad.replace"), find: text, replace: text, all: fc.boolean() }),
  fc.record({ type: fc.constant("notes.add"), content: text, tags }),
  fc.record({ type: fc.constant("notes.update"), id, content: text, tags }),
  fc.record({ type: fc.constant("notes.delete"), id }),
  fc.record({
    type: fc.constantFrom("scratchpad.set_notes", "scratchpad.append_notes", "scratchpad.set_plan"),
    content: text,
  }),
  fc.record({ type: fc.constantFrom("scratchpad.refs_add", "scratchpad.refs_remove"), ref: text }),
  fc.record({ type: fc.constant("scratchpad.refs_set"), items: fc.array(text, { maxLength: 4 }) }),
  fc.record({
    type: fc.constant("scratchpad.write"),
    content: text,
    mode: fc.constantFrom("replace", "append"),
  }),
  fc.record({
    type: fc.constant("messages.add"),
    messages: fc.array(fc.constant({ role: "user" }), { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant("session.rename"), title: text }),
) as fc.Arbitrary<Operation>;

const environment: Environment = {
  now: 1_000,
  limits: { ...defaultLimits, notepadCharacters: 40, noteTags: 2, refs: 2, scratchpadTokens: 20 },
  countTokens: (content) => content.length,
};

test("an operation is deterministic and mutates none of its arguments [engine.pure]", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 25, size: "max" }), (operations) => {
      let state = stateWith();
      const records = new Map<RecordId, Json>();
      for (const each of operations) {
        deepFreeze(each);
        freezeState(state);
        const before = serialise(state, records);
        const [once, twice] = [attempt(state, records, each), attempt(state, records, each)];
        assert.deepEqual(once, twice);
        assert.deepEqual(serialise(state, records), before);
        if (once.status !== "applied") continue;
        const entry = {
          revision: state.row.revision + 1,
          at: 0,
          changes: deepFreeze(once.changes),
        } as unknown as JournalEntry;
        const [next, same] = [step(state, entry), step(state, entry)];
        assert.deepEqual(next, same);
        assert.deepEqual(serialise(state, records), before);
        state = next.state;
        for (const record of next.records) records.set(`${record.kind}/${record.key}`, record.value);
      }
    }),
    { numRuns: 300 },
  );
});

test("an operation requests all the records it needs at once, and no others [engine.pure]", () => {
  const requested = (operation: Operation) => {
    const answer = applyOperation(stateWith(), new Map(), operation, environment);
    return answer.status === "needs" ? answer.ids.toSorted() : [];
  };
  assert.deepEqual(requested({ type: "notes.add", content: "x", tags: ["B", "a"] }), ["tag/B", "tag/a"]);
  assert.deepEqual(requested({ type: "notes.add", content: "x", tags: [] }), []);
  assert.deepEqual(requested({ type: "notes.delete", id: "note_1" }), ["note/note_1"]);
  assert.deepEqual(requested({ type: "notepad.append", content: "x" }), []);
  assert.deepEqual(requested({ type: "scratchpad.refs_add", ref: "x" }), []);
});

test("ids are derived only from the clock that was passed in [engine.pure]", () => {
  const add = (now: number) => {
    const answer = applyOperation(
      stateWith(),
      new Map(),
      { type: "notes.add", content: "x", tags: [] },
      { ...environment, now },
    );
    return answer.status === "applied" ? answer.result.note.id : "";
  };
  assert.equal(add(1_234), "note_1234");
  assert.equal(add(5), "note_5");
});

/** Loads the requested records, as a session does. */
function attempt(state: State, records: ReadonlyMap<RecordId, Json>, operation: Operation) {
  const loaded = new Map<RecordId, Json>();
  try {
    for (;;) {
      const answer = applyOperation(state, loaded, operation, environment);
      if (answer.status === "applied") return answer;
      for (const each of answer.ids) loaded.set(each, records.get(each) ?? null);
    }
  } catch (error) {
    return { status: "refused" as const, message: (error as Error).message };
  }
}

function serialise(state: State, records: ReadonlyMap<RecordId, Json>): string {
  return JSON.stringify([state.row, [...state.resident], [...records]]);
}

function freezeState(state: State): void {
  deepFreeze(state.row);
  for (const value of state.resident.values()) deepFreeze(value);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
