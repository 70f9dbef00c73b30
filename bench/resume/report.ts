import { table } from "../survival/markdown-table.ts";
import type { Score } from "./score.ts";
import { questionKinds } from "./story.ts";

export const percent = (share: number) => `${Math.round(100 * share)} %`;

const depthsOf = (scores: readonly Score[]) => [...new Set(scores.map(({ compactions }) => compactions))];

export const scoresAt = (scores: readonly Score[], depth: number) =>
  scores
    .filter(({ compactions }) => compactions === depth)
    .toSorted((a, b) => b.answered - a.answered || a.tokens - b.tokens);

/** A Markdown table for each number of compactions. */
export function renderScores(scores: readonly Score[]): string {
  return depthsOf(scores)
    .map((depth) => {
      const rows = scoresAt(scores, depth);
      const title = depth === 1 ? "After one compaction" : `After ${depth} compactions`;
      return `### ${title}\n\n${mainTable(rows)}`;
    })
    .join("\n\n");
}

/** The share answered, by kind of question. */
export function renderKinds(scores: readonly Score[]): string {
  return depthsOf(scores)
    .map((depth) => `By kind of question, compactions: ${depth}\n\n${kindTable(scoresAt(scores, depth))}`)
    .join("\n\n");
}

function mainTable(rows: readonly Score[]): string {
  const heads = ["Context", "Answered", "Bootstrap", "Two graders", "False", "Tokens", "Dollars per resume"];
  const lines = rows.map((score) => [
    score.title,
    percent(score.answered),
    score.spread.map(percent).join(" to "),
    score.byGrader.map(percent).join(", "),
    String(score.wrong),
    score.tokens.toLocaleString("en-US"),
    score.dollars.toFixed(3),
  ]);
  return table(heads, lines);
}

function kindTable(rows: readonly Score[]): string {
  const heads = ["Context", ...questionKinds, "first third"];
  const lines = rows.map(({ title, byKind, byThird }) => [
    title,
    ...questionKinds.map((kind) => percent(byKind[kind])),
    percent(byThird[0] ?? 0),
  ]);
  return table(heads, lines);
}
