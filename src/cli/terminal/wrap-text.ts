import { stripVTControlCharacters } from "node:util";
import stringWidth from "string-width";
import type { Screen } from "./screen.ts";

/** Joins words that must stay on one line; printed as a space. */
const noBreak = "\u00a0";

/**
 * Wraps a line, with or without colors, between words to the screen's width. The lines after the first begin with `hang`: by
 * default below the first word, and below the text of a list item.
 */
export function wrapLine(line: string, { width }: Pick<Screen, "width">, hang = hangOf(line)): string[] {
  if (textWidth(line) <= width) return [line.replaceAll(noBreak, " ").trimEnd()];
  const lines: string[] = [];
  let [text, column, isEmpty] = ["", 0, true];
  const room = Math.max(8, width - textWidth(hang));
  for (const [, space = "", word = ""] of line.matchAll(/([ \t]*)([^ \t]*)/g)) {
    let gap = space.replaceAll("\t", "    ");
    for (const piece of breakable(word, room)) {
      const wide = textWidth(piece);
      if (!isEmpty && column + gap.length + wide > width) {
        lines.push(text);
        [text, column, isEmpty] = [hang, textWidth(hang), true];
      }
      // Space is indentation on the first line; after a wrap it is dropped.
      if (isEmpty) gap = lines.length > 0 ? "" : gap.slice(0, Math.max(0, width - wide));
      text += gap + piece;
      column += gap.length + wide;
      [gap, isEmpty] = ["", false];
    }
  }
  return [...lines, text].map((each) => each.replaceAll(noBreak, " ").trimEnd());
}

/** The indentation of a line, past the sign of a list item; the bars of quotes and code are repeated. */
function hangOf(line: string): string {
  const lead = /^[ \t]*(?:(?:[-+•→]|\d{1,9}[.)]) +(?:[☐☑] )?|[☐☑▌│] )?/.exec(stripVTControlCharacters(line));
  return (lead?.[0] ?? "").replaceAll("\t", "    ").replaceAll(/[^ ▌│]/g, " ");
}

/** Joins facts with dots; lines break only between facts. */
export function dotted(facts: readonly string[]): string {
  return facts.map((text) => text.replaceAll(" ", noBreak)).join(" · ");
}

const escapeCode = "\u001b";
/** A code of a color or another style; it takes no room. */
const style = new RegExp(`(${escapeCode}\\[[\\d;]*m)`);

/** Splits a word where a line may break: before ideographs, and where it is too long for a line. */
function* breakable(word: string, maxWidth: number): Generator<string> {
  if (word === "") return;
  if (word.length <= maxWidth && /^[\x21-\x7e]*$/.test(word)) {
    yield word;
    return;
  }
  let [piece, width] = ["", 0];
  for (const part of word.split(style)) {
    if (style.test(part)) {
      piece += part;
      continue;
    }
    for (const grapheme of eachGrapheme(part)) {
      const columns = textWidth(grapheme);
      const isIdeograph = columns === 2 && !emoji.test(grapheme) && !closing.test(grapheme);
      if (width > 0 && (isIdeograph || width + columns > maxWidth)) {
        yield piece;
        [piece, width] = ["", 0];
      }
      piece += grapheme;
      width += columns;
    }
  }
  if (piece !== "") yield piece;
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** Punctuation that must not start a line. */
const closing = /^[、。，．！？：；）」』】》〉〕]/;

let graphemes: Intl.Segmenter | undefined;

/** Yields user-perceived characters. */
function* eachGrapheme(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** The number of terminal columns a text takes. */
export function textWidth(text: string): number {
  if (printable.test(text)) return text.length;
  if (style.test(text)) return textWidth(stripVTControlCharacters(text));
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
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2039-\u203a\u2190-\u2193\u2500-\u259f\u2610-\u2611]*$/;

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
