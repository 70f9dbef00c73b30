import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { keepFailure } from "../failures.ts";
import { checkLastFailure } from "./last-failure.ts";

test("a missing database is a note, and does not hide an earlier failure [doctor.last-failure]", () => {
  const directory = temporaryDirectory();
  const keep = (code: string, message: string, at: number) =>
    keepFailure(directory, { at, host: "codex", event: "SessionStart", code, message });
  keep("not_found", "There is no database at memory.db.", 5_000);
  const fresh = checkLastFailure("codex", directory, 6_000);
  assert.deepEqual([fresh.status, /There is no database/.test(fresh.detail)], ["note", true]);
  keep("store_busy", "The database is busy.", 3_000);
  const real = checkLastFailure("codex", directory, 6_000);
  assert.deepEqual([real.status, /is busy/.test(real.detail)], ["problem", true]);
});
