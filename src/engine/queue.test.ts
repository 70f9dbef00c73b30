import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Queue } from "./queue.ts";

test("tasks run one at a time, in the order they were added", async () => {
  const queue = new Queue();
  const events: string[] = [];
  const first = Promise.withResolvers<void>();
  const results = [
    queue.run(async () => {
      events.push("first begins");
      await first.promise;
      events.push("first ends");
      return 1;
    }),
    queue.run(() => {
      events.push("second");
      return 2;
    }),
    queue.run(async () => {
      events.push("third");
      return 3;
    }),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(events, ["first begins"]);
  first.resolve();
  assert.deepEqual(await Promise.all(results), [1, 2, 3]);
  assert.deepEqual(events, ["first begins", "first ends", "second", "third"]);
});

test("a failed task rejects for its caller, and the next one runs", async () => {
  const queue = new Queue();
  const rejected = queue.run(() => Promise.reject(new Error("rejected")));
  const thrown = queue.run(() => {
    throw new Error("thrown");
  });
  const next = queue.run(() => "next");
  await assert.rejects(rejected, /rejected/);
  await assert.rejects(thrown, /thrown/);
  assert.equal(await next, "next");
});

test("a queue does not keep results in memory", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const queue = new Queue();
  const result = await (async () => new WeakRef(await queue.run(() => ({ large: "value" }))))();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  assert.equal(result.deref(), undefined);
  assert.equal(await queue.run(() => "still runs"), "still runs");
});
