import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made: string[] = [];

// At the end of the process: a hook of the test runner would belong to the test that happens to be running.
process.once("exit", () => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A directory that is gone when the test file is done. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  made.push(path);
  return path;
}
