import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { countedTokens } from "./counted-tokens.ts";

test("tokens are counted exactly, and the tokenizer is loaded only for a new text [hooks.counted-once]", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "links"));
  let loads = 0;
  const load = async () => {
    loads++;
    return (text: string) => text.length * 3;
  };
  const countBoth = (...texts: string[]) =>
    countedTokens(directory, load).run(async (count) => texts.map((text) => count(text)));
  assert.deepEqual(await countBoth("a", "bc"), [3, 6]);
  assert.deepEqual(await countBoth("bc", "a"), [6, 3]);
  assert.equal(loads, 1);
  assert.deepEqual(await countBoth("a", "bd"), [3, 6], "one text is new");
  assert.equal(loads, 2);
  const file = join(directory, "cache", "counted-tokens.json");
  assert.doesNotMatch(readFileSync(file, "utf8"), /"bd"/, "the texts themselves are not kept");
  writeFileSync(file, "damaged");
  assert.deepEqual(await countBoth("a"), [3]);
  assert.equal(loads, 3);
});
