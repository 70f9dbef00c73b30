import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, openTestSession, refusal } from "../../../test/support/memory.ts";
import type { Session } from "../../index.ts";

async function sessionWith(notes: [content: string, tags?: string[]][], options = {}): Promise<Session> {
  const session = await openTestSession(options);
  for (const [content, tags = []] of notes) await session.notes.add(content, tags);
  return session;
}

type Found = { notes: { content: string }[]; similar?: { content: string }[] };

const contents = ({ notes, similar }: Found) => (similar ?? notes).map(({ content }) => content);

test("search is a case-insensitive substring match, earliest match first, then newest [notes.search-order]", async () => {
  const session = await sessionWith([
    ["Timeout in login"],
    ["a timeout at place two"],
    ["TIMEOUT again"],
    ["no match here"],
    ["B TimeOuts, also at two"],
  ]);
  const found = await answer(session, "search_notes", { query: "timeOUT" });
  assert.deepEqual(contents(found), [
    "TIMEOUT again",
    "Timeout in login",
    "B TimeOuts, also at two",
    "a timeout at place two",
  ]);
  assert.equal(found.similar, undefined);
  assert.deepEqual(contents(await answer(session, "search_notes", { query: "out in l" })), [
    "Timeout in login",
  ]);
});

test("recency is the last edit [notes.search-order] [notes.list]", async () => {
  const session = await sessionWith([["alpha one"], ["alpha two"], ["alpha three"]]);
  const oldest = (await session.notes.all()).at(-1);
  await session.notes.update(oldest?.id ?? "", { tags: ["touched"] });
  const order = ["alpha one", "alpha three", "alpha two"];
  assert.deepEqual(contents(await answer(session, "search_notes", { query: "alpha" })), order);
  assert.deepEqual(contents(await answer(session, "list_notes")), order);
});

test("query and tags narrow together; an empty query lists by tag [notes.search-empty] [notes.tags]", async () => {
  const session = await sessionWith([
    ["login bug", ["Auth", "bug"]],
    ["login works", ["auth"]],
    ["cache bug", ["bug"]],
  ]);
  assert.deepEqual(contents(await answer(session, "search_notes", { query: "login", tags: ["BUG"] })), [
    "login bug",
  ]);
  for (const query of [undefined, ""]) {
    const found = await answer(session, "search_notes", {
      ...(query === undefined ? {} : { query }),
      tags: ["auth"],
    });
    assert.deepEqual(contents(found), ["login works", "login bug"]);
    assert.deepEqual(found.metadata, { result_count: 2, query: "", tags: ["auth"] });
    assert.equal(found.similar, undefined);
  }
  assert.equal((await answer(session, "search_notes", {})).notes.length, 3);
});

test("the answers carry the ADR's metadata [notes.search-metadata]", async () => {
  const session = await sessionWith([
    ["one", ["a"]],
    ["two", ["A", "b"]],
  ]);
  assert.deepEqual((await answer(session, "search_notes", { query: "o", tags: ["a"] })).metadata, {
    result_count: 2,
    query: "o",
    tags: ["a"],
  });
  assert.deepEqual((await answer(session, "search_notes", { query: "nowhere" })).metadata, {
    result_count: 0,
    query: "nowhere",
    tags: [],
  });
  assert.deepEqual((await answer(session, "list_notes", { tag: "B" })).metadata, {
    note_count: 1,
    tag_filter: "B",
  });
  assert.deepEqual((await answer(session, "list_notes", {})).metadata, { note_count: 2, tag_filter: null });
});

test("list_notes returns all notes newest first, or those with one tag [notes.list]", async () => {
  const session = await sessionWith([["one", ["a"]], ["two"], ["three", ["A"]]]);
  const all = await answer(session, "list_notes");
  assert.deepEqual(contents(all), ["three", "two", "one"]);
  assert.deepEqual(Object.keys(all.notes[0]).toSorted(), [
    "content",
    "created_at",
    "id",
    "tags",
    "updated_at",
  ]);
  assert.deepEqual(contents(await answer(session, "list_notes", { tag: "a" })), ["three", "one"]);
  assert.deepEqual(contents(await answer(session, "list_notes", { tag: "missing" })), []);
  assert.deepEqual(contents(await answer(await openTestSession(), "list_notes")), []);
});

test("if no note contains the query, word matches are ranked and listed apart [notes.search-ranked]", async () => {
  const session = await sessionWith([
    ["the cache was cold after the deploy"],
    ["deploy scripts live in tools"],
    ["timeouts of the login service come from the cache"],
    ["nothing of the kind"],
  ]);
  const found = await answer(session, "search_notes", { query: "cache timeouts" });
  assert.deepEqual(
    [found.notes, found.metadata.result_count],
    [[], 0],
    "not results of the substring search",
  );
  assert.match(found.message, /No note contains "cache timeouts".*ranked/);
  assert.equal(contents(found)[0], "timeouts of the login service come from the cache");
  assert.ok(contents(found).includes("the cache was cold after the deploy"));
  assert.ok(!contents(found).includes("nothing of the kind"));
});

test("ranked search finds beginnings, inflections and pieces of names [notes.search-ranked]", async () => {
  const session = await sessionWith([
    ["authentication tokens expire at midnight"],
    ["the invoice parser drops negative totals"],
    ["retrying uploads twice helped"],
    ["src/ledger/postEntry.ts rounds with ROUND_HALF_UP"],
  ]);
  for (const [query, expected] of [
    ["midnight authent", "authentication tokens expire at midnight"],
    ["expired token", "authentication tokens expire at midnight"],
    ["upload retry", "retrying uploads twice helped"],
    ["parsers of invoices", "the invoice parser drops negative totals"],
    ["entries in the ledger", "src/ledger/postEntry.ts rounds with ROUND_HALF_UP"],
    ["roundHalf", "src/ledger/postEntry.ts rounds with ROUND_HALF_UP"],
  ] as const) {
    const found = await answer(session, "search_notes", { query });
    assert.deepEqual(found.notes, [], query);
    assert.equal(contents(found)[0], expected, query);
  }
});

test("ranked search respects the tag filter [notes.search-ranked] [notes.tags]", async () => {
  const session = await sessionWith([
    ["cold cache", ["a"]],
    ["cache cold start", ["b"]],
  ]);
  assert.deepEqual(contents(await answer(session, "search_notes", { query: "start cache", tags: ["A"] })), [
    "cold cache",
  ]);
  assert.deepEqual(contents(await answer(session, "search_notes", { query: "zzz yyy" })), []);
});

test("a long list is cut at a token budget and names the way to the rest [notes.cut]", async () => {
  const notes = Array.from({ length: 60 }, (_, index): [string] => [
    `finding ${index} ${"word ".repeat(100)}`,
  ]);
  const session = await sessionWith(notes, { limits: { resultTokens: 1_500 } });
  for (const [tool, input] of [
    ["search_notes", { query: "finding" }],
    ["list_notes", {}],
  ] as const) {
    const seen: string[] = [];
    for (let offset = 0, rounds = 0; seen.length < 60 && rounds < 60; rounds++) {
      const page = await answer(session, tool, { ...input, offset });
      assert.ok(page.notes.length > 0 && page.notes.length < 30, "some notes, not all");
      seen.push(...contents(page));
      if (seen.length === 60) break;
      assert.match(page.message, /limit/);
      assert.match(page.message, /tags/);
      offset = Number(/offset: (\d+)/.exec(page.message)?.[1]);
      assert.equal(offset, seen.length, "the answer names the next offset");
    }
    assert.deepEqual(
      seen.toSorted(),
      notes.map(([content]) => content).toSorted(),
      "page by page, every note once",
    );
  }
});

test("limit and offset page through a list; the metadata counts all [notes.cut]", async () => {
  const session = await sessionWith(Array.from({ length: 7 }, (_, index): [string] => [`note ${index}`]));
  const page = await answer(session, "list_notes", { limit: 3, offset: 3 });
  assert.deepEqual(contents(page), ["note 3", "note 2", "note 1"]);
  assert.equal(page.metadata.note_count, 7);
  const beyond = await answer(session, "list_notes", { offset: 50 });
  assert.deepEqual(contents(beyond), []);
  assert.match(beyond.message, /offset/);
  for (const wrong of [{ limit: 0 }, { limit: -1 }, { limit: 1.5 }, { limit: "3" }, { offset: -1 }]) {
    assert.match((await refusal(session, "list_notes", wrong)).text, /limit|offset/);
  }
});

test("one note that is longer than the budget is still shown [notes.cut]", async () => {
  const session = await sessionWith([["word ".repeat(700)], ["second"]], { limits: { resultTokens: 10 } });
  assert.equal((await answer(session, "search_notes", { query: "word word" })).notes.length, 1);
});
