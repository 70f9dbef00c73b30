import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { proseFaults } from "./prose.ts";

const root = join(import.meta.dirname, "..");

/** Pages with other rules: generated from the sources, or text of others. */
const exceptions = [
  /^docs.api/,
  /^docs.(?:from-the-documents|benchmark)\.md$/,
  /^(?:AGENTS|CODE_OF_CONDUCT)\.md$/,
];

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).filter(
  (page) => !exceptions.some((exception) => exception.test(page)),
);
const faults = pages.flatMap((page) =>
  proseFaults(readFileSync(join(root, page), "utf8")).map((fault) => `${page}:${fault}`),
);
for (const fault of faults) console.error(fault);
console.log(`prose: ${pages.length} pages, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
