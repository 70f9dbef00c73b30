import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { startProgress } from "./progress.ts";

function run(isTTY: boolean, seconds: readonly number[]): string {
  let written = "";
  let now = 0;
  const stream = { isTTY, columns: 60, write: (text: string) => (written += text) };
  const progress = startProgress("Searching", 10, stream as unknown as NodeJS.WriteStream, () => now);
  for (const [done, second] of seconds.entries()) {
    now = second * 1_000;
    progress.at(done);
  }
  progress.end();
  return written;
}

test("a progress bar appears after a second, on a terminal only, and disappears at the end [people.progress]", () => {
  assert.equal(run(true, [0, 0.5, 0.9]), "");
  assert.equal(run(false, [0, 2, 5]), "");
  const written = run(true, [0, 0.5, 1.5, 1.55, 2]);
  assert.match(stripVTControlCharacters(written), /Searching █+░+ 20 %\rSearching █+░+ 40 %\r$/);
});
