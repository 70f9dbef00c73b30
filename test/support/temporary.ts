import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

const made: string[] = [];

/** A directory that is gone when the test file is done. */
export function temporaryDirectory(): string {
  if (made.length === 0)
    after(() => made.forEach((path) => void rmSync(path, { recursive: true, force: true })));
  const path = mkdtempSync(join(tmpdir(), "holdfast-test-"));
  made.push(path);
  return path;
}
