import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { SessionSearch } from "./session-search.ts";

test("search covers titles, notepads, plans, scratchpads, references and notes; texts come before tags [people.search]", async () => {
  const memory = await openTestMemory();
  const first = await memory.createSession({ id: "first", title: "Needle work" });
  await first.notepad.write("hay\na needle here");
  await first.notes.add("hay\nthe NEEDLE again\nneedle", ["hay"]);
  await first.notes.add("nothing in the text", ["needle"]);
  const second = await memory.createSession({ id: "second" });
  await second.scratchpad.setPlan("find needles");
  await second.scratchpad.setNotes("no hay, one needle");
  await second.scratchpad.addRef("src/needle.ts");
  const search = new SessionSearch({ query: "needle", limit: 20, perSession: 20 });
  for (const session of [first, second]) await search.add(session);
  assert.deepEqual(
    search.hits().map(({ session, kind, line, score }) => [session.id, kind, line, score]),
    [
      ["second", "plan", 1, 2],
      ["second", "scratchpad", 1, 2],
      ["second", "reference", 1, 2],
      ["first", "title", 1, 2],
      ["first", "notepad", 2, 2],
      ["first", "note", 2, 2],
      ["first", "note", 1, 1],
    ],
  );
  assert.equal(search.total, 7);
  await memory.close();
});

test("search covers a conversation that is kept elsewhere, and reads it only if its raw text may match [people.search]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "hosted" });
  const stored = [
    { role: "user", content: "Move the ledger to bigint" },
    { role: "assistant", content: 'The ticket is "TKT-4703"' },
  ].map((message, index) => ({ number: index + 1, stored: { message, at: 0 } }));
  const raw = JSON.stringify(stored);
  const find = async (query: string) => {
    let wasRead = false;
    const search = new SessionSearch({ query, limit: 20 });
    await search.add(session, async (mayMatch) => {
      wasRead = mayMatch(raw);
      return wasRead ? stored : [];
    });
    return [wasRead, search.hits().map(({ kind, message }) => `${kind} ${message}`)];
  };
  assert.deepEqual(await find("tkt-4703"), [true, ["message 2"]]);
  assert.deepEqual(await find('is "TKT'), [true, ["message 2"]]);
  assert.deepEqual(await find("ledger bigint"), [true, ["message 1"]]);
  assert.deepEqual(await find("ledger nowhere"), [false, []]);
  await memory.close();
});

test("one session does not hide the others, and the order does not depend on the order of adding [people.search]", async () => {
  const memory = await openTestMemory();
  const full = await memory.createSession({ id: "full" });
  await full.notepad.write(Array.from({ length: 500 }, (_, line) => `needle ${line}`).join("\n"));
  const other = await memory.createSession({ id: "other" });
  await other.notepad.write("one needle");
  await full.notepad.append("last");
  const locate = async (sessions: (typeof full)[]) => {
    const search = new SessionSearch({ query: "needle", limit: 10 });
    for (const session of sessions) await search.add(session);
    assert.equal(search.total, 501);
    return search.hits().map(({ session, line }) => `${session.id}:${line}`);
  };
  const expected = ["full:1", "full:2", "full:3", "full:4", "full:5", "other:1"].sort();
  assert.deepEqual((await locate([full, other])).toSorted(), expected);
  assert.deepEqual(await locate([full, other]), await locate([other, full]));
  await memory.close();
});

test("a deleted session is found by its title", () => {
  const search = new SessionSearch({ query: "audit", limit: 10 });
  search.addTitle({ id: "gone", title: "The audit", status: "deleted", updatedAt: 1 });
  assert.deepEqual(
    search.hits().map(({ session, kind, text }) => [session.status, kind, text]),
    [["deleted", "title", "The audit"]],
  );
});

test("if nothing contains the query, the lines that share its words are ranked [people.search]", async () => {
  const memory = await openTestMemory();
  const session = await memory.createSession({ id: "s" });
  await session.notepad.write(
    "the cache was cold\nnothing\ntimeouts of the login service come from the cache",
  );
  await session.notes.add("hay\ncaching is off", ["infra"]);
  const search = new SessionSearch({ query: "cache timeouts", limit: 20 });
  await search.add(session);
  assert.deepEqual(
    search
      .hits()
      .map(({ kind, line, text, ranges }) => [kind, line, ranges.map(([from, to]) => text.slice(from, to))]),
    [
      ["notepad", 3, ["timeouts", "cache"]],
      ["notepad", 1, ["cache"]],
      ["note", 2, ["cach"]],
    ],
  );
  assert.equal(search.total, 3);
  assert.ok(search.hits().every(({ score }) => score > 0 && score < 1));
  await session.notepad.append("cache timeouts");
  await search.add(session);
  assert.deepEqual(
    search.hits().map(({ line, score }) => [line, score]),
    [[4, 2]],
  );
  await memory.close();
});

test("a query with line breaks matches the passage, and ranges refer to the original text", async () => {
  const memory = await openTestMemory();
  const match = async (query: string, text: string) => {
    const session = await memory.createSession();
    await session.notepad.write(text);
    const search = new SessionSearch({ query, limit: 1 });
    await search.add(session);
    const [found] = search.hits();
    const [[from, to] = [0, 0]] = found?.ranges ?? [];
    return found && [found.line, found.text, found.text.slice(from, to)];
  };
  assert.deepEqual(await match("two\nTHREE", "one\ntwo\nthree four\nfive"), [
    2,
    "two\nthree four",
    "two\nthree",
  ]);
  assert.deepEqual(await match("\nb", "\nb c"), [1, "\nb c", "\nb"]);
  assert.deepEqual(await match("istanbul ẞ", "İ in istanbul ẞ"), [1, "İ in istanbul ẞ", "istanbul ẞ"]);
  assert.deepEqual(await match(" comma ", "a comma\nb"), [1, "a comma", "comma"]);
  assert.equal(await match("absent", "hay"), undefined);
  await memory.close();
});
