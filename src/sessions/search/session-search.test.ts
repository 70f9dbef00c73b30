import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { LineMatcher } from "./match-lines.ts";
import { SessionSearch } from "./session-search.ts";

test("search covers titles, notepads, plans, scratchpads, references and notes; exact matches come first [people.search]", async () => {
  const memory = await openTestMemory();
  const first = await memory.createSession({ id: "first", title: "Needle work" });
  await first.notepad.write("hay\na needle here\nand nedle misspelt");
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
      ["first", "notepad", 3, 0.4],
    ],
  );
  assert.equal(search.total, 8);
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

test("a query with line breaks matches the passage, and ranges refer to the original text", () => {
  const match = (query: string, text: string) => {
    const [found] = new LineMatcher(query).match(text);
    const [[from, to] = [0, 0]] = found?.ranges ?? [];
    return found && [found.line, found.text, found.text.slice(from, to)];
  };
  assert.deepEqual(match("two\nTHREE", "one\ntwo\nthree four\nfive"), [2, "two\nthree four", "two\nthree"]);
  assert.deepEqual(match("\nb", "\nb c"), [1, "\nb c", "\nb"]);
  assert.deepEqual(match("istanbul ẞ", "İ in istanbul ẞ"), [1, "İ in istanbul ẞ", "istanbul ẞ"]);
  assert.deepEqual(match(" comma ", "a comma\r\nb"), [1, "a comma", "comma"]);
  assert.equal(match("absent", "hay"), undefined);
});
