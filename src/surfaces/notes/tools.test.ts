import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runNode } from "../../../test/support/command-line.ts";
import { answer, openTestMemory, openTestSession, refusal } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { schemaOf } from "../dispatch.ts";
import { notesSurface } from "./tools.ts";

test("add_note returns the id, a message and the totals [notes.add]", async () => {
  const session = await openTestSession();
  const first = await answer(session, "add_note", {
    content: "Q3 gap is in EMEA",
    tags: ["analysis", "bug-tracking"],
  });
  assert.match(first.note_id, /^note_\d+$/);
  assert.ok(first.message.includes(first.note_id));
  assert.deepEqual(first.metadata, { note_id: first.note_id, total_notes: 1, total_tags: 2 });
  const second = await answer(session, "add_note", { content: "rows 251-267", tags: ["Analysis"] });
  assert.deepEqual(second.metadata, { note_id: second.note_id, total_notes: 2, total_tags: 3 });
  assert.deepEqual((await session.notes.get(first.note_id))?.tags, ["analysis", "bug-tracking"]);
});

test("scratch_note saves a note without tags [notes.scratch]", async () => {
  const session = await openTestSession();
  const { note_id, message, metadata } = await answer(session, "scratch_note", { content: "quick" });
  assert.ok(message.includes(note_id));
  assert.deepEqual(metadata, { note_id, total_notes: 1, total_tags: 0 });
  assert.deepEqual((await session.notes.get(note_id))?.tags, []);
  assert.ok((await refusal(session, "scratch_note", { content: "x", tags: ["t"] })).text.includes(`"tags"`));
});

test("content over the limit is refused with the ADR's message [notes.content-limit]", async () => {
  const session = await openTestSession();
  const { note_id } = await answer(session, "add_note", { content: "🦞".repeat(4_000) });
  for (const [tool, input] of [
    ["add_note", {}],
    ["scratch_note", {}],
    ["update_note", { id: note_id }],
  ] as const) {
    const { code, text } = await refusal(session, tool, { ...input, content: "x".repeat(4_001) });
    assert.equal(code, "over_limit");
    assert.equal(
      text,
      "note content exceeds maximum length of 4000 characters (got 4001). Please shorten the content or split into multiple notes",
    );
  }
  const small = await openTestSession({ limits: { noteCharacters: 5 } });
  await answer(small, "add_note", { content: "12345" });
  assert.match(
    (await refusal(small, "add_note", { content: "123456" })).text,
    /maximum length of 5 characters \(got 6\)/,
  );
});

test("too many tags are refused with the ADR's message [notes.tag-limit]", async () => {
  const session = await openTestSession();
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag-${index}`);
  const { note_id } = await answer(session, "add_note", { content: "ten", tags: tags(10) });
  for (const [tool, input] of [
    ["add_note", { content: "x" }],
    ["update_note", { id: note_id }],
  ] as const) {
    const { code, text } = await refusal(session, tool, { ...input, tags: tags(11) });
    assert.equal(code, "over_limit");
    assert.equal(
      text,
      "note has too many tags (max 10, got 11). Please reduce the number of tags to focus on the most relevant categories",
    );
  }
  const small = await openTestSession({ limits: { noteTags: 1 } });
  assert.match(
    (await refusal(small, "add_note", { content: "x", tags: ["a", "b"] })).text,
    /\(max 1, got 2\)/,
  );
});

test("empty content and empty tags are refused by name [notes.add] [notes.tags]", async () => {
  const session = await openTestSession();
  for (const content of ["", "  \n"])
    assert.match((await refusal(session, "add_note", { content })).text, /content/);
  for (const tag of ["", " "])
    assert.match((await refusal(session, "add_note", { content: "x", tags: [tag] })).text, /tag/);
});

test("ids are note_<ms> of the clock, unique and increasing even when the clock stops or goes back [notes.ids]", async () => {
  let now = 1_700_000_000_000;
  const session = await openTestSession({ clock: () => now });
  const add = async () => (await answer(session, "add_note", { content: "x" })).note_id as string;
  assert.equal(await add(), "note_1700000000000");
  assert.equal(await add(), "note_1700000000001");
  now -= 10 * 365 * 86_400_000;
  assert.equal(await add(), "note_1700000000002");
  now = 1_700_000_005_000;
  const newest = await add();
  assert.equal(newest, "note_1700000005000");
  await answer(session, "delete_note", { id: newest });
  assert.equal(await add(), "note_1700000005001", "the id of a deleted note is not reused");
});

test("notes of several processes have ids that are unique and increasing [notes.ids]", async () => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  const writer = `
    import { openMemory } from ${JSON.stringify(join(import.meta.dirname, "../../index.ts"))};
    const memory = await openMemory({ store: ${JSON.stringify(db)}, clock: () => 1_000_000 });
    const session = await memory.resumeSession("s");
    for (let index = 0; index < 40; index++) await session.call("add_note", { content: process.pid + " " + index });
    await memory.close();`;
  const outcomes = await Promise.all([1, 2, 3].map(() => runNode(["--input-type=module", "--eval", writer])));
  for (const { code, stderr } of outcomes) assert.equal(code, 0, stderr);
  const ids = (await session.notes.all()).map(({ id }) => Number(id.slice("note_".length))).toReversed();
  assert.deepEqual(
    ids,
    Array.from({ length: 120 }, (_, index) => 1_000_000 + index),
  );
  await memory.close();
});

test("tags are stored as written and matched case-insensitively [notes.tags]", async () => {
  const session = await openTestSession();
  const both = (await answer(session, "add_note", { content: "one", tags: ["Bug-Fix", "API"] })).note_id;
  const one = (await answer(session, "add_note", { content: "two", tags: ["bug-fix"] })).note_id;
  const ids = async (tags: string[]) =>
    (await answer(session, "search_notes", { tags })).notes.map((note: { id: string }) => note.id);
  assert.deepEqual(await ids(["BUG-FIX"]), [one, both]);
  assert.deepEqual(await ids(["bug-fix", "api"]), [both]);
  assert.deepEqual(await ids(["bug-fix", "nope"]), []);
  assert.deepEqual(await ids(["bug"]), [], "a part of a tag is not the tag");
  const [, listed] = (await answer(session, "list_notes", {})).notes;
  assert.deepEqual(listed.tags, ["Bug-Fix", "API"]);
  const spelled = await answer(session, "list_tags");
  assert.deepEqual(spelled.tags, [
    { tag: "API", count: 1 },
    { tag: "Bug-Fix", count: 1 },
    { tag: "bug-fix", count: 1 },
  ]);
  assert.equal(spelled.metadata.tag_count, 3);
});

test("update_note changes only the fields it gets [notes.update]", async () => {
  const session = await openTestSession();
  const { note_id: id } = await answer(session, "add_note", { content: "draft", tags: ["a", "b"] });
  const content = await answer(session, "update_note", { id, content: "final" });
  assert.ok(content.message.includes(id));
  assert.deepEqual([content.note.id, content.note.content, content.note.tags], [id, "final", ["a", "b"]]);
  assert.deepEqual(content.metadata, { note_id: id, total_notes: 1, total_tags: 2 });
  const tags = await answer(session, "update_note", { id, tags: ["c"] });
  assert.deepEqual([tags.note.content, tags.note.tags], ["final", ["c"]]);
  assert.equal(tags.metadata.total_tags, 1);
  const cleared = await answer(session, "update_note", { id, tags: [] });
  assert.deepEqual([cleared.note.content, cleared.note.tags, cleared.metadata.total_tags], ["final", [], 0]);
  assert.ok(cleared.note.updated_at > cleared.note.created_at);
});

test("update_note refuses empty content, and a call that would change nothing [notes.update]", async () => {
  const session = await openTestSession();
  const { note_id: id } = await answer(session, "add_note", { content: "kept", tags: ["a"] });
  assert.match((await refusal(session, "update_note", { id, content: "" })).text, /content/);
  assert.match((await refusal(session, "update_note", { id, content: "", tags: ["b"] })).text, /content/);
  assert.match((await refusal(session, "update_note", { id })).text, /"content" or "tags"/);
  assert.match((await refusal(session, "update_note", { content: "x" })).text, /"id"/);
});

test("delete_note removes a note; an unknown id is an error with the next step [notes.delete]", async () => {
  const session = await openTestSession();
  const { note_id: id } = await answer(session, "add_note", { content: "gone soon", tags: ["a"] });
  const { message, metadata } = await answer(session, "delete_note", { id });
  assert.ok(message.includes(id));
  assert.deepEqual(metadata, { note_id: id, total_notes: 0, total_tags: 0 });
  assert.equal(await session.notes.get(id), undefined);
  for (const gone of [id, "note_1", "nonsense", ""]) {
    const { code, text } = await refusal(session, "delete_note", { id: gone });
    assert.equal(code, "not_found");
    assert.match(text, /list_notes/);
  }
});

test("list_tags returns every tag in use with its number of notes [notes.list-tags]", async () => {
  const session = await openTestSession();
  assert.deepEqual((await answer(session, "list_tags")).tags, []);
  const { note_id } = await answer(session, "add_note", { content: "1", tags: ["perf", "api"] });
  await answer(session, "add_note", { content: "2", tags: ["perf"] });
  await answer(session, "add_note", { content: "3", tags: ["perf", "perf"] });
  const listed = await answer(session, "list_tags", {});
  assert.deepEqual(listed.tags, [
    { tag: "api", count: 1 },
    { tag: "perf", count: 3 },
  ]);
  assert.deepEqual(listed.metadata, { tag_count: 2, note_count: 3 });
  await answer(session, "delete_note", { id: note_id });
  assert.deepEqual((await answer(session, "list_tags")).tags, [{ tag: "perf", count: 2 }]);
});

test("the guidance is the ADR's, lists exactly the note tools and appears only with them [notes.guidance]", async () => {
  const { guidance } = await (await openTestSession({ surfaces: ["notes"] })).context();
  assert.ok(guidance.startsWith("<scratchpad_system>\nYou have access to a persistent scratchpad"));
  assert.ok(guidance.endsWith("</scratchpad_system>"));
  const named = /\*\*Available operations:\*\*\n(.+)\n/.exec(guidance)?.[1]?.split(", ") ?? [];
  assert.deepEqual(named, [
    "add_note",
    "search_notes",
    "list_notes",
    "update_note",
    "delete_note",
    "scratch_note",
    "list_tags",
  ]);
  assert.deepEqual(named.toSorted(), notesSurface.tools.map(({ name }) => name).toSorted());
  const without = await (await openTestMemory({ surfaces: ["notepad", "scratchpad"] })).createSession();
  assert.ok(!(await without.context()).system.includes("scratchpad_system"));
  assert.equal((await refusal(without, "add_note", { content: "x" })).code, "unknown_tool");
});

test("the seven tools take the ADR's parameters [notes.add] [notes.update] [notes.search-metadata]", () => {
  const parameters = Object.fromEntries(
    notesSurface.tools.map(({ name, input }) => {
      const { properties, required = [] } = schemaOf(input, "input") as {
        properties: object;
        required?: string[];
      };
      return [
        name,
        { takes: Object.keys(properties).filter((key) => key !== "limit" && key !== "offset"), required },
      ];
    }),
  );
  assert.deepEqual(parameters, {
    add_note: { takes: ["content", "tags"], required: ["content"] },
    search_notes: { takes: ["query", "tags"], required: [] },
    list_notes: { takes: ["tag"], required: [] },
    update_note: { takes: ["id", "content", "tags"], required: ["id"] },
    delete_note: { takes: ["id"], required: ["id"] },
    scratch_note: { takes: ["content"], required: ["content"] },
    list_tags: { takes: [], required: [] },
  });
});
