/** The subset of Markdown that notepads use, parsed in one pass over the lines. Everything else stays text. */
export type Block =
  | { type: "heading"; level: number; text: string }
  | { type: "paragraph"; text: string }
  | { type: "code"; text: string; language: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; ordered: boolean; start: number; items: Item[] }
  | { type: "table"; head: string[]; rows: string[][] }
  | { type: "rule" };

export interface Item {
  /** Undefined for an item without a checkbox. */
  done: boolean | undefined;
  /** Its line in the whole text, from 0. */
  line: number;
  blocks: Block[];
}

/** A line as a block sees it, without the indent and the marks of the blocks around it. */
interface Line {
  text: string;
  number: number;
}

/** Deeper quotes and lists stay text, so that no input can overflow the stack. */
const maxDepth = 12;

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const heading = /^ {0,3}(#{1,6})(?:\s(.*))?$/;
const rule = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const bullet = /^(\s*)([-*+]|\d{1,9}[.)])(?:(\s+)(.*)|\s*)$/s;
const quote = /^ {0,3}>\s?(.*)$/;
const tableRule = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

/** `first`: the number of the first line, for a part of a longer text. */
export function parseMarkdown(text: string, first = 0): Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  return parseLines(
    lines.map((line, index) => ({ text: line, number: first + index })),
    0,
  );
}

/** The text of a line; "" after the end. */
function textAt(lines: readonly Line[], at: number): string {
  return lines[at]?.text ?? "";
}

function parseLines(lines: readonly Line[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (textAt(lines, at).trim() === "") {
      at++;
      continue;
    }
    const [block, next] = readBlock(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

type Read = [block: Block, next: number];

function readBlock(lines: readonly Line[], at: number, depth: number): Read {
  const line = textAt(lines, at);
  if (fence.test(line)) return readCode(lines, at);
  const title = heading.exec(line);
  if (title)
    return [{ type: "heading", level: title[1]?.length ?? 1, text: (title[2] ?? "").trim() }, at + 1];
  if (rule.test(line)) return [{ type: "rule" }, at + 1];
  if (depth < maxDepth) {
    if (quote.test(line)) return readQuote(lines, at, depth);
    if (bullet.test(line)) return readList(lines, at, depth);
  }
  if (line.includes("|") && tableRule.test(textAt(lines, at + 1).trim())) return readTable(lines, at);
  return readParagraph(lines, at);
}

function readCode(lines: readonly Line[], at: number): Read {
  const [, marker = "```", language = ""] = fence.exec(textAt(lines, at)) ?? [];
  const isEnd = (line: string) =>
    line.trim().length >= marker.length && line.trim() === marker[0]?.repeat(line.trim().length);
  let end = at + 1;
  while (end < lines.length && !isEnd(textAt(lines, end))) end++;
  return [
    { type: "code", text: joined(lines.slice(at + 1, end)), language: language.trim() },
    Math.min(end + 1, lines.length),
  ];
}

function joined(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join("\n");
}

function readQuote(lines: readonly Line[], at: number, depth: number): Read {
  const inside: Line[] = [];
  let end = at;
  for (const { text, number } of lines.slice(at)) {
    const found = quote.exec(text);
    if (!found) break;
    inside.push({ text: found[1] ?? "", number });
    end++;
  }
  return [{ type: "quote", blocks: parseLines(inside, depth + 1) }, end];
}

function readList(lines: readonly Line[], at: number, depth: number): Read {
  const [, outer = "", marker = "-"] = bullet.exec(textAt(lines, at)) ?? [];
  const ordered = /\d/.test(marker);
  const items: Item[] = [];
  let end = at;
  while (end < lines.length) {
    const found = bullet.exec(textAt(lines, end));
    if (!found || indentOf(found[1]) > indentOf(outer) + 1 || indentOf(found[1]) < indentOf(outer)) break;
    if (/\d/.test(found[2] ?? "") !== ordered || rule.test(textAt(lines, end))) break;
    const [item, next] = readItem(lines, end, found, depth);
    items.push(item);
    end = next;
  }
  return [{ type: "list", ordered, start: ordered ? Number.parseInt(marker, 10) : 1, items }, end];
}

function readItem(
  lines: readonly Line[],
  at: number,
  [, outer = "", marker = "", gap = " ", text = ""]: RegExpExecArray,
  depth: number,
): [Item, number] {
  const inner = indentOf(outer) + marker.length + Math.min(gap.length, 4);
  const number = lines[at]?.number ?? 0;
  const inside: Line[] = [];
  let end = at + 1;
  for (; end < lines.length; end++) {
    const line = textAt(lines, end);
    if (line.trim() === "") {
      const after = textAt(lines, end + 1);
      if (after.trim() === "" || indentOf(after) <= indentOf(outer)) break;
    } else if (indentOf(line) <= indentOf(outer)) break;
    inside.push({ text: dedent(line, inner), number: number + end - at });
  }
  const [, box, rest] = /^\[([ xX])\]\s+(.*)$/s.exec(text) ?? [];
  return [
    {
      done: box === undefined ? undefined : box !== " ",
      line: number,
      blocks: parseLines([{ text: rest ?? text, number }, ...inside], depth + 1),
    },
    end,
  ];
}

function readTable(lines: readonly Line[], at: number): Read {
  const head = cellsOf(textAt(lines, at));
  const rows: string[][] = [];
  let end = at + 2;
  for (; textAt(lines, end).includes("|"); end++) rows.push(cellsOf(textAt(lines, end)));
  return [{ type: "table", head, rows }, end];
}

function readParagraph(lines: readonly Line[], at: number): Read {
  let end = at + 1;
  const isText = (line: string) =>
    line.trim() !== "" && ![fence, heading, quote, bullet, rule].some((other) => other.test(line));
  while (isText(textAt(lines, end))) end++;
  return [{ type: "paragraph", text: joined(lines.slice(at, end)) }, end];
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function indentOf(line = ""): number {
  return line.length - line.trimStart().length;
}

function dedent(line: string, by: number): string {
  return line.slice(Math.min(by, indentOf(line)));
}

/** The text with the checkbox on a line toggled, and whether it is done then. */
export function toggleTask(text: string, line: number): { text: string; done: boolean } {
  const lines = text.split("\n");
  let done = false;
  lines[line] = (lines[line] ?? "").replace(taskMark, (_, before: string, box: string) => {
    done = box === " ";
    return `${before}${done ? "x" : " "}`;
  });
  return { text: lines.join("\n"), done };
}

/** Up to the box of a line, after any quotes and bullets. */
const taskMark = /^((?:[\s>]|[-*+](?=\s)|\d{1,9}[.)](?=\s))*\[)([ xX])(?=\]\s)/;

export type Inline =
  | { type: "text" | "code"; text: string }
  | { type: "strong" | "emphasis" | "deleted"; text: string }
  | { type: "link"; text: string; href: string };

const spans =
  /(?<!`)(?<code>`{1,8})(?!`)(?<codeText>[^`]{1,500})\k<code>(?!`)|\*\*(?<strong>[^*\n]{1,500})\*\*|(?<![\w*])\*(?<star>[^*\s][^*\n]{0,500})\*(?![\w*])|(?<![\w_])_(?<score>[^_\s][^_\n]{0,500})_(?![\w_])|~~(?<deleted>[^~\n]{1,500})~~|\[(?<label>[^\]\n]{1,500})\]\((?<href>[^\s()]{1,500})\)|(?<bare>https?:\/\/[^\s<>()"'`]{1,500})/gu;

/** Only URLs that a browser opens without running code. */
const safeUrl = /^(?:https?:\/\/|mailto:)/i;

export function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  const plain = (to: number) => {
    if (to > at) found.push({ type: "text", text: text.slice(at, to) });
  };
  for (const match of text.matchAll(spans)) {
    const { codeText, strong, star, score, deleted, label, href, bare } = match.groups ?? {};
    const emphasis = star ?? score;
    const link = href ?? bare;
    let inline: Inline | undefined;
    if (codeText !== undefined) inline = { type: "code", text: codeText };
    else if (strong !== undefined) inline = { type: "strong", text: strong };
    else if (emphasis !== undefined) inline = { type: "emphasis", text: emphasis };
    else if (deleted !== undefined) inline = { type: "deleted", text: deleted };
    else if (link !== undefined && safeUrl.test(link))
      inline = { type: "link", text: label ?? link, href: link };
    if (!inline) continue;
    plain(match.index);
    found.push(inline);
    at = match.index + match[0].length;
  }
  plain(text.length);
  return found;
}
