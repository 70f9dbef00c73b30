import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawScores } from "./picture.ts";
import { renderScores } from "./report.ts";
import type { Score } from "./score.ts";

const docs = join(import.meta.dirname, "../../docs");
const pagePath = join(docs, "benchmark.md");
const picturePath = join(docs, "images/resume.svg");
const [begin, end] = [
  "<!-- figures: npm run bench:resume -- --recorded --write -->",
  "<!-- end of figures -->",
];

function withFigures(page: string, scores: readonly Score[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/benchmark.md needs the lines "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${renderScores(scores)}\n\n${page.slice(to)}`;
}

/** The files that differ from the recorded results. */
export function staleFiles(scores: readonly Score[]): string[] {
  const page = readFileSync(pagePath, "utf8");
  return [
    ...(withFigures(page, scores) === page ? [] : ["docs/benchmark.md"]),
    ...(drawScores(scores) === readFileSync(picturePath, "utf8") ? [] : ["docs/images/resume.svg"]),
  ];
}

export function writePage(scores: readonly Score[]): void {
  writeFileSync(pagePath, withFigures(readFileSync(pagePath, "utf8"), scores));
  writeFileSync(picturePath, drawScores(scores));
}
