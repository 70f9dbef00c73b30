// Renders docs/hosts-results.json, which `npm run test:hosts` writes, as the table in docs/hosts.md.
import { readFileSync, writeFileSync } from "node:fs";
import { hosts } from "../src/hosts/hosts.ts";
import { type ClientResult, readResults, scenarios } from "../src/hosts/test-support/scenarios.ts";

const begin = "<!-- the table is rendered by scripts/render-hosts-table.ts -->";
const end = "<!-- end of the table -->";

/** One row per client; a scenario that was not tried has its reason below. */
export function renderTable(results: readonly ClientResult[]): string {
  const titleOf = (host: string) => hosts.find(({ name }) => name === host)?.title ?? host;
  const rows = results.map(({ host, version, date, scenarios: outcomes }) => [
    titleOf(host),
    version,
    ...scenarios.map((name) => ({ passed: "yes", failed: "**no**" })[outcomes[name] ?? ""] ?? "–"),
    date,
  ]);
  const all = [["Client", "Version", ...scenarios, "Date"], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

/** The page with the table of these results. */
export function withTable(page: string, results: readonly ClientResult[]): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  return `${page.slice(0, before + begin.length)}\n\n${renderTable(results)}\n\n${page.slice(after)}`;
}

if (import.meta.main) {
  const page = new URL("../docs/hosts.md", import.meta.url);
  writeFileSync(page, withTable(readFileSync(page, "utf8"), readResults()));
}
