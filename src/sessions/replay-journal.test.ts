import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { step } from "../engine/commit.ts";
import type { Json } from "../engine/json.ts";
import { type RecordKind, recordKinds } from "../engine/records.ts";
import { emptyCounters, type SessionRow, type State } from "../engine/state.ts";
import type { MemorySnapshot, Session } from "../index.ts";
import { openSmallMemory, play, type RandomCall, randomCall } from "./test-support/random-calls.ts";

type Step = RandomCall | "undo" | "say" | "rename";

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof({ weight: 10, arbitrary: randomCall }, fc.constantFrom<Step>("undo", "say", "rename")),
  { maxLength: 30, size: "max" },
);

test("replaying the whole journal yields the stored state [engine.fold] [journal.history]", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (todo) => {
      const session = await (await openSmallMemory()).createSession();
      for (const each of todo) await runStep(session, each);
      const [birth, ...entries] = await session.history({ newestFirst: false });
      assert.equal(birth?.operation.type, "session.create");
      let state = newborn((await session.state()).row);
      const records = new Map<string, Json>();
      for (const [index, entry] of entries.entries()) {
        assert.equal(entry.revision, index + 2, "every revision has its entry");
        const next = step(state, entry);
        state = next.state;
        for (const { kind, key, value } of next.records) {
          if (value === null) records.delete(`${kind}/${key}`);
          else records.set(`${kind}/${key}`, value);
        }
      }
      const stored = await session.state();
      assert.deepEqual(state.row, stored.row);
      assert.deepEqual(new Map([...state.resident].toSorted()), new Map([...stored.resident].toSorted()));
      assert.deepEqual(Object.fromEntries(records), await storedRecords(session));
    }),
    { numRuns: 150 },
  );
});

test("any revision can be read back, also in a fork and after reopening [journal.state-at]", async () => {
  const directory = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const store = `sqlite:${join(directory, `${++run}.db`)}?synchronous=normal`;
      const memory = await openSmallMemory({ store });
      const parent = await memory.createSession({ id: "parent" });
      const early = await record(parent, before);
      const fork = await memory.forkSession("parent", { id: "fork" });
      const late = await record(fork, after);
      await record(parent, after.toReversed());
      await memory.close();

      const reopened = await openSmallMemory({ store });
      for (const id of ["parent", "fork"]) {
        const session = await reopened.resumeSession(id);
        for (const expected of id === "fork" ? [...early, ...late] : early) {
          assert.deepEqual(await session.at(expected.revision), expected);
        }
      }
      await reopened.close();
    }),
    { numRuns: 25 },
  );
});

test("applying a diff to one revision yields the other [journal.diff]", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), fc.nat(), async (todo, one, other) => {
      const session = await (await openSmallMemory()).createSession();
      const snapshots = [await session.at(1), ...(await record(session, todo))];
      const [from, to] = [snapshots[one % snapshots.length], snapshots[other % snapshots.length]];
      assert.ok(from && to);
      const diff = await session.diff(from.revision, to.revision);
      const side = (lines: { kind: string; text: string }[], hidden: string) =>
        lines
          .filter(({ kind }) => kind !== hidden)
          .map(({ text }) => text)
          .join("\n");
      assert.equal(side(diff.notepad, "added"), from.notepad ?? "");
      assert.equal(side(diff.notepad, "removed"), to.notepad ?? "");
      assert.equal(side(diff.scratchpad.plan, "added"), from.scratchpad.plan);
      assert.equal(side(diff.scratchpad.notes, "removed"), to.scratchpad.notes);
      const gone = new Set(diff.notes.removed.map(({ id }) => id));
      const changed = new Map(diff.notes.changed.map(({ after }) => [after.id, after]));
      const rebuilt = [
        ...from.notes.filter(({ id }) => !gone.has(id)).map((note) => changed.get(note.id) ?? note),
        ...diff.notes.added,
      ];
      const texts = (notes: MemorySnapshot["notes"]) =>
        notes.map(({ id, content, tags }) => JSON.stringify([id, content, tags])).toSorted();
      assert.deepEqual(texts(rebuilt), texts(to.notes));
      assert.deepEqual(
        [
          ...from.scratchpad.refs.filter((ref) => !diff.scratchpad.refsRemoved.includes(ref)),
          ...diff.scratchpad.refsAdded,
        ].toSorted(),
        to.scratchpad.refs.toSorted(),
      );
    }),
    { numRuns: 100 },
  );
});

/** Runs one step; it may be rejected. */
async function runStep(session: Session, each: Step): Promise<void> {
  if (each === "undo") await session.undo().catch(() => undefined);
  else if (each === "say")
    await session.apply({ type: "messages.add", messages: [{ role: "user", content: "hello" }] });
  else if (each === "rename") await session.apply({ type: "session.rename", title: "another title" });
  else await play(session, each);
}

async function record(session: Session, todo: Step[]): Promise<MemorySnapshot[]> {
  const snapshots: MemorySnapshot[] = [];
  for (const each of todo) {
    await runStep(session, each);
    const { row } = await session.state();
    snapshots.push({
      revision: row.revision,
      notepad: row.notepad,
      scratchpad: await session.scratchpad.read(),
      notes: await session.notes.all(),
    });
  }
  return snapshots;
}

async function storedRecords(session: Session): Promise<Record<string, Json>> {
  const records: Record<string, Json> = {};
  for (const kind of Object.keys(recordKinds) as RecordKind[]) {
    for (const { key, value } of await session.records(kind)) records[`${kind}/${key}`] = value;
  }
  return records;
}

/** The session as created. */
function newborn(row: SessionRow): State {
  const unused = {
    title: null,
    notepad: null,
    revision: 1,
    counters: emptyCounters(),
    updatedAt: row.createdAt,
  };
  return { row: { ...row, ...unused }, resident: new Map() };
}
