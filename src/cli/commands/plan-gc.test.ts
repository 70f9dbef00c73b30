import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ageOf, parseAge, parseSize, sizeOf } from "../terminal/quantities.ts";
import { type Candidate, planCollection } from "./plan-gc.ts";

function session(id: string, more: Partial<Candidate> = {}): Candidate {
  return { id, status: "active", updatedAt: 100, revision: 1, bytes: 10, forkOf: null, ...more };
}

function removedIds(...args: Parameters<typeof planCollection>): string[] {
  return planCollection(...args).remove.map(({ id }) => id);
}

const sessions = [
  session("old", { updatedAt: 1 }),
  session("archived", { status: "archived", updatedAt: 50 }),
  session("deleted", { status: "deleted", updatedAt: 60 }),
  session("new", { updatedAt: 90 }),
];

test("by age, every session not written to since then is removed [people.gc]", () => {
  assert.deepEqual(removedIds(sessions, { before: 55 }), ["archived", "old"]);
  assert.deepEqual(removedIds(sessions, { before: 55, keep: 2 }), ["archived"]);
  assert.deepEqual(removedIds(sessions, { before: 0 }), []);
});

test("by size, deleted and archived sessions are removed first, and no more than necessary [people.gc]", () => {
  assert.deepEqual(removedIds(sessions, { maxBytes: 40 }), []);
  assert.deepEqual(removedIds(sessions, { maxBytes: 39 }), ["deleted"]);
  assert.deepEqual(removedIds(sessions, { maxBytes: 20 }), ["deleted", "archived"]);
  assert.deepEqual(removedIds(sessions, { maxBytes: 0, keep: 1 }), ["deleted", "archived", "old"]);
});

test("--keep on its own removes all but the newest [people.gc]", () => {
  assert.deepEqual(removedIds(sessions, { keep: 1 }), ["deleted", "archived", "old"]);
  assert.deepEqual(removedIds(sessions, { keep: 9 }), []);
});

test("a session is kept as long as one of its forks is, and removed after them [people.gc-forks]", () => {
  const family = [
    session("parent", { updatedAt: 1 }),
    session("fork", { updatedAt: 2, forkOf: "parent" }),
    session("grandchild", { updatedAt: 80, forkOf: "fork" }),
  ];
  assert.deepEqual(planCollection(family, { before: 50 }), {
    remove: [],
    held: [
      { id: "fork", fork: "grandchild" },
      { id: "parent", fork: "fork" },
    ],
  });
  assert.deepEqual(removedIds(family, { before: 99 }), ["grandchild", "fork", "parent"]);
});

test("whatever the options, no fork loses the session it reads from, and the size limit is met if possible [people.gc-forks]", () => {
  const list = fc
    .array(fc.record({ updatedAt: fc.nat(50), bytes: fc.nat(20), parent: fc.nat(20) }), { maxLength: 15 })
    .map((rows) =>
      rows.map((row, index) =>
        session(`s${index}`, {
          ...row,
          forkOf: index > 0 && row.parent < index ? `s${row.parent}` : null,
        }),
      ),
    );
  fc.assert(
    fc.property(list, fc.nat(200), fc.nat(5), (all, maxBytes, keep) => {
      const plan = planCollection(all, { maxBytes, keep });
      const removed = new Set(plan.remove.map(({ id }) => id));
      for (const each of all)
        if (!removed.has(each.id) && each.forkOf !== null) assert.ok(!removed.has(each.forkOf));
      const order = plan.remove.map(({ id }) => id);
      for (const each of plan.remove)
        if (each.forkOf !== null && removed.has(each.forkOf))
          assert.ok(order.indexOf(each.id) < order.indexOf(each.forkOf));
      const left = all.filter(({ id }) => !removed.has(id)).reduce((sum, { bytes }) => sum + bytes, 0);
      if (keep === 0) assert.ok(left <= maxBytes);
    }),
  );
});

test("ages and sizes are parsed and printed the way people write them [people.quantities]", () => {
  assert.equal(parseAge("30d", "older-than"), 30 * 86_400_000);
  assert.equal(parseAge("12h", "older-than"), 43_200_000);
  assert.equal(parseSize("500MB", "max-size"), 500_000_000);
  assert.equal(parseSize("1.5 kB", "max-size"), 1_500);
  assert.equal(parseSize("2GiB", "max-size"), 2 * 1_024 ** 3);
  assert.throws(() => parseAge("30", "older-than"), /--older-than must be an age such as/);
  assert.throws(() => parseAge("-3d", "older-than"), /got "-3d"/);
  assert.throws(() => parseSize("big", "max-size"), /--max-size must be a size such as/);
  assert.equal(ageOf(0, 59_000), "just now");
  assert.equal(ageOf(0, 60_000), "1 minute ago");
  assert.equal(ageOf(0, 50 * 3_600_000), "2 days ago");
  assert.equal(ageOf(1_000, 0), "just now");
  assert.deepEqual([0, 999, 1_000, 1_234_567, 250e6].map(sizeOf), [
    "0 B",
    "999 B",
    "1.0 kB",
    "1.2 MB",
    "250 MB",
  ]);
});
