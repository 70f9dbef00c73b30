import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commentFaults, proseFaults } from "./prose.ts";

const root = join(import.meta.dirname, "..");

/** Pages that are generated from the sources. */
const exceptions = [/^docs.api/, /^docs.from-the-documents\.md$/];

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).filter(
  (page) => !exceptions.some((exception) => exception.test(page)),
);
/** Code with words of others in it: stories and recordings of conversations, and the rules' own examples. */
const textsOfOthers =
  /^bench.resume.(?:stories|recorded)|^scripts.prose\.ts$|^test.(?:requirements|prose\.test)/;

const sources = globSync("{src,test,scripts,bench,inspector}/**/*.{ts,tsx,mjs}", {
  cwd: root,
  exclude: (path) => path.includes("node_modules"),
}).filter((path) => !textsOfOthers.test(path));

const read = (path: string) => readFileSync(join(root, path), "utf8");
const faults = [
  ...pages.flatMap((page) => proseFaults(read(page)).map((fault) => `${page}:${fault}`)),
  ...sources.flatMap((path) => commentFaults(read(path)).map((fault) => `${path}:${fault}`)),
];
for (const fault of faults) console.error(fault);
console.log(`prose: ${pages.length} pages, comments of ${sources.length} files, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
