import type { Score } from "./score.ts";
import { questionKinds } from "./story.ts";

const percent = (share: number) => `${Math.round(100 * share)} %`;

/** A Markdown table for each number of compactions. */
export function renderScores(scores: readonly Score[]): string {
  const depths = [...new Set(scores.map(({ compactions }) => compactions))];
  return depths
    .map((depth) => {
      const rows = scores.filter(({ compactions }) => compactions === depth);
      return `After ${depth} compaction${depth === 1 ? "" : "s"}\n\n${tableOf(rows.toSorted((a, b) => b.answered - a.answered))}\n`;
    })
    .join("\n");
}

function tableOf(rows: readonly Score[]): string {
  const heads = [
    "Context",
    "Answered",
    "Spread",
    "Graders",
    "False",
    "First third",
    ...questionKinds,
    "Tokens",
    "Written",
    "Dollars",
  ];
  const lines = rows.map((score) => [
    score.title,
    percent(score.answered),
    score.spread.map(percent).join("–"),
    score.byGrader.map(percent).join(", "),
    String(score.wrong),
    percent(score.byThird[0] ?? 0),
    ...questionKinds.map((kind) => percent(score.byKind[kind])),
    score.tokens.toLocaleString("en-US"),
    score.writtenTokens.toLocaleString("en-US"),
    score.dollars.toFixed(3),
  ]);
  return [heads, heads.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
