import type { Nodes } from "mdast";
import { isLongerThan, oneLine } from "../../../engine/text.ts";
import { HoldfastError } from "../../../errors.ts";
import { readMarkdown } from "../notes-md/markdown.ts";

/** What stands on one line is read at a glance. */
const longestText = 2_000;

/** What a person or an agent wrote, on one line: a line break would begin something new in the file. */
export function requireLine(text: string, field: string): string {
  const line = oneLine(text);
  if (isLongerThan(line, longestText)) {
    throw new HoldfastError(
      "over_limit",
      `"${field}" has more than ${longestText} characters. Nothing was changed. Say it shorter, and keep the details in the session's notes.`,
      { data: { field, limit: longestText } },
    );
  }
  if (line !== "") return line;
  throw new HoldfastError(
    "invalid_input",
    `"${field}" is empty. Nothing was changed. Call again with a text in it.`,
    { data: { field } },
  );
}

function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>#~!&]/g, "\\$&")
    .replace(/^[-+=|:]/, "\\$&")
    .replace(/^(\d+)([.)])/, "$1\\$2");
}

/**
 * Builds a piece from texts, and has the Markdown parser read it back. Where the texts as they are would become
 * structure of their own, they are escaped.
 */
export function buildPiece<T>(
  texts: Record<string, string>,
  build: (texts: Record<string, string>) => T,
  isWhole: (piece: T) => boolean,
): T {
  const piece = build(texts);
  if (isWhole(piece)) return piece;
  const escaped = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, escapeMarkdown(text)]),
  );
  const safe = build(escaped);
  if (isWhole(safe)) return safe;
  throw new HoldfastError(
    "invalid_input",
    "This text cannot be written as one piece of Markdown. Nothing was changed. Say it in plain words.",
    { data: { texts: Object.keys(texts) } },
  );
}

/** One list with one point that is one paragraph. */
export function isOneItem(line: string): boolean {
  const [list, ...rest] = readMarkdown(line).children;
  if (list?.type !== "list" || rest.length > 0 || list.children.length !== 1) return false;
  const children = list.children[0]?.children ?? [];
  return children.length === 1 && children[0]?.type === "paragraph";
}

/** A table row with a cell for each column. */
export function isOneRow(row: string, columns: number): boolean {
  const head = `|${" a |".repeat(columns)}\n|${"---|".repeat(columns)}\n`;
  const [table, ...rest] = readMarkdown(head + row).children;
  return table?.type === "table" && rest.length === 0 && table.children[1]?.children.length === columns;
}

/** One heading, then paragraphs and lists that hold the labels in their order. */
export function isOneEntry(lines: readonly string[], labels: readonly string[]): boolean {
  const [heading, ...rest] = readMarkdown(lines.join("\n")).children;
  if (heading?.type !== "heading" || heading.depth !== 4) return false;
  const found: string[] = [];
  const read = (node: Nodes): boolean => {
    if (node.type === "list" || node.type === "listItem") return node.children.every(read);
    if (node.type !== "paragraph") return false;
    for (const child of node.children) {
      const [first] = child.type === "strong" ? child.children : [];
      if (first?.type === "text" && labels.includes(first.value)) found.push(first.value);
    }
    return true;
  };
  return rest.every(read) && found.join("|") === labels.join("|");
}
