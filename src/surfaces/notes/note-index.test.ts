import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NoteValue } from "../../engine/records.ts";
import { NoteIndex, type NoteQuery } from "./note-index.ts";

interface ScannedNote extends NoteValue {
  id: string;
}

/** The ADR's search, literally: scan every note in lower case, order by match position, then newest first. */
function scan(
  notes: Iterable<ScannedNote>,
  { query, tags, limit, offset }: NoteQuery,
): { total: number; ids: string[] } {
  const needle = query.toLowerCase();
  const found = [...notes]
    .filter((note) => tags.every((tag) => note.tags.some((each) => each.toLowerCase() === tag.toLowerCase())))
    .map((note) => ({ note, at: note.content.toLowerCase().indexOf(needle) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => (query === "" ? 0 : a.at - b.at) || b.note.updated - a.note.updated);
  return { total: found.length, ids: found.slice(offset, offset + limit).map(({ note }) => note.id) };
}

const pieces = [
  "cache",
  "Cache",
  "CACHING",
  "login",
  "log",
  "in",
  "a",
  "A",
  "_",
  "x1",
  "1",
  "数据",
  "数",
  "据库",
  "服务器",
  "データ",
  "한국",
  "🦞",
  "🦞🦀",
  "é",
  "É",
  "e\u0301",
  "Straße",
  "İstanbul",
  "ǅ",
  " ",
  " ",
  " ",
  "\n",
  "-",
  "—",
  "'",
  ".",
  "(",
  "://",
  "\u3000",
  "\u00a0",
  "…",
];
const content = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.join(""));
const tags = fc.array(fc.constantFrom("a", "A", "b", "ä", "Ä"), { maxLength: 2 });

type Edit =
  | { kind: "set"; key: number; content: string; tags: string[] }
  | { kind: "remove"; key: number }
  | { kind: "index"; count: number };

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("set" as const), key: fc.nat(40), content, tags }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), key: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("index" as const), count: fc.nat(700) }) },
  ),
  { maxLength: 40, size: "max" },
);

const queries: fc.Arbitrary<NoteQuery[]> = fc.array(
  fc.record({
    query: fc.oneof(
      fc.array(fc.constantFrom(...pieces), { maxLength: 3 }).map((parts) => parts.join("")),
      content.chain((text) =>
        fc.tuple(fc.nat(text.length), fc.nat(8)).map(([from, length]) => text.slice(from, from + length)),
      ),
    ),
    tags: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, tags),
    limit: fc.constantFrom(1, 3, 1_000),
    offset: fc.constantFrom(0, 0, 2),
  }),
  { minLength: 5, maxLength: 12, size: "max" },
);

/** Filler notes, so that there are enough for the index to be used. */
function filler(size: number): [string, string][] {
  return Array.from({ length: size }, (_, index) => {
    const at = (step: number) => pieces[(index * step + (index >> 3)) % pieces.length] as string;
    return [`filler_${index}`, `${at(7)}${at(11)} ${at(13)}${at(17)}${at(19)}`];
  });
}

for (const size of [0, 600]) {
  test(`the index finds exactly what a scan finds, beside ${size} other notes [notes.search-index] [notes.search-order]`, () => {
    fc.assert(
      fc.property(edits, queries, (todo, searches) => {
        const index = new NoteIndex();
        const notes = new Map<string, ScannedNote>();
        let updated = 0;
        const set = (id: string, text: string, labels: string[]) => {
          const value = { content: text, tags: labels, createdAt: 0, updatedAt: 0, updated: ++updated };
          index.set(id, value);
          notes.set(id, { id, ...value });
        };
        for (const [id, text] of filler(size)) set(id, text, []);
        for (const [position, edit] of todo.entries()) {
          if (edit.kind === "set") set(`note_${edit.key}`, edit.content, edit.tags);
          else if (edit.kind === "index") index.indexSome(edit.count);
          else {
            index.set(`note_${edit.key}`, null);
            notes.delete(`note_${edit.key}`);
          }
          const query = searches[position % searches.length] as NoteQuery;
          compare(index, notes, query);
        }
        while (index.needsIndex) index.indexSome(100);
        for (const query of searches) compare(index, notes, query);
        assert.equal(index.size, notes.size);
      }),
      { numRuns: size === 0 ? 200 : 60 },
    );
  });
}

function compare(index: NoteIndex, notes: Map<string, ScannedNote>, query: NoteQuery): void {
  const found = index.search(query);
  const expected = scan(notes.values(), query);
  if (expected.total === 0 && query.query !== "") {
    assert.equal(found.ranked, true, JSON.stringify(query));
    const ids = found.notes.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, "a ranked note is shown once");
    for (const { id } of found.notes) assert.deepEqual(index.get(id), { ...notes.get(id) });
    return;
  }
  assert.equal(found.ranked, false, JSON.stringify(query));
  assert.deepEqual(
    { total: found.total, ids: found.notes.map(({ id }) => id) },
    expected,
    JSON.stringify(query),
  );
}

test("the index stays correct after thousands of removals [notes.search-index]", () => {
  const index = new NoteIndex();
  const notes = new Map<string, ScannedNote>();
  for (let round = 0; round < 4; round++) {
    for (const [id, text] of filler(900)) {
      const value = {
        content: `${text} round ${round}`,
        tags: [],
        createdAt: 0,
        updatedAt: 0,
        updated: round * 1_000 + notes.size,
      };
      index.set(id, value);
      notes.set(id, { id, ...value });
    }
    while (index.needsIndex) index.indexSome(250);
    for (const query of ["round", `round ${round}`, `round ${round - 1}`, "数据", "cache", "og", "🦀"]) {
      compare(index, notes, { query, tags: [], limit: 2_000, offset: 0 });
    }
    for (let number = 0; number < 900; number += 3) {
      index.set(`filler_${number}`, null);
      notes.delete(`filler_${number}`);
    }
    compare(index, notes, { query: "round", tags: [], limit: 10, offset: 5 });
  }
});

test("ranking prefers rare words, whole words, repetition and short notes [notes.search-ranked]", () => {
  const first = (query: string, ...contents: string[]) => {
    const index = new NoteIndex();
    contents.forEach((text, number) => {
      index.set(`note_${number}`, { content: text, tags: [], createdAt: 0, updatedAt: 0, updated: number });
    });
    const { notes, ranked } = index.search({ query, tags: [], limit: 10, offset: 0 });
    assert.equal(ranked, true);
    return notes[0]?.content;
  };
  assert.equal(first("common zebra", "a zebra", "common one", "common two", "common three"), "a zebra");
  assert.equal(first("x cache", "the cache", "the cachet"), "the cache");
  assert.equal(
    first("x timeout", "timeout, then timeout again", "one timeout and more words"),
    "timeout, then timeout again",
  );
  assert.equal(first("x timeout", "timeout here", `timeout ${"and much else ".repeat(50)}`), "timeout here");
  assert.equal(first("which is the cold start", "which of the three is it", "cold start"), "cold start");
  assert.equal(first("服务器 错误", "错误代码", "服务器出错误", "別の話"), "服务器出错误");
});
