import type { Paint, Screen } from "./screen.ts";
import { eachGrapheme, textWidth } from "./text-width.ts";
import { visibleMark } from "./visible-text.ts";

/** A piece of a line and how it is painted. */
export interface Span {
  text: string;
  style?: Parameters<Paint>[0];
  /** No line ends inside it. */
  whole?: true;
}

/** Spans between which no line may end, and the space before them. */
interface Chunk {
  gap: string;
  spans: Span[];
  width: number;
}

/** Lays spans out in lines of the given width; all lines but the first begin with `hang`. */
export function wrapSpans(spans: readonly Span[], first: string, hang: string, screen: Screen): string[] {
  const lines: string[] = [];
  let [line, column, empty] = [first, textWidth(first), true];
  for (const chunk of chunksOf(spans, Math.max(8, screen.width - textWidth(hang)))) {
    if (!empty && column + chunk.gap.length + chunk.width > screen.width) {
      lines.push(line);
      [line, column, empty] = [hang, textWidth(hang), true];
    }
    // Space at the beginning of a line was its indentation only in the text itself.
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

/** Words and single ideographs; what touches, such as a comma after `code`, stays together. */
function chunksOf(spans: readonly Span[], widest: number): Chunk[] {
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
      for (const piece of breakable(part, widest)) {
        const span: Span = { text: piece, ...(style && { style }) };
        const width = textWidth(piece);
        const last = chunks.at(-1);
        if (joins && last && last.width + width <= widest) {
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

/** A word in the parts between which a line may be broken. */
function* breakable(word: string, widest: number): Generator<string> {
  if (word.length <= widest && /^[\x21-\x7e]*$/.test(word)) {
    yield word;
    return;
  }
  let [piece, width] = ["", 0];
  for (const grapheme of eachGrapheme(word)) {
    const columns = textWidth(grapheme);
    const isIdeograph = columns === 2 && !emoji.test(grapheme) && !closing.test(grapheme);
    if (piece !== "" && (isIdeograph || width + columns > widest)) {
      yield piece;
      [piece, width] = ["", 0];
    }
    piece += grapheme;
    width += columns;
  }
  if (piece !== "") yield piece;
}

/** Facts with dots between them; a line ends only between facts. */
export function dotted(facts: readonly string[]): Span[] {
  return facts.flatMap((text, place): Span[] => [
    ...(place === 0 ? [] : [{ text: " · ", style: "dim" } as const]),
    { text, style: "dim", whole: true },
  ]);
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** Punctuation that must not begin a line. */
const closing = /^[、。，．！？：；）」』】》〉〕]/;

/** Text with its `code`, **strong** parts and the marks of what was hidden, painted. */
export function inlineSpans(text: string, colours: boolean, style?: Span["style"]): Span[] {
  const plain = (part: string): Span[] =>
    part
      .split(splitMarks)
      .map(
        (each): Span =>
          visibleMark.test(each) ? { text: each, style: "yellow" } : { text: each, ...(style && { style }) },
      );
  if (!colours) return plain(text);
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).flatMap((part): Span[] => {
    if (/^`[^`]+`$/.test(part)) return [{ text: part.slice(1, -1), style: "cyan" }];
    if (/^\*\*[^*]+\*\*$/.test(part)) return [{ text: part.slice(2, -2), style: "bold" }];
    return plain(part);
  });
}

const splitMarks = new RegExp(`(${visibleMark.source})`);
