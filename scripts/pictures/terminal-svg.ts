const size = { font: 13, line: 18, character: 7.83, margin: 16, bar: 28 };

const style = `text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d6deeb}
.dim{fill:#8492a6}.good{fill:#7fd962}.warn{fill:#ffb454}.note{fill:#73d0ff}.title{fill:#9aa7b8}`;

/** A line of a terminal, and how long it stays the last one. */
export interface TerminalLine {
  text: string;
  seconds: number;
}

export interface Panel {
  title: string;
  lines: readonly string[];
}

/** A terminal that plays its lines once, scrolls, and shows the last ones at the end. Without motion: the last ones. */
export function playedTerminal(lines: readonly TerminalLine[], rows: number, columns: number): string {
  const width = Math.ceil(columns * size.character + 2 * size.margin);
  const height = rows * size.line + 2 * size.margin + size.bar;
  const total = lines.reduce((sum, { seconds }) => sum + seconds, 0);
  let clock = 0;
  const shown = lines.map(({ text, seconds }, index) => {
    const at = clock;
    clock += seconds;
    return { text, at, up: Math.max(0, index + 1 - rows) };
  });
  const percent = (at: number) => `${((at / total) * 100).toFixed(2)}%`;
  const frames = shown.map(({ at, up }) => `${percent(at)}{transform:translateY(${-up * size.line}px)}`);
  const last = `transform:translateY(${-Math.max(0, lines.length - rows) * size.line}px)`;
  const texts = shown.map(
    ({ text, at }, index) =>
      `<text y="${(index + 1) * size.line}" style="animation-delay:${at.toFixed(2)}s"${classOf(text)}>${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="label">
<title id="label">A terminal that runs holdfast serve --demo</title>
<style>${style}
#all{${last};animation:scroll ${total.toFixed(2)}s steps(1,end) 1 both}
#all text{animation:appear .01s linear 1 both}
@keyframes scroll{${frames.join("")}to{${last}}}
@keyframes appear{from{opacity:0}to{opacity:1}}
@media(prefers-reduced-motion:reduce){#all,#all text{animation:none}}</style>
${frame(width, height, "holdfast serve --demo")}
<clipPath id="screen"><rect x="0" y="${size.bar}" width="${width}" height="${height - size.bar - 4}"/></clipPath>
<g clip-path="url(#screen)"><g transform="translate(${size.margin} ${size.bar + 4})"><g id="all">
${texts.join("\n")}
</g></g></g>
</svg>
`;
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
    [/checkpoint|compaction {2}|context {5}|^ {6}…|^The model is|^\(/, "dim"],
  ];
  const [, name] = kinds.find(([pattern]) => pattern.test(text)) ?? [];
  return name === undefined ? "" : ` class="${name}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
