import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

const header = {
  type: "session",
  version: 3,
  id: "0198c7aa-pi",
  timestamp: "2026-03-01T10:00:00.000Z",
  cwd: "/repo",
};

function line(id: string, parentId: string | null, fields: object): object {
  return { ...fields, id, parentId, timestamp: "2026-03-01T10:00:01.000Z" };
}

const custom = (id: string, parentId: string | null, key: string, data: unknown) =>
  line(id, parentId, { type: "custom", customType: `openclaw:scratchpad${key}`, data });

const message = (id: string, parentId: string | null, content: string) =>
  line(id, parentId, { type: "message", message: { role: "user", content } });

/** A file whose last entry is on the second of two branches. */
const branched = [
  header,
  message("00000001", null, "start"),
  custom("00000002", "00000001", ":notes", "shared notes"),
  custom("00000003", "00000002", ":plan", "the abandoned plan"),
  custom("00000004", "00000003", ":refs", ["abandoned.ts"]),
  message("00000005", "00000004", "on the abandoned branch"),
  custom("00000006", "00000002", ":plan", "1. Fix\n2. Test"),
  custom("00000007", "00000006", ":refs", ["src/a.ts", "https://example.com/42"]),
  message("00000008", "00000007", "on the current branch"),
];

function place(lines: object[]): { file: string; db: string } {
  const directory = temporaryDirectory();
  const file = join(directory, "session.jsonl");
  writeFileSync(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
  return { file, db: join(directory, "memory.db") };
}

test("a pi session file is imported along its current branch only [sessions.pi-import]", async () => {
  const { file, db } = place(branched);
  const { code, stdout, stderr } = await holdfastWith({}, "store", "import", file, "--store", db, "--json");
  assert.equal(code, 0, stderr);
  const { session: id } = JSON.parse(stdout);
  assert.equal(id, header.id);
  const memory = await openTestMemory({ store: db });
  const session = await memory.resumeSession(id);
  assert.deepEqual(await session.scratchpad.read(), {
    notes: "shared notes",
    plan: "1. Fix\n2. Test",
    refs: ["src/a.ts", "https://example.com/42"],
  });
  assert.deepEqual(
    (await session.messages()).map((each) => (each as { content: string }).content),
    ["start", "on the current branch"],
  );
  const { message } = await session.context();
  const origin = "[Origin of the scratchpad: this session was imported]";
  assert.ok(message.startsWith(`${origin}\n\n[Session Scratchpad]\nshared notes\n\nPlan:\n1. Fix`), message);
  await memory.close();
});

test("the old single key becomes the notes, and nothing is cut [sessions.pi-import]", async () => {
  const long = "x".repeat(5_000);
  const { file, db } = place([header, custom("00000001", null, "", long)]);
  assert.equal((await holdfastWith({}, "store", "import", file, "--store", db, "--session", "mine")).code, 0);
  const memory = await openTestMemory({ store: db });
  assert.equal((await (await memory.resumeSession("mine")).scratchpad.read()).notes, long);
  await memory.close();
});

test("export writes the scratchpad to the file, and import reads it again [sessions.pi-export]", async () => {
  const { file, db } = place(branched);
  await holdfastWith({}, "store", "import", file, "--store", db, "--session", "s");
  const memory = await openTestMemory({ store: db });
  const session = await memory.resumeSession("s");
  await session.scratchpad.setPlan("1. ~~Fix~~ DONE\n2. Test <-- current");
  await session.scratchpad.addRef("src/b.ts");
  await session.notepad.write("also the notepad");
  const expected = await session.scratchpad.read();
  await memory.close();

  const before = readFileSync(file, "utf8");
  const { code, stderr } = await holdfastWith(
    {},
    "store",
    "export",
    "s",
    "--format",
    "pi",
    "--into",
    file,
    "--store",
    db,
  );
  assert.equal(code, 0, stderr);
  const after = readFileSync(file, "utf8");
  assert.ok(after.startsWith(before), "what pi wrote is unchanged");
  const added = after
    .slice(before.length)
    .trim()
    .split("\n")
    .map((each) => JSON.parse(each));
  assert.deepEqual(
    added
      .filter(({ customType }) => customType.startsWith("openclaw:"))
      .map(({ type, customType, data }) => [type, customType, data]),
    [
      ["custom", "openclaw:scratchpad:plan", expected.plan],
      ["custom", "openclaw:scratchpad:refs", expected.refs],
    ],
    "only what changed, in the shape that OpenClaw reads",
  );
  let parent: string | null = "00000008";
  for (const { id, parentId, timestamp } of added) {
    assert.match(id, /^[0-9a-f]{8}$/);
    assert.equal(parentId, parent, "the entries continue from the leaf");
    assert.ok(!Number.isNaN(Date.parse(timestamp)));
    parent = id;
  }

  await holdfastWith({}, "store", "import", file, "--store", db, "--session", "again");
  const reopened = await openTestMemory({ store: db });
  const again = await reopened.resumeSession("again");
  assert.deepEqual(await again.scratchpad.read(), expected);
  assert.equal(await again.notepad.read(), "also the notepad");
  await reopened.close();

  await holdfastWith({}, "store", "export", "s", "--format", "pi", "--into", file, "--store", db);
  assert.equal(readFileSync(file, "utf8"), after, "a second export adds nothing");
});

test("an export overwrites nothing but an earlier export of its kind [sessions.export]", async () => {
  const { file, db } = place(branched);
  const before = readFileSync(file, "utf8");
  await holdfastWith({}, "store", "import", file, "--store", db, "--session", "s");
  for (const args of [["s"], ["--all"]]) {
    const { code, stderr } = await holdfastWith(
      {},
      "store",
      "export",
      ...args,
      "--into",
      file,
      "--store",
      db,
    );
    assert.equal(code, 1);
    assert.match(stderr, /exists and is not an earlier export of this kind\. Nothing was written\./);
    assert.equal(readFileSync(file, "utf8"), before);
  }
  const [one, all] = [`${file}.json`, `${file}.all`];
  const into = async (place: string, ...args: string[]) =>
    (await holdfastWith({}, "store", "export", ...args, "--into", place, "--store", db)).code;
  assert.deepEqual([await into(one, "s"), await into(one, "s")], [0, 0]);
  assert.deepEqual([await into(all, "--all"), await into(all, "--all")], [0, 0]);
  assert.deepEqual([await into(all, "s"), await into(one, "--all")], [1, 1]);
});

test("the command line exports a session as JSON and imports it again [sessions.export]", async () => {
  const directory = temporaryDirectory();
  const [db, other, file] = ["one.db", "two.db", "session.json"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  await session.notepad.write("findings 🦞");
  await session.notes.add("a note", ["tag"]);
  await memory.close();
  assert.equal((await holdfastWith({}, "store", "export", "s", "--into", file, "--store", db)).code, 0);
  assert.equal((await holdfastWith({}, "store", "import", file, "--store", other)).code, 0);
  const copy = await openTestMemory({ store: other });
  const imported = await copy.resumeSession("s");
  assert.equal(await imported.notepad.read(), "findings 🦞");
  assert.deepEqual(
    (await imported.notes.all()).map(({ content, tags }) => [content, tags]),
    [["a note", ["tag"]]],
  );
  await copy.close();
});

test("a file that is not a session file is refused in one line, and nothing is imported [sessions.pi-import] [bad.types]", async () => {
  const directory = temporaryDirectory();
  const db = join(directory, "memory.db");
  for (const [name, text] of [
    ["empty", ""],
    ["text", "hello"],
    ["json", "{}"],
    ["old", `${JSON.stringify({ ...header, version: 2 })}\n`],
    ["newer", `${JSON.stringify({ ...header, version: 4 })}\n`],
  ] as const) {
    const file = join(directory, name);
    writeFileSync(file, text);
    const { code, stderr, stdout } = await holdfastWith({}, "store", "import", file, "--store", db);
    assert.equal(code, 1, name);
    assert.equal(stdout, "");
    assert.ok(stderr.startsWith("holdfast: ") && !stderr.includes("    at "), stderr);
  }
  assert.equal(
    (await holdfastWith({}, "store", "import", join(directory, "missing"), "--store", db)).code,
    1,
  );
  assert.equal((await holdfastWith({}, "store", "export", "nobody", "--store", db)).code, 1);
  const memory = await openTestMemory({ store: db });
  assert.deepEqual(await memory.listSessions(), []);
  await memory.close();
});
