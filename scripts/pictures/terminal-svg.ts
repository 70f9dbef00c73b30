const size = { font: 13, line: 18, character: 7.83, margin: 16, bar: 28 };

const style = `text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d6deeb}
.dim{fill:#8492a6}.good{fill:#7fd962}.warn{fill:#ffb454}.note{fill:#73d0ff}.title{fill:#9aa7b8}`;

export interface Panel {
  title: string;
  lines: readonly string[];
}

/** Terminals below each other. */
export function stillTerminals(panels: readonly Panel[], columns: number): string {
  const width = Math.ceil(columns * size.character + 2 * size.margin);
  const heights = panels.map(({ lines }) => lines.length * size.line + 2 * size.margin + size.bar);
  const gap = 14;
  let top = 0;
  const drawn = panels.map(({ title, lines }, index) => {
    const at = top;
    const height = heights[index] ?? 0;
    top += height + gap;
    const texts = lines.map(
      (line, row) =>
        `<text x="${size.margin}" y="${size.bar + size.margin + (row + 1) * size.line - 6}"${classOf(line)}>${escaped(line)}</text>`,
    );
    return `<g transform="translate(0 ${at})">${frame(width, height, title)}\n${texts.join("\n")}</g>`;
  });
  const height = top - gap;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="label">
<title id="label">${escaped(`Terminals: ${panels.map(({ title }) => title).join(", ")}`)}</title>
<style>${style}</style>
${drawn.join("\n")}
</svg>
`;
}

function frame(width: number, height: number, title: string): string {
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, index) => `<circle cx="${18 + index * 18}" cy="15" r="5" fill="${colour}"/>`,
  );
  return `<rect width="${width}" height="${height}" rx="8" fill="#10151f"/>${dots.join("")}<text class="title" x="${width / 2}" y="19" text-anchor="middle">${escaped(title)}</text>`;
}

function classOf(text: string): string {
  const kinds: [RegExp, string][] = [
    [/⚠/, "warn"],
    [/✎|^\$/, "note"],
    [/receipt|in the notepad|^agent ›|^\[Holdfast\]|^## |^- \[/, "good"],
    [/handoff {5}|compaction {2}|context {5}|^ {6}…|^The model is|^\(/, "dim"],
  ];
  const [, name] = kinds.find(([pattern]) => pattern.test(text)) ?? [];
  return name === undefined ? "" : ` class="${name}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
