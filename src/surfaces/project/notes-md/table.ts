/** A cell and its position in the line. */
export interface Cell {
  text: string;
  from: number;
  to: number;
}

export interface Row {
  line: number;
  cells: Cell[];
}

export interface Table {
  header: Row;
  /** How many columns the delimiter row has. */
  delimiters: number;
  rows: Row[];
}

const delimiterCell = /^:?-+:?$/;

/** The first table between two lines; undefined if there is none. */
export function findTable(
  texts: readonly string[],
  from: number,
  to: number,
  inert: ReadonlySet<number>,
): Table | undefined {
  for (let line = from; line + 1 < to; line++) {
    const [first = "", second = ""] = [texts[line], texts[line + 1]];
    if (inert.has(line) || !first.includes("|") || !isDelimiter(second)) continue;
    const rows: Row[] = [];
    for (let at = line + 2; at < to && isRow(texts[at] ?? "") && !inert.has(at); at++)
      rows.push({ line: at, cells: splitRow(texts[at] ?? "") });
    return { header: { line, cells: splitRow(first) }, delimiters: splitRow(second).length, rows };
  }
  return undefined;
}

/** Whether a line and the one below it start a table. */
export function isHead(header: string, under: string): boolean {
  return header.includes("|") && isDelimiter(under) && splitRow(header).length === splitRow(under).length;
}

function isDelimiter(text: string): boolean {
  return text.includes("-") && splitRow(text).every((cell) => delimiterCell.test(cell.text));
}

/** A table ends at a blank line or where another block starts. */
function isRow(text: string): boolean {
  return text.trim() !== "" && !/^ {0,3}(?:#{1,6}(?:\s|$)|>|[-*+] |\d+[.)] |```|~~~|<)/.test(text);
}

/** Splits cells at unescaped pipes. */
function splitRow(text: string): Cell[] {
  const cells: Cell[] = [];
  const end = text.trimEnd().length;
  let from = text.length - text.trimStart().length;
  if (text[from] === "|") from++;
  for (let at = from; at <= end; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "|" || at >= end) {
      if (at < end || at > from) cells.push(cellAt(text, from, Math.min(at, end)));
      from = at + 1;
    }
  }
  // A trailing backslash makes the loop skip the end.
  if (from < end) cells.push(cellAt(text, from, end));
  return cells;
}

function cellAt(text: string, from: number, to: number): Cell {
  const raw = text.slice(from, to);
  return { text: unescapePipes(raw.trim()), from, to };
}

function escapePipes(text: string): string {
  return text.replaceAll(/(?<!\\)(\\*)\|/g, "$1$1\\|");
}

function unescapePipes(text: string): string {
  return text.replaceAll(
    /(?<!\\)(\\+)\|/g,
    (_, slashes: string) => `${slashes.slice(0, slashes.length >> 1)}|`,
  );
}

export function renderRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => escapePipes(cell)).join(" | ")} |`;
}

/** Replaces one cell of a row without changing any other byte. */
export function replaceCell(line: string, cell: Cell, value: string): string {
  return `${line.slice(0, cell.from)} ${escapePipes(value)} ${line.slice(cell.to)}`;
}

/** The index of the first column with one of the lower-case names; -1 if there is none. */
export function columnOf(table: Table, ...names: string[]): number {
  return table.header.cells.findIndex(({ text }) => names.includes(text.toLowerCase()));
}
