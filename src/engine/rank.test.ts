import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { rankPassages, searchPassages } from "./rank.ts";

const first = (query: string, ...passages: string[]) =>
  passages[rankPassages(query, passages)[0]?.index ?? -1];

test("ranking prefers rare words, whole words, repetition and short passages [notes.search-ranked]", () => {
  assert.equal(first("common zebra", "a zebra", "common one", "common two", "common three"), "a zebra");
  assert.equal(first("x cache", "the cachet", "the cache"), "the cache");
  assert.equal(
    first("x timeout", "one timeout and more words", "timeout, then timeout again"),
    "timeout, then timeout again",
  );
  assert.equal(first("x timeout", `timeout ${"and much else ".repeat(50)}`, "timeout here"), "timeout here");
  assert.equal(first("which is the cold start", "which of the three is it", "cold start"), "cold start");
  assert.deepEqual(rankPassages("zzz", ["a", "b"]), []);
  assert.deepEqual(rankPassages("anything", []), []);
});

test("words of any script are found, those without spaces by pairs of characters [notes.search-ranked]", () => {
  for (const [query, passage] of [
    ["服务器 错误", "服务器出错误"],
    ["データの保存", "データは保存された"],
    ["ошибка сервера", "Сервера больше нет"],
    ["เกิดข้อผิดพลาด", "ข้อผิดพลาดของเซิร์ฟเวอร์"],
    ["서버 오류", "서버에서 오류가 났다"],
    ["Ωmega ÜBER", "über alles"],
    ["🚀", "shipped it 🚀 at last"],
    ["=>", "map(x => x)"],
  ] as const)
    assert.equal(first(query, "別の話", "nothing of the kind", passage), passage, query);
});

test("paths and names are found by their pieces, and by the whole first [notes.search-ranked]", () => {
  for (const [query, passage] of [
    ["http body", "see parseHTTPBody2"],
    ["max retries", "MAX_RETRY_COUNT and retries"],
    ["user.profile.name", "the profile of a user"],
    ["ledger/post.ts", "fixed src/ledger/post.ts:12"],
    ["TKT 4703", "TKT-4703 is open"],
  ] as const)
    assert.equal(first(query, "nothing", "catalog, database, reuse", passage), passage, query);
  assert.equal(first("parseBody", "parse the body", "parseBody fails"), "parseBody fails");
  assert.equal(first("log base", "catalog, database"), undefined, "the inside of a word is no word");
});

test("the substring search is the seed's: any case, by position, then in the given order [notes.search-order]", () => {
  const pieces = [
    "cache",
    "CACHING",
    "log",
    "in",
    "a",
    "_",
    "1",
    "数据",
    "据库",
    "🦞",
    "é",
    "É",
    "İ",
    "ß",
    " ",
    "\n",
    ".",
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), text, (passages, query) => {
      const needle = query.toLowerCase();
      const scanned = passages
        .map((passage, index) => ({ index, at: passage.toLowerCase().indexOf(needle) }))
        .filter(({ at }) => at !== -1)
        .sort((a, b) => a.at - b.at || a.index - b.index)
        .map(({ index }) => index);
      const { indexes, isRanked } = searchPassages(query, passages);
      assert.equal(isRanked, scanned.length === 0);
      if (isRanked) assert.equal(new Set(indexes).size, indexes.length);
      else assert.deepEqual(indexes, scanned);
    }),
    { numRuns: 500 },
  );
});
