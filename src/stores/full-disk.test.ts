import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { FullDiskReport } from "../../test/support/full-disk.ts";
import { noMounts, smallDisk } from "../../test/support/mounts.ts";
import { startProgram } from "../../test/support/processes.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { postgresError } from "./postgres/connections.ts";

const skip = noMounts();

test("on a full disk SQLite rejects writes, still reads, and writes again once there is space [bad.full]", {
  skip,
}, async () => {
  const disk = temporaryDirectory();
  const program = startProgram(
    "full-disk.ts",
    { store: join(disk, "memory.db"), disk },
    smallDisk(disk, 4_096),
  );
  const { code, errors } = await program.ended;
  assert.equal(code, 0, errors);
  const report = JSON.parse(program.lines[0] ?? "") as FullDiskReport;
  assert.deepEqual(
    report.refusals,
    Array.from({ length: 5 }, () => "store_full"),
  );
  assert.match(report.message, /Nothing was written\. Free some space, then try again\./);
  assert.deepEqual(report.read, [report.kept, report.kept, report.kept]);
  assert.deepEqual(report.afterwards, ["done", "done", "done"]);
  assert.equal(report.reopened, report.kept + 1);
});

test("Postgres errors for a full disk and a read-only server map to our codes [bad.full] [bad.read-only]", () => {
  assert.equal(postgresError({ code: "53100", message: "could not extend file" }).code, "store_full");
  assert.equal(postgresError({ code: "25006", message: "read-only transaction" }).code, "store_read_only");
  assert.equal(postgresError({ code: "42501", message: "permission denied" }).code, "store_read_only");
});
