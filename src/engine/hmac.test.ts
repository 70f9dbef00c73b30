import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { hmacSha256, isSameMac } from "./hmac.ts";

test("the keyed hash is HMAC-SHA-256 [hooks.notes-known]", () => {
  const expected = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text).digest("hex");
  // Around the ends of blocks, where padding needs another one.
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 5_000]) {
    const key = new Uint8Array(32).fill(length);
    assert.equal(hmacSha256(key, "x".repeat(length)), expected(key, "x".repeat(length)), `${length}`);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.string({ unit: "binary" }), (key, text) => {
      assert.equal(hmacSha256(key, text.toWellFormed()), expected(key, text.toWellFormed()));
    }),
  );
});

test("a MAC equals itself alone: no other character, no shorter or longer text [hooks.notes-known]", () => {
  const mac = hmacSha256(new Uint8Array(32), "a");
  assert.ok(isSameMac(mac, mac));
  for (let index = 0; index < mac.length; index++) {
    const other = mac.charAt(index) === "0" ? "1" : "0";
    assert.ok(!isSameMac(`${mac.slice(0, index)}${other}${mac.slice(index + 1)}`, mac), `at ${index}`);
  }
  for (const other of ["", mac.slice(1), mac.slice(0, -1), `${mac}0`, `${mac}${mac}`])
    assert.ok(!isSameMac(other, mac), other);
});
