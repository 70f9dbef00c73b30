import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What people see as one character each. */
export function* eachGrapheme(text: string): Generator<string> {
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

/** The start of a text that fits in that many columns, with an ellipsis if something was cut. */
export function cutToWidth(text: string, limit: number): string {
  if (textWidth(text) <= limit) return text;
  let [kept, width] = ["", 0];
  for (const grapheme of eachGrapheme(text)) {
    width += textWidth(grapheme);
    if (width > limit - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
