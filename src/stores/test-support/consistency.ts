import assert from "node:assert/strict";
import type { Session } from "../../index.ts";

/** The labels that writers put at the start of each text, in journal order. */
export async function writtenLabels(session: Session): Promise<string[]> {
  return (await session.history({ newestFirst: false })).flatMap(({ operation }) =>
    operation.type === "notepad.append" || operation.type === "notes.add"
      ? [operation.content.split(" ", 1)[0] as string]
      : [],
  );
}

/** Journal, notepad and notes agree: no gaps, nothing applied twice, ids unique and increasing. */
export async function assertConsistent(session: Session): Promise<void> {
  const history = await session.history({ newestFirst: false });
  assert.deepEqual(
    history.map(({ revision }) => revision),
    history.map((_, index) => index + 1),
    "revisions have a gap",
  );
  const labels = await writtenLabels(session);
  assert.equal(new Set(labels).size, labels.length, "an operation was applied twice");
  const appended = history.flatMap(({ operation }) =>
    operation.type === "notepad.append" ? [operation.content] : [],
  );
  assert.equal(await session.notepad.read(), appended.join("\n"), "the notepad does not match the journal");
  const added = history.flatMap(({ operation, changes }) => {
    const note = changes.find((change) => change.type === "record" && change.kind === "note");
    return operation.type === "notes.add" && note?.type === "record"
      ? [{ id: note.key, content: operation.content }]
      : [];
  });
  const numbers = added.map(({ id }) => Number(id.slice("note_".length)));
  assert.ok(
    numbers.every((number, index) => index === 0 || number > (numbers[index - 1] as number)),
    "note ids do not increase",
  );
  const notes = (await session.notes.all()).map(({ id, content }) => ({ id, content })).toReversed();
  assert.deepEqual(notes, added, "the notes do not match the journal");
  const { row } = await session.state();
  assert.equal(row.counters.notes, added.length);
  assert.equal((await session.notes.tags()).find(({ tag }) => tag === "shared")?.notes ?? 0, added.length);
}
