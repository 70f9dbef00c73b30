import { percent, scoresAt } from "./report.ts";
import type { Score } from "./score.ts";

const left = 380;
const plot = 420;
const width = left + plot + 80;
const rowHeight = 24;

/** The share of answered questions as a dot, its bootstrap as a line, and both graders as ticks. */
export function drawScores(scores: readonly Score[]): string {
  const parts: string[] = [];
  let y = 62;
  for (const depth of new Set(scores.map(({ compactions }) => compactions))) {
    const title = depth === 1 ? "After one compaction" : `After ${depth} compactions`;
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
<text x="20" y="28" font-size="17" font-weight="600" fill="#111827">Questions that a model answers from the context after a compaction</text>
${parts.join("\n")}
<text x="20" y="${height - 8}" fill="#6b7280" font-size="12">dot: mean of two graders · line: 95 of 100 bootstrap draws · ticks: each grader · npm run bench:resume -- --recorded</text>
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
