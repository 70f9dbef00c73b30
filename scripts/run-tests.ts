// `node --test ARGS` with a compile cache that all test files and their child processes share, and a state folder of
// their own instead of the developer's.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiled } from "../test/support/compiled.ts";

const state = mkdtempSync(join(tmpdir(), "holdfast-state-"));
const { status, error } = spawnSync(process.execPath, ["--test", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, NODE_COMPILE_CACHE: compiled, XDG_STATE_HOME: state },
});
rmSync(state, { recursive: true, force: true });
if (error) throw error;
process.exitCode = status ?? 1;
