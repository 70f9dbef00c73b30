import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findIdentifiers } from "./identifiers.ts";

const found = (text: string) => findIdentifiers(text).map(({ kind, text: item }) => `${kind} ${item}`);

test("finds paths, URLs, ids and significant numbers, each with its kind [controller.identifiers]", () => {
  assert.deepEqual(found("See src/auth/login.ts:45-67, ./x/y.md and package.json."), [
    "path package.json",
    "path ./x/y.md",
    "path src/auth/login.ts:45-67",
  ]);
  assert.deepEqual(found(String.raw`C:\repo\app.ts, docs/größe.md, файл.txt, 请看src/a.ts文件`), [
    "path src/a.ts",
    "path файл.txt",
    "path docs/größe.md",
    String.raw`path C:\repo\app.ts`,
  ]);
  assert.deepEqual(found("At https://github.com/org/repo/issues/42."), [
    "url https://github.com/org/repo/issues/42",
  ]);
  assert.deepEqual(
    new Set(found("ABC-123, #42, 4bf92f3577b34da6a3ce929d0e0e4736, note_1700000000")),
    new Set(["id ABC-123", "id #42", "id 4bf92f3577b34da6a3ce929d0e0e4736", "id note_1700000000"]),
  );
  assert.deepEqual(
    new Set(found("$1.2M of 1,155 rows, 12 % and 3 more, 500 in all")),
    new Set(["number $1.2M", "number 1,155", "number 12 %", "number 500"]),
  );
  assert.deepEqual(found("due 2026-12-01, seen 2024-01-15T14:30:00Z"), [
    "number 2024-01-15T14:30:00Z",
    "number 2026-12-01",
  ]);
  assert.deepEqual(found("Nothing to see here, just words and 7."), []);
});

test("most referenced first, then newest [controller.identifiers]", () => {
  assert.deepEqual(found("a/b.ts c/d.ts a/b.ts e/f.ts"), ["path a/b.ts", "path e/f.ts", "path c/d.ts"]);
});

test("searches any text in time, and every identifier is part of the text [controller.identifiers]", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      const items = findIdentifiers(text);
      for (const { text: item } of items) assert.ok(text.includes(item));
      assert.equal(new Set(items.map(({ text: item }) => item)).size, items.length);
    }),
    { seed: 5 },
  );
  const started = performance.now();
  findIdentifiers(`${"a/".repeat(200_000)} ${"deadbeef1".repeat(40_000)} ${"1,".repeat(100_000)}`);
  findIdentifiers("src/a/b/c/d.ts:1-2 ABC-1 ".repeat(20_000));
  assert.ok(performance.now() - started < 30_000, "no run of characters makes it slow");
});
