// `node --test ARGS` with a compile cache that all test files and their child processes share, and a state folder of
// their own instead of the developer's. Files of one folder share a process: loading and warming up the code takes
// longer than most tests.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compiled } from "../test/support/compiled.ts";
import { planProcesses } from "./test-processes.ts";

const { flags = [], patterns = [] } = Object.groupBy(process.argv.slice(2), (argument) =>
  argument.startsWith("-") ? "flags" : "patterns",
);
const files = patterns.flatMap((pattern) => {
  const found = globSync(pattern).map((path) => path.replaceAll("\\", "/"));
  if (found.length === 0) throw new Error(`No file matches "${pattern}". Write options as --name=value.`);
  return found;
});

const folder = mkdtempSync(join(tmpdir(), "holdfast-run-"));
const state = join(folder, "state");
mkdirSync(state);
const processes = planProcesses([...new Set(files)], (path) => readFileSync(path, "utf8"));
const guard = join(import.meta.dirname, "../test/support/all-tests-ran.ts");
const entries = processes.map(({ name, files: members }) => {
  const entry = join(folder, `${name}.test.mjs`);
  const imports = [guard, ...members].map((path) => `import "${pathToFileURL(resolve(path)).href}";\n`);
  writeFileSync(entry, imports.join(""));
  return entry;
});
// Most tests are short: collecting less often saves a twentieth of the CPU.
const heap = "--max-semi-space-size=64";
const { status, error } = spawnSync(process.execPath, [heap, "--test", ...flags, ...entries], {
  stdio: "inherit",
  env: { ...process.env, NODE_COMPILE_CACHE: compiled, XDG_STATE_HOME: state },
});
rmSync(folder, { recursive: true, force: true });
if (error) throw error;
process.exitCode = status ?? 1;
