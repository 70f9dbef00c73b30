import type { Nodes } from "mdast";
import { isLongerThan, oneLine } from "../../../engine/text.ts";
import { HoldfastError } from "../../../errors.ts";
import { readMarkdown } from "../notes-md/markdown.ts";

const maxTextLength = 2_000;

/** Puts a text on one line, because a line break would start a new structure in the file; refuses empty and long texts. */
export function requireLine(text: string, field: string): string {
  const line = oneLine(text);
  if (isLongerThan(line, maxTextLength)) {
    throw new HoldfastError(
      "over_limit",
      `"${field}" has more than ${maxTextLength} characters. Nothing was changed. Shorten it and put the details into the session's notes.`,
      { data: { field, limit: maxTextLength } },
    );
  }
  if (line !== "") return line;
  throw new HoldfastError(
    "invalid_input",
    `"${field}" is empty. Nothing was changed. Call again with a text.`,
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
 * Builds a piece of Markdown from texts and checks it with the parser. Escapes the texts if they would otherwise
 * become structure.
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
    "This text cannot be written as one piece of Markdown. Nothing was changed. Use plain text.",
    { data: { texts: Object.keys(texts) } },
  );
}

/** One list with one item that is one paragraph. */
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

/** One heading, then paragraphs and lists that contain the labels in order. */
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
