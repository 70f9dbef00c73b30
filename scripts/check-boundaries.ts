import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findPageViolations, findViolations, isSource, readImports } from "./boundaries.ts";

const root = join(import.meta.dirname, "..");
const files = globSync("src/**/*.ts", { cwd: root }).filter(isSource);
const violations = findViolations(
  files.flatMap((from) =>
    readImports(from, readFileSync(join(root, from), "utf8")).map((to) => ({ from, to })),
  ),
);
const page = globSync("inspector/src/**/*.{ts,tsx}", { cwd: root });
violations.push(...page.flatMap((from) => findPageViolations(from, readFileSync(join(root, from), "utf8"))));
for (const violation of violations) console.error(violation);
console.log(`boundaries: ${files.length + page.length} files, ${violations.length} violations`);
process.exitCode = violations.length > 0 ? 1 : 0;
