import assert from "node:assert/strict";
import { test } from "node:test";
import { formatStoreAddress, parseStoreAddress } from "./open-store.ts";

test("formatting a parsed address returns the same text [store.location]", () => {
  const addresses = [
    "/data/memory.db",
    "C:\\data\\memory.db",
    ":memory:",
    "/what?/memory.db",
    "sqlite:/what?/memory.db?synchronous=normal",
    "sqlite:/memory.db?synchronous=full",
    "postgres://me:secret@db/notes?sslmode=require",
    "postgresql://db/notes",
    "memory:",
  ];
  assert.deepEqual(
    addresses.map((text) => formatStoreAddress(parseStoreAddress(text))),
    addresses,
  );
});

test("a plain path, one slash and three slashes mean the same file [store.location]", () => {
  for (const text of ["/a.db", "sqlite:/a.db", "sqlite:///a.db"])
    assert.deepEqual(parseStoreAddress(text), { kind: "sqlite", path: "/a.db" });
  assert.deepEqual(parseStoreAddress("sqlite:a.db"), { kind: "sqlite", path: "a.db" });
});

test("an address without a path, with an unknown option or an unknown scheme is rejected [store.location]", () => {
  for (const text of ["sqlite:", "sqlite:?synchronous=normal"])
    assert.throws(() => parseStoreAddress(text), /has no path\. Write sqlite:PATH/, text);
  assert.throws(
    () => parseStoreAddress("sqlite:a.db?synchronous=off"),
    /Unknown store option "synchronous=off"/,
  );
  assert.throws(() => parseStoreAddress("file:a.db"), /There is no store for "file:"/);
});
