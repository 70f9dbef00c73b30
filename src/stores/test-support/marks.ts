import assert from "node:assert/strict";
import type { Session } from "../../index.ts";

/** The marks that writers left in a session, in the order of the journal. */
export async function marksOf(session: Session): Promise<string[]> {
  return (await session.history({ newestFirst: false })).flatMap(({ operation }) =>
    operation.type === "notepad.append" || operation.type === "notes.add"
      ? [operation.content.split(" ", 1)[0] as string]
      : [],
  );
}

/** Journal, notepad and notes tell the same story: a total order, nothing twice, ids unique and increasing. */
export async function assertSound(session: Session): Promise<void> {
  const history = await session.history({ newestFirst: false });
  assert.deepEqual(
    history.map(({ revision }) => revision),
    history.map((_, place) => place + 1),
    "revisions have a gap",
  );
  const marks = await marksOf(session);
  assert.equal(new Set(marks).size, marks.length, "an operation was applied twice");
  const appended = history.flatMap(({ operation }) =>
    operation.type === "notepad.append" ? [operation.content] : [],
  );
  assert.equal(await session.notepad.read(), appended.join("\n"), "the notepad is not what the journal says");
  const added = history.flatMap(({ operation, changes }) => {
    const note = changes.find((change) => change.type === "record" && change.kind === "note");
    return operation.type === "notes.add" && note?.type === "record"
      ? [{ id: note.key, content: operation.content }]
      : [];
  });
  const numbers = added.map(({ id }) => Number(id.slice("note_".length)));
  assert.ok(
    numbers.every((number, place) => place === 0 || number > (numbers[place - 1] as number)),
    "note ids do not increase",
  );
  const notes = (await session.notes.all()).map(({ id, content }) => ({ id, content })).toReversed();
  assert.deepEqual(notes, added, "the notes are not what the journal says");
  const { row } = await session.state();
  assert.equal(row.counters.notes, added.length);
  assert.equal((await session.notes.tags()).find(({ tag }) => tag === "shared")?.notes ?? 0, added.length);
}
