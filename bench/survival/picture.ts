import { survivedOf } from "./kill-report.ts";
import type { Results, SystemResult } from "./results.ts";

const colours = { context: "#1a7f64", oneCall: "#7cc4ad", further: "#cfe8df", lost: "#e5e7eb" };
const left = 300;
const barWidth = 330;
const width = 980;
/** Where the columns end. */
const columns = { tokens: 685, stale: 735, dollars: 840, kills: 965 };
const rowHeight = 30;
const top = 96;

/** The main figures as a picture: what is in context, within reach and lost, and what it costs. */
export function drawResults({ systems, seeds }: Results): string {
  const ran = systems
    .filter(({ problem }) => problem === undefined)
    .sort((a, b) => b.all.context + b.all.oneCall - (a.all.context + a.all.oneCall));
  const height = top + ran.length * rowHeight + 44;
  const rows = ran.map((system, index) => row(system, top + index * rowHeight)).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13" role="img" aria-label="Share of facts that the agent still has after compactions, by system">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="20" y="28" font-size="17" font-weight="600" fill="#111827">What an agent still has after repeated compactions</text>
<text x="20" y="48" fill="#4b5563">The same stories and the same scripted model for every system; the agent writes nothing down. Seeds: ${seeds.join(", ")}.</text>
${legend()}
<g fill="#4b5563" font-size="12">
<text x="${columns.tokens}" y="${top - 10}" text-anchor="end">tokens</text>
<text x="${columns.stale}" y="${top - 10}" text-anchor="end">stale</text>
<text x="${columns.dollars}" y="${top - 10}" text-anchor="end">$ per 100 turns</text>
<text x="${columns.kills}" y="${top - 10}" text-anchor="end">killed runs survived</text>
</g>
${rows}
<text x="20" y="${height - 14}" fill="#6b7280" font-size="12">npm run bench:survival · every term: docs/benchmark.md</text>
</svg>
`;
}

function legend(): string {
  const names = { context: "in context", oneCall: "one call away", further: "further away", lost: "lost" };
  return (Object.keys(names) as (keyof typeof names)[])
    .map((key, index) => {
      const x = left + index * 110;
      return `<rect x="${x}" y="62" width="11" height="11" fill="${colours[key]}"/><text x="${x + 16}" y="72" fill="#374151" font-size="12">${names[key]}</text>`;
    })
    .join("\n");
}

function row({ name, all, kills }: SystemResult, y: number): string {
  const shares = [
    ["context", all.context],
    ["oneCall", all.oneCall],
    ["further", all.further],
    ["lost", all.lost],
  ] as const;
  let x = left;
  const bars = shares.map(([key, share]) => {
    const length = share * barWidth;
    const bar = `<rect x="${x.toFixed(1)}" y="${y}" width="${length.toFixed(1)}" height="20" fill="${colours[key]}"/>`;
    x += length;
    return bar;
  });
  const text = (at: number, value: string) =>
    `<text x="${at}" y="${y + 15}" text-anchor="end" fill="#111827">${value}</text>`;
  return [
    `<text x="${left - 10}" y="${y + 15}" text-anchor="end" fill="#111827"${name === "Holdfast" ? ' font-weight="700"' : ""}>${escaped(name)}</text>`,
    ...bars,
    text(columns.tokens, all.tokens.toLocaleString("en-US")),
    text(columns.stale, `${Math.round(all.stale * 100)} %`),
    text(columns.dollars, all.dollarsPer100Turns.toFixed(2)),
    text(columns.kills, survivedOf(kills)),
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
