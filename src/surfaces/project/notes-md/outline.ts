import { isHead } from "./table.ts";

/** A heading; lines count from 0. */
export interface Heading {
  line: number;
  level: number;
  title: string;
}

export interface Outline {
  headings: Heading[];
  /** Lines of code, comments or HTML, which contain no structure. */
  inert: Set<number>;
  /** A code block or comment that is never closed, with its first line. */
  unclosed: { line: number; what: string } | undefined;
}

/** An open code or HTML block. */
interface Open {
  kind: "fence" | "html";
  line: number;
  /** The fence, "blank" for HTML that ends at a blank line, or "". */
  marker: string;
  until: RegExp;
  /** Indentation of the list item it belongs to, and ends with. */
  indent: number;
  what: string;
}

const rule = /^ *(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;

const fence = /^(`{3,}(?=[^`]*$)|~{3,})/;

/** HTML blocks that end at a marker; others end at a blank line. */
const htmlBlocks: [start: RegExp, until: RegExp, what: string][] = [
  [/^<!--/, /-->/, "comment"],
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i, "HTML block"],
  [/^<\?/, /\?>/, "HTML block"],
  [/^<!\[CDATA\[/, /\]\]>/, "HTML block"],
  [/^<![a-z]/i, />/, "HTML block"],
];
const htmlUntilBlank =
  /^<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?=[\s/>]|$)/i;

const loneTag =
  /^(?:<[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[a-z][a-z\d-]*\s*>)\s*$/i;

/** Longer lines are not parsed: they are not meant for people, and matching patterns against them is slow. */
export const maxLineLength = 20_000;

/** The parser's state after the lines so far. */
interface Scan {
  outline: Outline;
  open: Open | undefined;
  /** Indentation of the content of each open list item. */
  items: number[];
  paragraph: boolean;
  /**
   * The lines of a paragraph outside lists and quotes, which an underline turns into a heading, and how many of its
   * first lines are known to be link definitions.
   */
  title: { line: number; texts: string[]; definitions: number } | undefined;
  table: boolean;
  previous: string;
}

/**
 * Finds the headings and the lines without structure. A full parser takes seconds per megabyte, so it only reads the
 * pieces that matter; a property test checks that both find the same headings.
 */
export function outlineOf(texts: readonly string[]): Outline {
  const outline: Outline = { headings: [], inert: new Set(), unclosed: undefined };
  const scan: Scan = {
    outline,
    open: undefined,
    items: [],
    paragraph: false,
    title: undefined,
    table: false,
    previous: "",
  };
  texts.forEach((raw, line) => {
    if (raw.length > maxLineLength) outline.inert.add(line);
    else readLine(scan, expandTabs(line === 0 ? raw.replace(/^\uFEFF/, "") : raw), line);
    scan.previous = raw;
  });
  // HTML that ends at a blank line also ends with the file.
  const { open } = scan;
  return { ...outline, unclosed: open?.what ? { line: open.line, what: open.what } : undefined };
}

function readLine(scan: Scan, text: string, line: number): void {
  const { headings, inert } = scan.outline;
  const blank = text.trim() === "";
  const indent = text.length - text.trimStart().length;
  if (scan.open && scan.open.indent > 0 && !blank && indent < scan.open.indent) scan.open = undefined;
  if (scan.open) {
    inert.add(line);
    if (closes(scan.open, text, blank)) scan.open = undefined;
    return;
  }
  const afterText = scan.paragraph;
  scan.paragraph = false;
  const title = afterText ? scan.title : undefined;
  scan.title = undefined;
  if (blank) {
    scan.table = false;
    return;
  }
  if (title && readUnderline(scan, title, text, line)) return;
  // In a list any marker starts the next item; in a paragraph only some do.
  const starts = startsBlock(text) || (scan.items.length > 0 && /^ *(?:[-*+]|\d{1,9}[.)])(?: |$)/.test(text));
  // Plain text continues the paragraph above, even in a list or quote.
  const inner = scan.items.at(-1) ?? 0;
  const continues = afterText && !starts && (inner === 0 || indent < inner);
  if (!continues) scan.items = scan.items.filter((each) => indent >= each);
  const outer = scan.items.at(-1) ?? 0;
  if (continues || indent - outer >= 4) {
    scan.table = continues && inner === 0 && isHead(scan.previous, text);
    scan.paragraph = afterText && !scan.table;
    if (scan.paragraph) scan.title = title;
    title?.texts.push(text);
    return;
  }
  const { content, item, entered } = enterItems(text, outer);
  scan.items.push(...entered);
  const found = opening(content, line, item, afterText && content === text);
  if (found) {
    inert.add(line);
    if (found !== "closed") scan.open = found;
    return;
  }
  const heading = readHeading(content.slice(item));
  if (heading && item === 0) headings.push({ line, ...heading });
  scan.table = !starts && (scan.table || (afterText && isHead(scan.previous, text)));
  scan.paragraph =
    !scan.table &&
    !heading &&
    content.trim() !== "" &&
    !rule.test(content.slice(item)) &&
    (!quoted.test(content) || isQuotedText(content));
  if (scan.paragraph && item === 0 && !quoted.test(content))
    scan.title = { line, texts: [text], definitions: 0 };
}

const quoted = /^ *>/;

function isQuotedText(content: string): boolean {
  const text = content.replace(/^(?: *(?:>|(?:[-*+]|\d{1,9}[.)])(?= |$)))+ ?/, "");
  return text.trim() !== "" && !text.startsWith("    ") && !startsBlock(text) && !loneTag.test(text);
}

const linkDefinition = /^ {0,3}\[[^\]]+\]: *(?!<[^>]*$)\S+(?: +(?:"[^"]*"|'[^']*'|\([^)]*\)))? *$/;

/** A paragraph underlined with `=` or `-` is a heading; link definitions are not part of it. */
function readUnderline(scan: Scan, title: NonNullable<Scan["title"]>, text: string, line: number): boolean {
  const [, underline] = /^ {0,3}(=+|-+) *$/.exec(text) ?? [];
  if (underline === undefined) return false;
  const first = title.texts.findIndex(
    (each, index) => index >= title.definitions && !linkDefinition.test(each),
  );
  if (first === -1) title.definitions = title.texts.length;
  if (first === -1) return false;
  const name = title.texts
    .slice(first)
    .map((each) => each.trim())
    .join(" ");
  const start = title.line + first;
  scan.outline.headings.push({ line: start, level: underline.startsWith("=") ? 1 : 2, title: name });
  for (let at = start + 1; at <= line; at++) scan.outline.inert.add(at);
  return true;
}

/** A heading's level and title, without closing `#` characters. */
function readHeading(text: string): { level: number; title: string } | undefined {
  const [all, hashes] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text) ?? [];
  if (all === undefined || hashes === undefined) return undefined;
  const title = text.slice(all.length).trim();
  let end = title.length;
  while (title[end - 1] === "#") end--;
  const closed = end === 0 || title[end - 1] === " " || title[end - 1] === "\t";
  return { level: hashes.length, title: closed ? title.slice(0, end).trim() : title };
}

/** Whether a line starts a new block and so cannot continue a paragraph. */
function startsBlock(text: string): boolean {
  const content = text.trimStart();
  return (
    readHeading(text) !== undefined ||
    fence.test(content) ||
    /^(?:[-*+] +\S|1[.)] +\S|>)/.test(content) ||
    rule.test(content) ||
    htmlUntilBlank.test(content) ||
    htmlBlocks.some(([start]) => start.test(content))
  );
}

/** Markers of deeper items are text. */
const maxItemDepth = 40;

/** Blanks out the list markers of a line and returns the indentation of the items' content. */
function enterItems(text: string, outer: number): { content: string; item: number; entered: number[] } {
  const entered: number[] = [];
  let content = text;
  let item = outer;
  while (entered.length < maxItemDepth) {
    const [all, spaces = "", marker = "", gap = ""] =
      /^( *)([-*+]|\d{1,9}[.)])( +|$)/.exec(content.slice(item)) ?? [];
    if (all === undefined || spaces.length >= 4 || rule.test(content.slice(item)))
      return { content, item, entered };
    const width = gap.length > 4 || gap === "" ? 1 : gap.length;
    item += spaces.length + marker.length + width;
    content = " ".repeat(item) + content.slice(item);
    entered.push(item);
  }
  return { content, item, entered };
}

function opening(
  text: string,
  line: number,
  inItem: number,
  afterText: boolean,
): Open | "closed" | undefined {
  const content = text.trimStart();
  if (text.length - content.length - inItem >= 4) return undefined;
  const code = fence.exec(content);
  if (code) {
    const marker = code[1] ?? "";
    return { kind: "fence", line, marker, until: /$^/, indent: inItem, what: "code block" };
  }
  for (const [start, until, what] of htmlBlocks) {
    if (!start.test(content)) continue;
    const rest = what === "comment" ? content.slice(2) : content;
    return until.test(rest) ? "closed" : { kind: "html", line, marker: "", until, indent: inItem, what };
  }
  // Any other tag alone on its line starts HTML too, unless it continues a paragraph.
  if (htmlUntilBlank.test(content) || (!afterText && loneTag.test(content)))
    return { kind: "html", line, marker: "blank", until: /$^/, indent: inItem, what: "" };
  return undefined;
}

function closes(open: Open, text: string, blank: boolean): boolean {
  if (open.kind === "html") return open.marker === "blank" ? blank : open.until.test(text);
  const content = text.trim();
  return (
    content.length >= open.marker.length &&
    content === (open.marker[0] ?? "").repeat(content.length) &&
    text.length - text.trimStart().length < open.indent + 4
  );
}

function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  let column = 0;
  let out = "";
  for (const character of text) {
    const width = character === "\t" ? 4 - (column % 4) : 1;
    out += character === "\t" ? " ".repeat(width) : character;
    column += width;
  }
  return out;
}
