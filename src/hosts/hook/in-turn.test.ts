import assert from "node:assert/strict";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { inTurn } from "./in-turn.ts";

test("[hooks.in-turn] the second hook waits for the first, also if that fails", async () => {
  const file = join(temporaryDirectory(), "lock");
  const order: string[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const first = inTurn(file, 10_000, async () => {
    begin();
    await released;
    order.push("first");
    throw new Error("failed");
  });
  await begun;
  const second = inTurn(file, 10_000, async () => void order.push("second"));
  release();
  await assert.rejects(first, /failed/);
  await second;
  assert.deepEqual(order, ["first", "second"]);
  assert.equal(existsSync(file), false);
});

test("[hooks.in-turn] a hook runs when its patience is over, or if the file was left behind", async () => {
  const file = join(temporaryDirectory(), "lock");
  writeFileSync(file, "");
  let runs = 0;
  const count = async () => void runs++;
  await inTurn(file, 0, count);
  assert.ok(existsSync(file), "another hook's file stays");
  utimesSync(file, 0, 0);
  await inTurn(file, 10_000, count);
  assert.equal(existsSync(file), false);
  await inTurn(join(file, "no/such/folder"), 0, count);
  assert.equal(runs, 3);
});
