import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findImpurities, findPageViolations, findViolations, isSource, readImports } from "./boundaries.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const files = globSync("src/**/*.ts", { cwd: root }).filter(isSource);
const page = globSync("inspector/src/**/*.{ts,tsx}", { cwd: root });
const violations = [
  ...findViolations(files.flatMap((from) => readImports(from, read(from)).map((to) => ({ from, to })))),
  ...files.flatMap((path) => findImpurities(path, read(path))),
  ...page.flatMap((from) => findPageViolations(from, read(from))),
];
for (const violation of violations) console.error(violation);
console.log(`boundaries: ${files.length + page.length} files, ${violations.length} violations`);
process.exitCode = violations.length > 0 ? 1 : 0;
