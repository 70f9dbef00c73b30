import type { Screen } from "./screen.ts";
import { textWidth } from "./text-width.ts";
import { wrapSpans } from "./wrap-text.ts";

/** Below this width, a description goes under its term. */
const minColumns = 56;
/** The columns in which descriptions may start. */
const minColumn = 15;
const maxColumn = 31;
/** A line of help that starts with so many spaces continues the description above it. */
const continuation = /^ {12,}(\S.*)$/;
const row = /^ {2}(\S(?:[^ ]| (?! ))*) {2,}(\S.*)$/;

/** A line of help: a term and what it means, or a paragraph. */
interface HelpLine {
  term: string;
  text: string;
}

/** Wraps help between words to the screen's width; descriptions are aligned. */
export function renderHelp(text: string, screen: Screen): string[] {
  const lines: HelpLine[] = [];
  for (const source of text.replaceAll(/\n{3,}/g, "\n\n").split("\n")) {
    const [, more] = continuation.exec(source) ?? [];
    const last = lines.at(-1);
    if (more !== undefined && last) {
      last.text += ` ${more}`;
      continue;
    }
    const [, term = "", meaning] = row.exec(source) ?? [];
    lines.push(meaning === undefined ? { term: "", text: source } : { term, text: meaning });
  }
  let start = 0;
  return lines.flatMap((line, index) => {
    const isEnd = line.term === "" && line.text === "";
    if (isEnd) start = index + 1;
    const next = lines.findIndex(
      ({ term, text: meaning }, at) => at >= start && term === "" && meaning === "",
    );
    const block = lines.slice(start, next === -1 ? undefined : next);
    return renderLine(line, columnOf(block), screen);
  });
}

/** Descriptions of one block start in one column. */
function columnOf(block: readonly HelpLine[]): number {
  const widest = Math.max(0, ...block.map(({ term }) => textWidth(term)));
  return Math.min(maxColumn, Math.max(minColumn, widest + 4));
}

function renderLine({ term, text }: HelpLine, column: number, screen: Screen): string[] {
  if (term === "") {
    const indent = indentOf(text);
    return text === "" ? [""] : wrapSpans([{ text: text.trimStart() }], indent, indent, screen);
  }
  const isNarrow = screen.width < minColumns;
  const hang = " ".repeat(isNarrow ? 6 : column);
  const first = `  ${term}`;
  const isLong = textWidth(first) + 2 > column;
  if (isNarrow || isLong)
    return [
      ...wrapSpans([{ text: term }], "  ", "      ", screen),
      ...wrapSpans([{ text }], hang, hang, screen),
    ];
  return wrapSpans([{ text }], first.padEnd(column), hang, screen);
}

function indentOf(text: string): string {
  return text.slice(0, text.length - text.trimStart().length);
}
