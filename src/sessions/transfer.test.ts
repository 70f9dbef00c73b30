import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { answer, everything, openTestMemory, rejection } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { Session, SessionExport } from "../index.ts";
import { openSmallMemory, play, randomCall } from "./test-support/random-calls.ts";

/** As read back from a file. */
const throughJson = (document: SessionExport): SessionExport => JSON.parse(JSON.stringify(document));

async function withoutRevision(session: Session) {
  const { revision: _revision, counters, ...rest } = await everything(session);
  return { ...rest, totals: [counters.notes, counters.tags] };
}

test("an exported and imported session is identical, including its history [sessions.export]", async () => {
  const directory = temporaryDirectory();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomCall, { maxLength: 20, size: "max" }),
      fc.boolean(),
      async (calls, forked) => {
        const source = await openSmallMemory();
        let session = await source.createSession({ id: "s", agent: "auditor", title: "Prüfung 🦞" });
        for (const call of calls) await play(session, call);
        await session.apply({
          type: "messages.add",
          messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
        });
        if (forked) session = await source.forkSession("s", { id: "f" });
        const document = throughJson(await source.exportSession(session.id));
        const target = await openSmallMemory({
          store: `sqlite:${join(directory, `${++run}.db`)}?synchronous=normal`,
        });
        const copy = await target.importSession(document);

        assert.equal(copy.id, session.id);
        assert.deepEqual(await withoutRevision(copy), await withoutRevision(session));
        const { row } = await copy.state();
        assert.deepEqual([row.agent, row.title, row.origin], ["auditor", "Prüfung 🦞", "imported"]);
        const [arrival, ...history] = await copy.history();
        assert.deepEqual([arrival?.operation.type, arrival?.actor.kind], ["session.import", "import"]);
        assert.deepEqual(history, await session.history());
        for (const { revision } of history)
          assert.deepEqual(await copy.at(revision), await session.at(revision));
        const undone = await session.undo().then(
          () => true,
          () => false,
        );
        if (undone) {
          await copy.undo();
          assert.deepEqual(await withoutRevision(copy), await withoutRevision(session));
        }
        await target.close();
      },
    ),
    { numRuns: 40 },
  );
});

test("an imported session can be edited and searched, and never reuses an id [sessions.export] [notes.ids]", async () => {
  const memory = await openTestMemory({ clock: () => 1_000 });
  const session = await memory.createSession({ id: "s" });
  await answer(session, "add_note", { content: "stays" });
  const { note_id: gone } = await answer(session, "add_note", { content: "goes" });
  await answer(session, "delete_note", { id: gone });
  const document = throughJson(await memory.exportSession("s"));
  const copy = await memory.importSession(document, { id: "copy" });
  const { note_id: next } = await answer(copy, "add_note", { content: "new" });
  assert.equal(gone, "note_1001");
  assert.equal(next, "note_1002");
  assert.equal((await answer(copy, "search_notes", { query: "stays" })).notes.length, 1);
});

test("an export is a copy: changing it does not change the stored session [sessions.export]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  await session.notes.add("a note", ["tag"]);
  await session.apply({ type: "messages.add", messages: [{ role: "user" }] });
  const before = await everything(session);
  const document = await memory.exportSession("s");
  for (const records of Object.values(document.records)) {
    for (const value of Object.values(records ?? {}))
      if (value && typeof value === "object") Object.assign(value, { content: "forged", notes: 99 });
  }
  for (const entry of document.journal) entry.revision = 99;
  assert.deepEqual(await everything(session), before);
  assert.deepEqual(
    (await session.history()).map(({ revision }) => revision),
    [3, 2, 1],
  );
});

test("an import whose id exists gets a new id, unless the caller asked for the id [sessions.export]", async () => {
  const memory = await openTestMemory();
  await (await memory.createSession({ id: "s" })).notepad.write("first");
  const document = throughJson(await memory.exportSession("s"));
  const copy = await memory.importSession(document);
  assert.notEqual(copy.id, "s");
  assert.equal(await copy.notepad.read(), "first");
  assert.equal((await memory.importSession(document, { id: "named" })).id, "named");
  await rejection(memory.importSession(document, { id: "s" }), "session_exists");
});

test("a document that is not an export, or is damaged, is rejected as a whole [sessions.export] [bad.types]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  await session.notes.add("note", ["tag"]);
  await session.scratchpad.addRef("ref");
  await session.apply({ type: "messages.add", messages: [{ role: "user" }] });
  const good = throughJson(await memory.exportSession("s"));
  const damaged = (change: (document: Record<string, never> & SessionExport) => void): unknown => {
    const document = structuredClone(good);
    change(document as Record<string, never> & SessionExport);
    return document;
  };
  const noteId = Object.keys(good.records.note ?? {})[0] ?? "";
  const cases: unknown[] = [
    undefined,
    null,
    5,
    "text",
    [],
    {},
    { format: "holdfast-session" },
    damaged((document) => Object.assign(document, { version: 2 })),
    damaged((document) => Object.assign(document, { format: "other" })),
    damaged((document) => Object.assign(document, { notepad: 5 })),
    damaged((document) => Object.assign(document, { notepad: "a\u0000" })),
    damaged((document) => Object.assign(document, { journal: undefined })),
    damaged((document) => void document.journal.reverse()),
    damaged(
      (document) =>
        void document.journal.push({
          ...(document.journal[0] as SessionExport["journal"][number]),
          revision: 99,
        }),
    ),
    damaged((document) => Object.assign(document.session, { id: "../escape" })),
    damaged((document) => Object.assign(document.session, { agent: "a/b" })),
    damaged((document) => Object.assign(document.session, { revision: -1 })),
    damaged((document) => Object.assign(document.records, { secret: {} })),
    damaged((document) => Object.assign(document.records, { note: { [noteId]: { content: 5 } } })),
    damaged((document) =>
      Object.assign(document.records, { note: { "../x": document.records.note?.[noteId] } }),
    ),
    damaged((document) =>
      Object.assign(document.records, {
        note: { note_99999999999999999999: document.records.note?.[noteId] },
      }),
    ),
    damaged((document) => Object.assign(document.records, { ref: { first: "a" } })),
    damaged((document) => Object.assign(document.records, { ref: { "000000000001": 5 } })),
    damaged((document) => Object.assign(document.records, { message: { one: {} } })),
    damaged((document) => Object.assign(document.records, { space: { notes: null } })),
  ];
  for (const document of cases) await rejection(memory.importSession(document), "invalid_input");
  assert.deepEqual(
    (await memory.listSessions({ status: "all" })).map(({ id }) => id),
    ["s"],
  );
});

test("tag counts come from the notes, not from the document [sessions.export] [notes.list-tags]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  await session.notes.add("one", ["__proto__", "Constructor"]);
  await session.notes.add("two", ["constructor"]);
  const document = throughJson(await memory.exportSession("s"));
  document.records.tag = { bogus: { notes: 7 } };
  const copy = await memory.importSession(document, { id: "copy" });
  assert.deepEqual(await copy.notes.tags(), await session.notes.tags());
  assert.deepEqual((await answer(copy, "list_tags")).metadata, { tag_count: 3, note_count: 2 });
});

test("an import that is nested too deep is a typed error [bad.deep-import]", async () => {
  const memory = await openTestMemory({ store: "memory:" });
  await memory.createSession({ id: "s" });
  const document = await memory.exportSession("s");
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  const broken = { ...document, records: { message: { "000000000001": deep } } };
  const { message } = await rejection(memory.importSession(broken, { id: "t" }), "invalid_input");
  assert.match(message, /nested more than 500 levels deep/);
  await rejection(memory.importSession(deep, { id: "t" }), "invalid_input");
  await memory.close();
});
