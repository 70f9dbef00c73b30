import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject, objectIn, objectsIn, textIn } from "./json.ts";

test("only objects count as objects: null and arrays do not", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assert.ok(isObject(value));
  for (const value of [null, undefined, [], [{}], "{}", 1, true]) {
    assert.ok(!isObject(value));
    assert.deepEqual(objectIn(value), {});
  }
});

test("a value of another type reads as empty", () => {
  const object = { a: 1 };
  assert.equal(objectIn(object), object);
  assert.deepEqual(objectsIn([object, null, [], "text"]), [object]);
  assert.deepEqual(objectsIn({ 0: object }), []);
  assert.equal(textIn("text"), "text");
  assert.equal(textIn(["text"]), "");
});
