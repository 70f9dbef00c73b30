import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawResults } from "./picture.ts";
import { type Report, renderReport } from "./report.ts";
import type { Results } from "./results.ts";

const docs = join(import.meta.dirname, "../../docs");

/** What the documentation shows, each made from the recorded report. */
export const documented = {
  results: join(docs, "benchmark-results.json"),
  page: join(docs, "benchmark.md"),
  picture: join(docs, "images/survival.svg"),
};

const [begin, end] = ["<!-- figures: npm run bench:survival -- --write -->", "<!-- end of figures -->"];

/** As Biome formats it: a list of numbers is one line. */
export function serialise(value: Report | Results): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replaceAll(/\[[\s\d.,-]+\]/g, (numbers) => numbers.replaceAll(/\s+/g, " ").replace("[ ", "[").replace(" ]", "]"))}\n`;
}

/** The page with its tables replaced by those of the report. */
export function withFigures(page: string, report: Report): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/benchmark.md needs the lines "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${renderReport(report)}\n\n${page.slice(to)}`;
}

export function writeDocs(report: Report): void {
  writeFileSync(documented.results, serialise(report));
  writeFileSync(documented.page, withFigures(readFileSync(documented.page, "utf8"), report));
  writeFileSync(documented.picture, drawResults(report.results));
}
