import { count, plural } from "../format.ts";
import { homeNames } from "./homes.ts";
import { messageLine } from "./messages.tsx";
import { type Compaction, type Home, homes, type Message, type Traced } from "./trace-items.ts";

interface Picture {
  compaction: Compaction;
  items: readonly Traced[];
  messages: readonly Message[];
  name: string;
}

/** As in the light theme: a picture in a README or a bug report has no theme. */
const colours: Record<Home, string> = {
  memory: "#009e73",
  "put-back": "#6a4fb3",
  summary: "#cc79a7",
  checkpoint: "#56a3d9",
  window: "#0072b2",
  recallable: "#9aa7a1",
  missing: "#d55e00",
};
const width = 860;
const rowHeight = 26;
const maxMessages = 24;
const [left, right] = [330, 520];

/** The cut as a picture: the removed messages, where their content is now, and the lines between them. */
function compactionSvg({ compaction, items, messages, name }: Picture): string {
  const shown = messages.slice(-maxMessages);
  const used = homes.filter((home) => items.some((item) => item.home === home));
  const top = 84;
  const rows = Math.max(shown.length, used.length * 2, 1);
  const height = top + rows * rowHeight + 24;
  const yOf = (index: number) => top + index * rowHeight + rowHeight / 2;
  const homeY = (home: Home) => top + (used.indexOf(home) + 0.5) * ((rows * rowHeight) / used.length);
  const lines = shown.flatMap(({ number }, index) =>
    used.flatMap((home) => {
      const size = items.filter((item) => item.home === home && item.sources[0] === number).length;
      if (size === 0) return [];
      const [from, to] = [yOf(index), homeY(home)];
      const middle = (left + right) / 2;
      return `<path d="M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}" fill="none" stroke="${colours[home]}" stroke-opacity="0.45" stroke-width="${Math.min(10, 1 + size / 3).toFixed(1)}"/>`;
    }),
  );
  const rest = messages.length - shown.length;
  const { counts, tokensBefore, tokensAfter, epoch } = compaction;
  const total = counts.kept + counts.recallable + counts.missing;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(24, 32, `${name}, compaction ${epoch}`, "#17211d", "600 17px"),
    text(
      24,
      56,
      `${count(tokensBefore)} → ${count(tokensAfter)} tokens. ${plural(total, "thing")} followed, ${count(counts.missing)} lost.${rest > 0 ? ` The newest ${shown.length} of ${messages.length} messages.` : ""}`,
      "#4a5751",
    ),
    ...lines,
    ...shown.map((message, index) =>
      text(
        24,
        yOf(index) + 4,
        shorten(`${message.number} ${message.role} ${messageLine(message)}`, 46),
        "#4a5751",
      ),
    ),
    ...used.flatMap((home) => [
      `<rect x="${right}" y="${homeY(home) - 11}" width="4" height="22" rx="2" fill="${colours[home]}"/>`,
      text(
        right + 14,
        homeY(home) + 4,
        `${items.filter((item) => item.home === home).length} ${homeNames[home]}`,
        "#17211d",
      ),
    ]),
    "</svg>",
  ].join("\n");
}

export function saveSvg(picture: Picture): void {
  const url = URL.createObjectURL(new Blob([compactionSvg(picture)], { type: "image/svg+xml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `compaction-${picture.compaction.epoch}.svg`;
  link.click();
  URL.revokeObjectURL(url);
}

function text(x: number, y: number, content: string, fill: string, font = ""): string {
  return `<text x="${x}" y="${y}" fill="${fill}"${font === "" ? "" : ` style="font: ${font} system-ui, sans-serif"`}>${escaped(content)}</text>`;
}

function shorten(content: string, length: number): string {
  const characters = [...content];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : content;
}

/** A stored text must not become markup, nor break XML. */
function escaped(content: string): string {
  return content
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
