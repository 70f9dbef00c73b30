import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../engine/json.ts";
import { findMismatches, listMismatches } from "./find-mismatches.ts";

test("a problem names the field and the expected value [knowledge.state-schema]", () => {
  const schema = {
    type: "object",
    properties: { port: { type: "integer" }, tags: { type: "array", items: { type: ["string", "null"] } } },
    required: ["port"],
    additionalProperties: false,
  };
  for (const [value, problems] of [
    [1, ["it must be an object (got 1)"]],
    [{}, ['"port" is missing']],
    [{ port: 1.5 }, ['"port" must be a whole number (got 1.5)']],
    [{ port: 1, tags: ["a", [], null] }, ['"tags.1" must be a string or null (got array)']],
    [{ port: 1, prot: 2 }, ['"prot" is unknown; the fields are port, tags']],
  ] as [Json, string[]][])
    assert.deepEqual(findMismatches(schema, value), problems);
});

test("checking a large value takes time linear in its size [knowledge.state-schema]", () => {
  const items = Array.from({ length: 20_000 }, (_, number) => ({ number }));
  assert.deepEqual(findMismatches({ uniqueItems: true }, items), []);
  assert.deepEqual(findMismatches({ uniqueItems: true }, [...items, { number: 7 }]), [
    "it must not contain the same item twice",
  ]);
  const wrong = findMismatches({ items: { type: "string" } }, items);
  assert.equal(wrong.length, items.length);
  assert.match(listMismatches(wrong), /^"0" must be a string \(got object\);.*; and 19990 more$/);
});

test("a schema whose work doubles with every level is aborted, however deep the value [knowledge.state-schema]", () => {
  const doubling = { anyOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }], not: true };
  let value: Json = [];
  for (let depth = 0; depth < 60; depth++) value = [value];
  assert.throws(() => findMismatches(doubling, value), /takes too long/);
});
