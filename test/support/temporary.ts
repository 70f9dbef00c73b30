import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const created: string[] = [];

// On process exit: a test runner hook would belong to whichever test is running.
process.once("exit", () => {
  for (const path of created) rmSync(path, { recursive: true, force: true });
});

// As `npm test` does for all files: the state that binds stores to this user is the tests' own, also for programs that a
// test starts with another home folder.
process.env.XDG_STATE_HOME ??= temporaryDirectory();

/** A directory that is deleted when the test file ends. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  created.push(path);
  return path;
}
