import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import fc from "fast-check";
import { openTestMemory, openTestSession } from "../../test/support/memory.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import type { Session } from "../index.ts";
import { runMemoryCommand } from "./memory-tool.ts";

type Command = { command: string; [field: string]: unknown };

async function run(session: Session, command: Command): Promise<string> {
  const answer = await runMemoryCommand(session, command);
  return answer.ok ? answer.text : `Error: ${answer.text}`;
}

async function refused(session: Session, command: Command): Promise<string> {
  const { row } = await session.state();
  const answer = await runMemoryCommand(session, command);
  assert.ok(!answer.ok, `accepted: ${answer.text}`);
  assert.equal((await session.state()).row.revision, row.revision, "a refused command changed something");
  return answer.text;
}

const create = (path: string, file_text: string) => ({ command: "create", path, file_text });
const view = (path: string, view_range?: number[]) => ({
  command: "view",
  path,
  ...(view_range ? { view_range } : {}),
});
const rename = (old_path: string, new_path: string) => ({ command: "rename", old_path, new_path });
const replace = (path: string, old_str: string, new_str: string) => ({
  command: "str_replace",
  path,
  old_str,
  new_str,
});
const insert = (path: string, insert_line: number, insert_text: string) => ({
  command: "insert",
  path,
  insert_line,
  insert_text,
});
const remove = (path: string) => ({ command: "delete", path });

/** A file as the tool shows it, without the numbers. */
async function read(session: Session, path: string): Promise<string> {
  const shown = await run(session, view(path));
  const [heading, ...lines] = shown.split("\n");
  assert.equal(heading, `Here's the content of ${path} with line numbers:`);
  return lines.map((line) => line.slice(line.indexOf("\t") + 1)).join("\n");
}

test("every command answers as Anthropic's own file system tool does, word for word [anthropic.memory-answers]", async () => {
  const session = await openTestSession();
  const theirs = await BetaLocalFilesystemMemoryTool.init(temporaryDirectory());
  const script: Command[] = [
    create("/memories/a.txt", "one\ntwo\nthree\nfour\nfive\nsix"),
    create("/memories/a.txt", "again"),
    create("/memories/dir/b.txt", "two two\ntwo"),
    create("/memories/dir/deep/c.txt", "c"),
    create("/memories/.hidden", "h"),
    create("/memories/empty.txt", ""),
    view("/memories/a.txt"),
    view("/memories/a.txt", [2, 3]),
    view("/memories/a.txt", [4, -1]),
    view("/memories/a.txt", [0, 1]),
    view("/memories/empty.txt"),
    view("/memories/none.txt"),
    replace("/memories/a.txt", "three", "3 $& three"),
    replace("/memories/a.txt", "seven", "7"),
    replace("/memories/dir/b.txt", "two", "2"),
    replace("/memories/none.txt", "x", "y"),
    replace("/memories/dir", "x", "y"),
    insert("/memories/a.txt", 0, "zero\n"),
    insert("/memories/a.txt", 7, "seven"),
    insert("/memories/a.txt", 99, "far"),
    insert("/memories/a.txt", -1, "far"),
    insert("/memories/none.txt", 0, "x"),
    view("/memories/a.txt"),
    rename("/memories/a.txt", "/memories/dir/b.txt"),
    rename("/memories/a.txt", "/memories/new/a.txt"),
    rename("/memories/none.txt", "/memories/x.txt"),
    rename("/memories", "/memories/x"),
    rename("/memories/dir", "/memories/moved"),
    view("/memories/moved/deep/c.txt"),
    remove("/memories/none.txt"),
    remove("/memories"),
    remove("/memories/moved"),
    view("/memories/moved"),
    view("/etc/passwd"),
    create("/memories/../out.txt", "x"),
  ];
  for (const command of script) {
    const ours = await run(session, command);
    // biome-ignore lint/suspicious/noExplicitAny: each command has its own handler type
    const handler = (theirs as any)[command.command].bind(theirs) as (given: Command) => Promise<string>;
    const expected = await handler(command).catch((error: Error) => `Error: ${error.message}`);
    const isError = expected.startsWith("Error: ");
    // Where their error leaves the agent without a next step, ours goes on to name one.
    assert.equal(isError ? ours.slice(0, expected.length) : ours, expected, JSON.stringify(command));
  }
});

test("a directory is listed as Anthropic's own tool lists it [anthropic.memory-answers]", async () => {
  const session = await openTestSession();
  assert.match(
    await run(session, view("/memories")),
    /2 levels deep in \/memories, excluding .*:\n0B\t\/memories$/,
  );
  await session.notepad.write("Plan: audit");
  await session.scratchpad.setPlan("1. Read");
  const { result } = await session.notes.add("July twice", ["q3"]);
  await run(session, create("/memories/users/ada/likes.md", "x".repeat(1536)));
  await run(session, create("/memories/.hidden", "h"));
  assert.equal(
    await run(session, view("/memories")),
    `Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:
1.5K\t/memories
11B\t/memories/notepad.md
10B\t/memories/notes/
10B\t/memories/notes/${result.note.id}.md
7B\t/memories/scratchpad/
7B\t/memories/scratchpad/plan.md
1.5K\t/memories/users/
1.5K\t/memories/users/ada/`,
  );
  assert.match(await run(session, view("/memories/users/")), /1.5K\t\/memories\/users\/ada\/likes.md$/);
});

test("a long listing is cut and says how to go on [anthropic.memory-answers]", async () => {
  const session = await openTestSession({ limits: { noteTags: 3 } });
  for (let number = 0; number < 230; number++) await session.notes.add(`note ${number}`);
  const first = await run(session, view("/memories/notes"));
  assert.equal(first.split("\n").length, 203);
  assert.match(first, /\(30 more: view \/memories\/notes again with view_range \[201, 230\]\)$/);
  const rest = await run(session, view("/memories/notes", [201, 230]));
  assert.equal(rest.split("\n").length, 32);
});

test("the notepad and the spaces are files, and the files are the notepad and the spaces [anthropic.memory-files]", async () => {
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
      /one reference to a line/,
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
  assert.match(await refused(session, rename(path, "/memories/notes/note_1.md")), /is the name of a note/);
  assert.match(await refused(session, create("/memories/notes/note_1.md", "x")), /is the name of a note/);

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

test("whatever is written to a file is read back, blank or not [anthropic.memory-files]", async () => {
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

test("paths that lead out of /memories are refused, however they are written [anthropic.memory-paths]", async () => {
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

test("commands are journaled, can be undone and keep to the budgets [anthropic.memory-journal]", async () => {
  const session = await openTestSession({ limits: { noteCharacters: 50, spacePlanCharacters: 10, refs: 2 } });
  await run(session, create("/memories/a.md", "first"));
  await run(session, replace("/memories/a.md", "first", "second"));
  const [entry] = await session.history({ limit: 1 });
  assert.deepEqual(
    [entry?.surface, entry?.operation.type, entry?.actor.kind],
    ["memory", "notes.update", "agent"],
  );
  await session.undo();
  assert.equal(await read(session, "/memories/a.md"), "first");
  await run(session, remove("/memories/a.md"));
  await session.undo();
  assert.equal(await read(session, "/memories/a.md"), "first");

  assert.match(await refused(session, create("/memories/b.md", "x".repeat(51))), /50 characters \(got 51\)/);
  assert.match(await refused(session, create("/memories/notepad.md", "x".repeat(32_001))), /limit is 32000/);
  assert.match(
    await run(session, create("/memories/scratchpad/plan.md", "x".repeat(12))),
    /created .*\nplan truncated to 10 .*journal/s,
  );
  assert.match(
    await run(session, create("/memories/scratchpad/refs.md", "a\nb\nc")),
    /Only the first 2 of 3 references were kept/,
  );
});

test("a command that is no command is refused with what is missing [anthropic.memory-journal]", async () => {
  const session = await openTestSession();
  assert.match(
    await refused(session, { command: "move", path: "/memories/a" }),
    /"command" must be one of "view", "create"/,
  );
  assert.match(await refused(session, { command: "view" }), /The parameter "path" is missing: view needs it/);
  assert.match(await refused(session, { command: "create", path: "/memories/a" }), /"file_text" is missing/);
  assert.match(
    await refused(session, { command: "insert", path: "/memories/a", insert_line: "1" }),
    /"insert_line" must be/,
  );
});

test("edits of two processes at once are both kept [anthropic.memory-journal]", async () => {
  const store = join(temporaryDirectory(), "memory.db");
  const sessions = await Promise.all(
    [1, 2].map(async () => (await openTestMemory({ store })).openSession("shared")),
  );
  const [one, two] = sessions as [Session, Session];
  await run(one, create("/memories/a.md", "start"));
  const edits = Array.from({ length: 20 }, (_, number) =>
    run(number % 2 ? one : two, insert("/memories/a.md", 0, `line ${number}`)),
  );
  assert.deepEqual(new Set(await Promise.all(edits)), new Set(["The file /memories/a.md has been edited."]));
  assert.equal((await read(two, "/memories/a.md")).split("\n").length, 21);
  // Of two that create one file, one is told that it is there.
  const created = await Promise.all([
    run(one, create("/memories/b.md", "1")),
    run(two, create("/memories/b.md", "2")),
  ]);
  assert.equal(created.filter((answer) => answer.startsWith("File created")).length, 1);
  assert.equal((await one.notes.all()).length, 2);
});
