import stringWidth from "string-width";
import type { Paint, Screen } from "./screen.ts";
import { visibleMarker } from "./visible-text.ts";

/** A piece of text and its style. */
export interface Span {
  text: string;
  style?: Parameters<Paint>[0];
  /** Never broken across lines. */
  whole?: true;
}

/** Spans that stay on one line, and the space before them. */
interface Chunk {
  gap: string;
  spans: Span[];
  width: number;
}

/** Wraps spans to the screen's width; all lines but the first start with `hang`. */
export function wrapSpans(spans: readonly Span[], first: string, hang: string, screen: Screen): string[] {
  const lines: string[] = [];
  let [line, column, empty] = [first, textWidth(first), true];
  for (const chunk of chunksOf(spans, Math.max(8, screen.width - textWidth(hang)))) {
    if (!empty && column + chunk.gap.length + chunk.width > screen.width) {
      lines.push(line);
      [line, column, empty] = [hang, textWidth(hang), true];
    }
    // Leading space is indentation on the first line; after a wrap it is dropped.
    const room = empty
      ? lines.length > 0
        ? 0
        : Math.max(0, screen.width - column - chunk.width)
      : undefined;
    const gap = chunk.gap.slice(0, room);
    line += gap + chunk.spans.map(({ text, style }) => (style ? screen.paint(style, text) : text)).join("");
    column += gap.length + chunk.width;
    empty = false;
  }
  return [...lines, line].map((each) => each.trimEnd());
}

/** Wraps a paragraph to the screen's width; all lines but the first start with `hang`. */
export function wrapParagraph(text: string, screen: Screen, hang = ""): string[] {
  return wrapSpans([{ text }], "", hang, screen);
}

/** Splits spans into words and single ideographs; adjacent text, such as a comma after `code`, stays together. */
function chunksOf(spans: readonly Span[], maxWidth: number): Chunk[] {
  const chunks: Chunk[] = [];
  let gap = "";
  let joins = false;
  for (const { text, style, whole } of spans) {
    for (const part of whole ? [text] : text.split(/([ \t]+)/)) {
      if (part === "") continue;
      if (/^[ \t]/.test(part)) {
        gap += part.replaceAll("\t", "    ");
        joins = false;
        continue;
      }
      for (const piece of breakable(part, maxWidth)) {
        const span: Span = { text: piece, ...(style && { style }) };
        const width = textWidth(piece);
        const last = chunks.at(-1);
        if (joins && last && last.width + width <= maxWidth) {
          last.spans.push(span);
          last.width += width;
        } else chunks.push({ gap, spans: [span], width });
        [gap, joins] = ["", false];
      }
      joins = true;
    }
  }
  return chunks;
}

/** Splits a word where a line may break. */
function* breakable(word: string, maxWidth: number): Generator<string> {
  if (word.length <= maxWidth && /^[\x21-\x7e]*$/.test(word)) {
    yield word;
    return;
  }
  let [piece, width] = ["", 0];
  for (const grapheme of eachGrapheme(word)) {
    const columns = textWidth(grapheme);
    const isIdeograph = columns === 2 && !emoji.test(grapheme) && !closing.test(grapheme);
    if (piece !== "" && (isIdeograph || width + columns > maxWidth)) {
      yield piece;
      [piece, width] = ["", 0];
    }
    piece += grapheme;
    width += columns;
  }
  if (piece !== "") yield piece;
}

/** Joins facts with dots; lines break only between facts. */
export function dotted(facts: readonly string[]): Span[] {
  return facts.flatMap((text, index): Span[] => [
    ...(index === 0 ? [] : [{ text: " · ", style: "dim" } as const]),
    { text, style: "dim", whole: true },
  ]);
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** Punctuation that must not start a line. */
const closing = /^[、。，．！？：；）」』】》〉〕]/;

/** Splits text into spans that style `code`, **bold** and the names of hidden characters. */
export function inlineSpans(text: string, colours: boolean, style?: Span["style"]): Span[] {
  const plain = (part: string): Span[] =>
    part
      .split(splitMarkers)
      .map(
        (each): Span =>
          visibleMarker.test(each)
            ? { text: each, style: "yellow" }
            : { text: each, ...(style && { style }) },
      );
  if (!colours) return plain(text);
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).flatMap((part): Span[] => {
    if (/^`[^`]+`$/.test(part)) return [{ text: part.slice(1, -1), style: "cyan" }];
    if (/^\*\*[^*]+\*\*$/.test(part)) return [{ text: part.slice(2, -2), style: "bold" }];
    return plain(part);
  });
}

const splitMarkers = new RegExp(`(${visibleMarker.source})`);

let graphemes: Intl.Segmenter | undefined;

/** Yields user-perceived characters. */
function* eachGrapheme(text: string): Generator<string> {
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
