import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { openTestMemory, openTestSession } from "../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import type { Session } from "../../index.ts";
import { runMemoryCommand } from "./memory-tool.ts";
import {
  type Command,
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

test("every command answers word for word like Anthropic's own file system tool [anthropic.memory-answers]", async () => {
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
    const handlers = theirs as unknown as Record<string, (given: Command) => Promise<string>>;
    const handler = handlers[command.command]?.bind(theirs);
    assert.ok(handler);
    const expected = await handler(command).catch((error: Error) => `Error: ${error.message}`);
    const isError = expected.startsWith("Error: ");
    // If their error has no next step, ours adds one.
    assert.equal(isError ? ours.slice(0, expected.length) : ours, expected, JSON.stringify(command));
  }
});

test("lists a directory like Anthropic's own tool [anthropic.memory-answers]", async () => {
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

test("a long listing is cut and says how to continue [anthropic.memory-answers]", async () => {
  const session = await openTestSession({ limits: { noteTags: 3 } });
  for (let number = 0; number < 230; number++) await session.notes.add(`note ${number}`);
  const first = await run(session, view("/memories/notes"));
  assert.equal(first.split("\n").length, 203);
  assert.match(first, /\(30 more: view \/memories\/notes again with view_range \[201, 230\]\)$/);
  const rest = await run(session, view("/memories/notes", [201, 230]));
  assert.equal(rest.split("\n").length, 32);
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

test("an invalid command is rejected with what is missing [anthropic.memory-journal]", async () => {
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

test("concurrent edits by two processes are both kept [anthropic.memory-journal]", async () => {
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
  // Of two processes that create the same file, one gets the error that it exists.
  const created = await Promise.all([
    run(one, create("/memories/b.md", "1")),
    run(two, create("/memories/b.md", "2")),
  ]);
  assert.equal(created.filter((answer) => answer.startsWith("File created")).length, 1);
  assert.equal((await one.notes.all()).length, 2);
});

test("a command that is sent again under the same id changes nothing [anthropic.memory-once]", async () => {
  const session = await openTestSession();
  const twice = async (command: Command, id: string) => {
    const first = await runMemoryCommand(session, command, id);
    const { revision } = (await session.state()).row;
    const second = await runMemoryCommand(session, command, id);
    assert.ok(first.ok && second.ok, `${first.text} ${second.text}`);
    assert.equal((await session.state()).row.revision, revision);
    return [first.text, second.text];
  };
  const [created, again] = await twice(create("/memories/dir/a.txt", "one"), "toolu_create_a");
  assert.equal(again, created);
  await twice(create("/memories/dir/b.txt", "two"), "toolu_create_b");
  await twice(insert("/memories/dir/a.txt", 1, "\nmore"), "toolu_insert_a");
  const [, replaced] = await twice(replace("/memories/dir/a.txt", "one", "1"), "toolu_replace_a");
  assert.match(replaced ?? "", /This call was sent before; nothing was changed now\./);
  await twice(rename("/memories/dir", "/memories/moved"), "toolu_rename_dir");
  assert.match(await run(session, view("/memories/moved")), /a\.txt[\s\S]*b\.txt/);
  await twice(remove("/memories/moved"), "toolu_remove_dir");
  assert.match(await run(session, remove("/memories/moved")), /does not exist/);
});
