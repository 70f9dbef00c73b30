import assert from "node:assert/strict";
import { test } from "node:test";
import { readArguments } from "./arguments.ts";

test("earlier names of options still work [people.help]", () => {
  const chat = readArguments("chat", ["--db", "a b.db", "--context-window=9000", "--placement", "system"]);
  assert.equal(chat.values.store, "a b.db");
  assert.deepEqual(chat.values.set, ["contextWindow=9000", "placement=system"]);
  assert.equal(readArguments("init", ["--npx"]).values.portable, true);
  assert.deepEqual(readArguments("search", ["--", "--db"]).positionals, ["--db"]);
});

test("an earlier name is refused by a command that has no such option [people.help]", () => {
  assert.throws(() => readArguments("doctor", ["--npx"]), /--npx/);
  assert.throws(() => readArguments("sessions", ["--placement", "system"]), /--placement/);
  assert.throws(() => readArguments("sessions", ["--db", "--json"]), /--db/);
  assert.throws(() => readArguments("sessions", ["--db", "a", "--store", "b"]), /either --db or --store/);
});
