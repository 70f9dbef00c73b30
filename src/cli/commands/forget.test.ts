import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { forget as runForget } from "./forget.ts";

/** A store with two sessions and a fork, and a copy next to it. */
async function storeWithCopy() {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: db });
  for (const id of ["a", "b"]) {
    const session = await memory.createSession({ id, title: `Fruit of ${id}` });
    for (let round = 0; round < 30; round++)
      await session.notepad.write(`the plum of ${id} is purple ${round} ${"x".repeat(2_000)}`);
  }
  await memory.deleteSession("b");
  const fork = await memory.forkSession("a", { id: "fork" });
  await fork.notepad.append("more");
  await memory.close();
  const copy = `${db}.bak`;
  copyFileSync(db, copy);
  const forget = (...args: string[]) => holdfastWith({ HOLDFAST_DB: db }, "forget", ...args);
  const has = (text: string) => [db, copy].map((path) => readFileSync(path).includes(text));
  return { db, copy, forget, has };
}

test("forget shows the masked matches, and removes nothing without a yes [people.forget]", async () => {
  const { copy, forget, has } = await storeWithCopy();
  const { code, stdout } = await forget("PLUM of a");
  assert.equal(code, 1);
  assert.match(stdout, /^To be removed permanently:\n/);
  assert.match(stdout, /^ {2}a {2}\d+ texts, first: the \*{9} is purple/m);
  assert.doesNotMatch(stdout, /plum of a|^ {2}b /m);
  assert.match(stdout, /\nEach of these copies is cleaned too, if it has it:\n/);
  assert.ok(stdout.includes(`\n  ${copy}\n`));
  assert.match(stdout, /\nNothing was removed\. Add --yes to remove it\.\n$/);
  assert.deepEqual(has("plum of a"), [true, true]);
  const json = await forget("plum of a", "--json");
  const { removed, found, copies } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, removed, found.length, copies], [1, false, 2, [copy]]);
  assert.deepEqual(has("plum of a"), [true, true]);
});

test("at a terminal, forget asks and follows the answer [people.forget]", async (context) => {
  const { db, has } = await storeWithCopy();
  const questions: string[] = [];
  const answer = (isSure: boolean) => (question: string) => {
    questions.push(question);
    return Promise.resolve(isSure);
  };
  context.mock.method(process.stdout, "write", () => true);
  assert.equal(await runForget(["plum of b", "--store", db], answer(false)), 1);
  assert.deepEqual(has("plum of b"), [true, true]);
  assert.equal(await runForget(["plum of b", "--store", db], answer(true)), 0);
  context.mock.restoreAll();
  assert.deepEqual(has("plum of b"), [false, false], "deleted sessions and copies too");
  assert.deepEqual(has("plum of a"), [true, true], "only what was asked for");
  assert.deepEqual(questions, Array(2).fill("\nRemove it permanently? [y/N] "));
});

test("forget --session removes whole sessions from the file and its copies, forks first, or none at all [people.forget]", async () => {
  const { db, copy, forget, has } = await storeWithCopy();
  const size = readFileSync(db).length;
  for (const [ids, message] of [
    [["b", "nobody"], /There is no session with the id "nobody"\. Nothing was removed\./],
    [["b", "a"], /Session a cannot be removed: its fork fork reads from it\. Nothing was removed\./],
  ] as const) {
    const { code, stderr } = await forget(...ids.flatMap((id) => ["--session", id]), "--yes");
    assert.equal(code, 1);
    assert.match(stderr.replaceAll(/\s+/g, " "), message);
  }
  assert.deepEqual(has("plum of b"), [true, true]);
  const shown = await forget("--session", "a", "--session", "fork", "--session", "b");
  assert.match(shown.stdout, /^ {2}b {2}Fruit of b {2}deleted · changed .* ago · 32 revisions$/m);
  const sessions = ["--session", "a", "--session", "fork", "--session", "b"];
  const { code, stdout, stderr } = await forget(...sessions, "--yes");
  assert.equal(code, 0, stderr);
  const report = `\nRemoved 3 sessions permanently.\nRemoved it from these copies too:\n  ${copy}\n`;
  assert.ok(stdout.endsWith(report), stdout);
  for (const id of ["a", "b"]) assert.deepEqual(has(`plum of ${id}`), [false, false]);
  assert.ok(readFileSync(db).length < size * 0.7, "the file shrinks");
  assert.ok(!existsSync(`${db}-wal`));
});

test("if a copy keeps the text, forget names it and the next step, and exits with 1 [people.forget]", async () => {
  const { db, copy, forget } = await storeWithCopy();
  const broken = `${db}.broken`;
  writeFileSync(broken, `SQLite format 3\0${"the plum of a ".repeat(100)}`);
  const json = await forget("plum of a", "--yes", "--json");
  assert.equal(json.code, 1);
  const { removed, changed, remaining } = JSON.parse(json.stdout);
  assert.deepEqual([removed, changed], [false, [copy]]);
  assert.match(
    remaining.join(),
    /memory\.db\.broken could not be edited and may still have it: .*Repair or delete the file, then run the same command again\.$/,
  );
  const text = await forget("plum of b", "--yes");
  assert.equal(text.code, 1);
  assert.ok(
    text.stdout.includes(`\nRemoved it from these copies too:\n  ${copy}\n${broken} could not be edited`),
  );
});

test("an export that forget edited can be imported, also if JSON escapes the text [people.forget]", async () => {
  const directory = temporaryDirectory();
  const place = (name: string) => join(directory, name);
  const db = place("memory.db");
  const memory = await openTestMemory({ store: db });
  const secret = 'the "plum" is purple';
  for (const id of ["a", "b", "c"])
    await (await memory.createSession({ id })).notepad.append(`${id}: ${id === "a" ? "no fruit" : secret}`);
  await memory.close();
  const variables = { HOLDFAST_DB: db, XDG_STATE_HOME: place("state") };
  const run = async (...args: string[]) => {
    const { code, stderr } = await holdfastWith(variables, ...args);
    assert.equal(code, 0, stderr);
  };
  await run("store", "export", "--all", "--into", place("all.jsonl"));
  await run("store", "export", "b", "--into", place("b.json"));
  await run("forget", secret, "--yes");
  for (const [name, ids] of [
    ["all.jsonl", ["a", "b", "c"]],
    ["b.json", ["b"]],
  ] as const) {
    assert.ok(!readFileSync(place(name), "utf8").includes("purple"));
    await run("store", "import", place(name), "--store", place(`${name}.db`));
    const copy = await openTestMemory({ store: place(`${name}.db`) });
    for (const id of ids) {
      const notepad = await (await copy.resumeSession(id)).notepad.read();
      assert.match(notepad, id === "a" ? /^a: no fruit$/ : /^[bc]: \[REDACTED #\w+\]\*+$/);
    }
    await copy.close();
  }
});

test("forget takes one kind of text, and no text that is too short [people.forget]", async () => {
  const { forget } = await storeWithCopy();
  for (const [args, message] of [
    [[], /Pass TEXT, --pattern, --secrets or --session \(only one\)\. Usage: holdfast forget \[TEXT\]/],
    [["plum", "--secrets"], /only one/],
    [["--session", "a", "--secrets"], /only one/],
    [["plum", "purple"], /Unexpected argument "purple"/],
    [["um"], /"um" is too short/],
  ] as const) {
    const { code, stderr } = await forget(...args, "--yes");
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
  const none = await forget("--pattern", "never-[0-9]{9}");
  assert.match(none.stdout, /^The store does not have it\.\nEach of these copies is cleaned too/);
});
