// `node --test ARGS` with a compile cache that all test files and their child processes share.
import { spawnSync } from "node:child_process";
import { compiled } from "../test/support/compiled.ts";

const { status, error } = spawnSync(process.execPath, ["--test", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, NODE_COMPILE_CACHE: compiled },
});
if (error) throw error;
process.exitCode = status ?? 1;
