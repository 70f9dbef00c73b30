import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { tickingClock } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { parseNotepad, parseScratchpad, type Session } from "../index.ts";
import { emptyModel, type Model, modelCall } from "./test-support/model.ts";
import { openSmallMemory, type RandomCall, randomCall, resolveCall } from "./test-support/random-calls.ts";

type Step = RandomCall | "close and open" | "open without closing";

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: randomCall },
    fc.constantFrom<Step>("close and open", "open without closing"),
  ),
  { maxLength: 40, size: "max" },
);

test("random calls match the model, also across reopening [notepad.write] [notes.add] [notes.update] [notes.delete] [scratchpad.set] [scratchpad.refs-set]", async () => {
  const directory = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (todo) => {
      run++;
      const store = `sqlite:${join(directory, `${run}.db`)}?synchronous=normal`;
      const clock = tickingClock();
      const open = () => openSmallMemory({ store, clock });
      const opened = [await open()];
      let session = await opened[0]?.openSession("s");
      let model = emptyModel();
      for (const step of todo) {
        assert.ok(session);
        if (typeof step !== "string") {
          model = await compareCall(session, model, step);
        } else {
          if (step === "close and open") await opened.pop()?.close();
          const memory = await open();
          opened.push(memory);
          session = await memory.resumeSession("s");
        }
        await compareState(session, model);
      }
      for (const memory of opened) await memory.close();
    }),
    { numRuns: 60 },
  );
});

async function compareCall(session: Session, model: Model, step: RandomCall): Promise<Model> {
  const call = await resolveCall(session, step);
  const before = (await session.state()).row.revision;
  const result = await session.call(call.tool, call.input);
  const newId = result.ok ? (result.output.note_id as string) : "";
  const next = modelCall(model, call, newId);
  assert.equal(result.ok, next !== undefined, `${JSON.stringify(call)}: ${result.text}`);
  assert.equal((await session.state()).row.revision, before + (result.ok ? 1 : 0));
  const metadata = result.ok
    ? (result.output.metadata as { total_notes: number; total_tags: number } | undefined)
    : undefined;
  if (next && metadata) {
    assert.deepEqual([metadata.total_notes, metadata.total_tags], [next.notes.length, tagCounts(next).size]);
  }
  return next ?? model;
}

async function compareState(session: Session, model: Model): Promise<void> {
  assert.equal(await session.notepad.read(), model.notepad);
  assert.deepEqual(await session.scratchpad.read(), model.scratchpad);
  const notes = await session.notes.all();
  assert.deepEqual(
    notes.map(({ id, content, tags }) => ({ id, content, tags })),
    model.notes,
  );
  const tags = await session.notes.tags();
  assert.deepEqual(
    new Map(tags.map(({ tag, notes: count }): [string, number] => [tag, count]).toSorted()),
    tagCounts(model),
  );
  assert.equal(tags.length, tagCounts(model).size);
  const { system, message } = await session.context();
  assert.equal(parseNotepad(system), model.notepad);
  assert.deepEqual(parseScratchpad(message) ?? { notes: "", plan: "", refs: [] }, model.scratchpad);
}

function tagCounts({ notes }: Model): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { tags } of notes) {
    for (const tag of new Set(tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return new Map([...counts].toSorted());
}
