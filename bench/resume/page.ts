import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alignedTable } from "../../scripts/aligned-table.ts";
import { isText, type TaskKind } from "./check.ts";
import { readRecorded } from "./recorded.ts";
import type { Score } from "./score.ts";
import { questionKinds } from "./story.ts";
import { depths, gradeId, graders, taskIds } from "./tasks.ts";

const docs = join(import.meta.dirname, "../../docs");
const pagePath = join(docs, "benchmark.md");
const picturePath = join(docs, "images/resume.svg");
const [begin, end] = [
  "<!-- figures: npm run bench:resume -- --recorded --write -->",
  "<!-- end of figures -->",
];

const percent = (share: number) => `${Math.round(100 * share)} %`;

const scoresAt = (scores: readonly Score[], depth: number) =>
  scores
    .filter(({ compactions }) => compactions === depth)
    .toSorted((a, b) => b.answered - a.answered || a.tokens - b.tokens);

/** Who wrote, read and graded, and a table for each number of compactions. */
export function renderFigures(scores: readonly Score[]): string {
  return [
    models(scores),
    ...depths.map((depth) => `### After ${depth} compactions\n\n${mainTable(scoresAt(scores, depth))}`),
  ].join("\n\n");
}

function models(scores: readonly Score[]): string {
  const of = (ids: readonly string[]) => {
    const found = ids.flatMap((id) => readRecorded(id) ?? []);
    const names = [...new Set(found.map(({ model }) => model))].join(", ");
    const dates = [...new Set(found.map(({ date }) => date))].toSorted();
    return `${names} (${[...new Set([dates[0], dates.at(-1)])].join(" to ")})`;
  };
  const texts = taskIds().filter((id) => isText(id.split("-")[0] as TaskKind));
  const gradings = depths.flatMap((depth) => graders.map((grader) => gradeId(depth, grader)));
  return `Written by ${of(texts)}. Read by ${of(scores.map(({ id }) => id))}. Graded by ${of(gradings)}.`;
}

/** The share answered, by kind of question. */
export function renderKinds(scores: readonly Score[]): string {
  return depths
    .map((depth) => `By kind of question, compactions: ${depth}\n\n${kindTable(scoresAt(scores, depth))}`)
    .join("\n\n");
}

function mainTable(rows: readonly Score[]): string {
  const heads = [
    "Context",
    "Answered",
    "Bootstrap",
    "Two gradings",
    "First, middle, last",
    "False",
    "Tokens",
    "Dollars per resume",
  ];
  const lines = rows.map((score) => [
    score.title,
    percent(score.answered),
    score.spread.map(percent).join(" to "),
    score.byGrader.map(percent).join(", "),
    [score.byPart.first, score.byPart.middle, score.byPart.last].map(percent).join(", "),
    score.wrong,
    score.tokens.toLocaleString("en-US"),
    score.dollars.toFixed(3),
  ]);
  return alignedTable([heads, ...lines]).trimEnd();
}

function kindTable(rows: readonly Score[]): string {
  const lines = rows.map(({ title, byKind }) => [
    title,
    ...questionKinds.map((kind) => percent(byKind[kind])),
  ]);
  return alignedTable([["Context", ...questionKinds], ...lines]).trimEnd();
}

function withFigures(page: string, scores: readonly Score[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/benchmark.md needs the lines "${begin}" and "${end}".`);
  return `${page.slice(0, from + begin.length)}\n\n${renderFigures(scores)}\n\n${page.slice(to)}`;
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

const left = 380;
const plot = 420;
const width = left + plot + 80;
const rowHeight = 24;

/** The share of answered questions as a dot, its bootstrap as a line, and both graders as ticks. */
function drawScores(scores: readonly Score[]): string {
  const parts: string[] = [];
  let y = 62;
  for (const depth of new Set(scores.map(({ compactions }) => compactions))) {
    const title = `After ${depth} compactions`;
    parts.push(`<text x="20" y="${y}" font-weight="600" fill="#111827">${title}</text>`);
    const rows = scoresAt(scores, depth);
    const bottom = y + 10 + rows.length * rowHeight;
    for (const share of [0, 0.25, 0.5, 0.75, 1])
      parts.push(
        `<line x1="${at(share)}" y1="${y + 8}" x2="${at(share)}" y2="${bottom}" stroke="#e5e7eb"/>`,
        `<text x="${at(share)}" y="${bottom + 14}" text-anchor="middle" font-size="11" fill="#6b7280">${percent(share)}</text>`,
      );
    parts.push(...rows.map((score, index) => rowOf(score, y + 22 + index * rowHeight)));
    y = bottom + 46;
  }
  const height = y - 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13" role="img" aria-label="Share of questions that a reader answers after compactions, by context">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="20" y="28" font-size="17" font-weight="600" fill="#111827">Questions that a model answers from the context after compactions</text>
${parts.join("\n")}
<text x="20" y="${height - 8}" fill="#6b7280" font-size="12">dot: mean of two gradings · line: 95 of 100 bootstrap draws · ticks: each grading · npm run bench:resume -- --recorded</text>
</svg>
`;
}

const at = (share: number) => (left + share * plot).toFixed(1);

function rowOf({ title, answered, spread, byGrader }: Score, y: number): string {
  const [low, high] = spread;
  const colour = title.includes("Holdfast") ? "#1a7f64" : title.startsWith("planted") ? "#b45309" : "#4b5563";
  return [
    `<text x="${left - 14}" y="${y + 4}" text-anchor="end" fill="#111827">${title}</text>`,
    `<line x1="${at(low)}" y1="${y}" x2="${at(high)}" y2="${y}" stroke="${colour}" stroke-width="2"/>`,
    ...byGrader.map(
      (share) => `<line x1="${at(share)}" y1="${y - 6}" x2="${at(share)}" y2="${y + 6}" stroke="${colour}"/>`,
    ),
    `<circle cx="${at(answered)}" cy="${y}" r="4" fill="${colour}"/>`,
    `<text x="${left + plot + 14}" y="${y + 4}" fill="#111827">${percent(answered)}</text>`,
  ].join("\n");
}
