import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Yields user-perceived characters. */
export function* eachGrapheme(text: string): Generator<string> {
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** The number of terminal columns a text takes. */
export function textWidth(text: string): number {
  if (printable.test(text)) return text.length;
  if (text.length > maxKnown) return stringWidth(text);
  let width = widths.get(text);
  if (width === undefined) {
    width = stringWidth(text);
    if (widths.size >= maxWidths) widths.clear();
    widths.set(text, width);
  }
  return width;
}

const printable = /^[\x20-\x7e]*$/;

/** Texts are measured character by character, and most have few different ones. */
const widths = new Map<string, number>();
const maxWidths = 5_000;
const maxKnown = 16;

/** Cuts a text to that many columns, with an ellipsis if anything was cut. */
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
