import stringWidth from "string-width";

let graphemes: Intl.Segmenter | undefined;

/** Yields user-perceived characters. */
export function* eachGrapheme(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
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

/**
 * Each of these takes one column. Text in Latin letters, and the marks that our own lines have, is not looked up in the
 * tables of string-width: making them takes longer than most commands run.
 */
const printable =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2039-\u203a\u2190-\u2193\u2500-\u259f\u2610-\u2611]*$/;

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
