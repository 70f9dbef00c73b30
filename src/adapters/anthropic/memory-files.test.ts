import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { openTestSession } from "../../../test/support/memory.ts";
import {
  create,
  insert,
  read,
  refused,
  remove,
  rename,
  replace,
  run,
  view,
} from "./test-support/memory-tool.ts";

test("the notepad and the spaces can be read and written as files [anthropic.memory-files]", async () => {
  const session = await openTestSession();
  await run(session, create("/memories/notepad.md", "- Sheet 1"));
  await run(session, insert("/memories/notepad.md", 1, "- Sheet 2"));
  assert.equal(await session.notepad.read(), "- Sheet 1\n- Sheet 2");
  await session.notepad.append("- Sheet 3");
  assert.equal(await read(session, "/memories/notepad.md"), "- Sheet 1\n- Sheet 2\n- Sheet 3");
  await run(session, replace("/memories/notepad.md", "- Sheet 2\n", ""));
  assert.equal(await session.notepad.read(), "- Sheet 1\n- Sheet 3");
  assert.match(await refused(session, create("/memories/notepad.md", "over")), /already exists/);

  await run(session, create("/memories/scratchpad/plan.md", "1. Read"));
  await run(session, create("/memories/scratchpad/notes.md", "July"));
  await run(session, create("/memories/scratchpad/refs.md", "src/a.ts\nsrc/b.ts\n"));
  assert.deepEqual(await session.scratchpad.read(), {
    notes: "July",
    plan: "1. Read",
    refs: ["src/a.ts", "src/b.ts"],
  });
  await session.scratchpad.addRef("two\nlines");
  assert.equal(await read(session, "/memories/scratchpad/refs.md"), "src/a.ts\nsrc/b.ts\ntwo\n  lines");
  await run(session, insert("/memories/scratchpad/refs.md", 0, "README.md"));
  assert.deepEqual((await session.scratchpad.read()).refs, [
    "README.md",
    "src/a.ts",
    "src/b.ts",
    "two\nlines",
  ]);
  for (const text of ["a\n\nb", "a\na"]) {
    await run(session, remove("/memories/scratchpad/refs.md"));
    assert.match(
      await refused(session, create("/memories/scratchpad/refs.md", text)),
      /one reference per line/,
    );
  }

  await run(session, remove("/memories/notepad.md"));
  await run(session, remove("/memories/scratchpad"));
  assert.equal(await session.notepad.read(), "");
  assert.deepEqual(await session.scratchpad.read(), { notes: "", plan: "", refs: [] });
  assert.match(await refused(session, remove("/memories/notepad.md")), /does not exist/);
});

test("notes are files, and other files are notes [anthropic.memory-files]", async () => {
  const session = await openTestSession();
  const { result } = await session.notes.add("July is counted twice", ["q3", "bug"]);
  const path = `/memories/notes/${result.note.id}.md`;
  await run(session, replace(path, "July", "August"));
  assert.deepEqual(await session.notes.get(result.note.id).then((note) => [note?.content, note?.tags]), [
    "August is counted twice",
    ["q3", "bug"],
  ]);

  await run(session, rename(path, "/memories/findings/q3.md"));
  assert.equal(await read(session, "/memories/findings/q3.md"), "August is counted twice");
  assert.match(await refused(session, view(path)), /does not exist/);
  assert.deepEqual((await session.notes.get(result.note.id))?.tags, [
    "/memories/findings/q3.md",
    "q3",
    "bug",
  ]);
  await run(session, rename("/memories/findings/q3.md", path));
  assert.deepEqual((await session.notes.get(result.note.id))?.tags, ["q3", "bug"], "and back again");
  assert.match(
    await refused(session, rename(path, "/memories/notes/note_1.md")),
    /is a name reserved for notes/,
  );
  assert.match(
    await refused(session, create("/memories/notes/note_1.md", "x")),
    /is a name reserved for notes/,
  );

  await run(session, create("/memories/todo.md", "call EMEA"));
  const [found] = (await session.notes.search({ query: "EMEA" })).notes;
  assert.deepEqual([found?.content, found?.tags], ["call EMEA", ["/memories/todo.md"]]);
  await session.notes.add("newer", ["/memories/todo.md"]);
  assert.equal(
    await read(session, "/memories/todo.md"),
    "newer",
    "of two notes with one path the newer is the file",
  );
  assert.equal(
    await read(session, `/memories/notes/${found?.id}.md`),
    "call EMEA",
    "and the older is not lost",
  );
  for (const tag of ["/memories/notepad.md", "/memories/../x", "/memories/notes"]) {
    const odd = await session.notes.add("odd", [tag]);
    assert.equal(await read(session, `/memories/notes/${odd.result.note.id}.md`), "odd");
  }
});

test("moving between the notepad and other files loses nothing [anthropic.memory-files]", async () => {
  const session = await openTestSession();
  await session.notepad.write("working notes");
  await run(session, rename("/memories/notepad.md", "/memories/old.md"));
  assert.equal(await session.notepad.read(), "");
  assert.equal(await read(session, "/memories/old.md"), "working notes");
  await run(session, rename("/memories/old.md", "/memories/notepad.md"));
  assert.equal(await session.notepad.read(), "working notes");
  assert.equal((await session.notes.all()).length, 0);
  await session.scratchpad.setPlan("1. Read");
  await run(session, rename("/memories/scratchpad", "/memories/archive"));
  assert.equal(await read(session, "/memories/archive/plan.md"), "1. Read");
  assert.match(await refused(session, rename("/memories/archive", "/memories/archive/inner")), /into itself/);
  assert.match(await refused(session, create("/memories/archive/plan.md/x", "x")), /is not a directory/);
  assert.match(await refused(session, create("/memories/archive", "x")), /already exists/);
});

test("any text written to a file is read back, blank or not [anthropic.memory-files]", async () => {
  const session = await openTestSession();
  const texts = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.constantFrom(
      "",
      " ",
      "\n",
      "\n\n",
      "(blank file)",
      "(blank file)x",
      "a\r\nb",
      "\\",
      "$&",
      "## Session Notepad",
    ),
  );
  let number = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (given) => {
      const text = given.replaceAll("\u0000", "").toWellFormed();
      const path = `/memories/files/${number++}.md`;
      assert.equal(await run(session, create(path, text)), `File created successfully at: ${path}`);
      assert.equal(await read(session, path), text);
      if (text === "") return;
      await run(session, create("/memories/notepad.md", text));
      assert.equal(await read(session, "/memories/notepad.md"), text);
      await run(session, remove("/memories/notepad.md"));
    }),
    { numRuns: 60 },
  );
});

test("rejects paths that lead out of /memories, in any encoding [anthropic.memory-paths]", async () => {
  const session = await openTestSession();
  const escaping = [
    "/memories/..",
    "/memories/../etc/passwd",
    "/memories/a/../../b",
    "/memories/%2e%2e/x",
    "/memories/%2E%2E%2Fx",
    "/memories/..%2fx",
    "/memories/%252e%252e%252fx",
    "/memories/..\\x",
    "/memories/%2e%2e%5cx",
    "/memories/50%/%2e%2e/x",
  ];
  const elsewhere = [
    "",
    "/",
    "/etc/passwd",
    "memories/x",
    "/memoriesx",
    "/MEMORIES/x",
    "file:///memories/x",
    "C:\\memories",
    "~",
  ];
  for (const path of [...escaping, ...elsewhere]) {
    const words = escaping.includes(path)
      ? /would escape \/memories directory/
      : /must start with \/memories/;
    for (const command of [
      view(path),
      create(path, "x"),
      replace(path, "a", "b"),
      insert(path, 0, "x"),
      remove(path),
    ]) {
      assert.match(await refused(session, command), words, JSON.stringify(command));
    }
    assert.match(await refused(session, rename("/memories/a", path)), words);
    assert.match(await refused(session, rename(path, "/memories/a")), words);
  }
  for (const path of ["/memories/a\nb", "/memories/a\u0007"])
    assert.match(await refused(session, view(path)), /control character/);
  assert.match(await refused(session, create(`/memories/${"x".repeat(100)}`, "x")), /too long/);
  for (const path of [
    "/memories/100%.md",
    "/memories/a..b",
    "/memories/...",
    "/memories/ü b.md",
    "/memories/%20",
  ]) {
    assert.match(await run(session, create(path, "fine")), /created successfully/, path);
    assert.equal(await read(session, path), "fine");
  }
  await run(session, create("/memories//x///y.md", "tidy"));
  assert.equal(await read(session, "/memories/x/y.md"), "tidy");
});
