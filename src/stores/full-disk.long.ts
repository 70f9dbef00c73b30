import assert from "node:assert/strict";
import { test } from "node:test";
import { noMounts, smallDisk } from "../../test/support/mounts.ts";
import { startProgram } from "../../test/support/processes.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

test("on a full disk Postgres fails with store_full, still reads, and writes again once there is space", {
  skip: noMounts(),
  timeout: 120_000,
}, async () => {
  const disk = temporaryDirectory();
  const program = startProgram("full-postgres.ts", { disk }, smallDisk(disk, 16_384));
  const { code, errors } = await program.ended;
  assert.equal(code, 0, errors);
  const { kept, refusals, read, afterwards } = JSON.parse(program.lines.at(-1) ?? "{}");
  assert.deepEqual(refusals, ["store_full", "store_full"]);
  assert.equal(read, kept);
  assert.deepEqual(afterwards, ["done", "done"]);
});
