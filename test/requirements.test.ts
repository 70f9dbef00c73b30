import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requirements } from "./requirements/index.ts";

const root = join(import.meta.dirname, "..");

/** Ids cited in test names. */
function citations(): Map<string, string> {
  const cited = new Map<string, string>();
  for (const file of globSync(
    [
      "{src,test,inspector}/**/*.{test,long,browser}.ts",
      "{src,test,inspector}/**/{support,test-support}/*.ts",
    ],
    {
      cwd: root,
    },
  )) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, , names = ""] of text.matchAll(/\b(?:test|it)\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g)) {
      for (const [, id = ""] of names.matchAll(/\[([a-z]+\.[a-z-]+)\]/g)) cited.set(id, file);
    }
  }
  return cited;
}

test("every requirement is cited by a test, and every citation is a requirement [repo.requirements]", () => {
  const cited = citations();
  const known = new Set(requirements.map(({ id }) => id));
  assert.equal(known.size, requirements.length, "an id is used twice");
  assert.deepEqual(
    [...known].filter((id) => !cited.has(id)),
    [],
    "requirements that no test cites",
  );
  assert.deepEqual(
    [...cited.keys()].filter((id) => !known.has(id)),
    [],
    "citations without a requirement",
  );
});
