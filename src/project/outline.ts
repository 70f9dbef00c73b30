import { isHead } from "./table.ts";

/** A heading of the file; lines count from 0. */
export interface Heading {
  line: number;
  level: number;
  title: string;
}

export interface Outline {
  headings: Heading[];
  /** Lines that are code, comments or HTML: nothing in them is structure. */
  inert: Set<number>;
  /** A code block or comment that never ends, by the line it begins on. */
  unclosed: { line: number; what: string } | undefined;
}

/** What is open: until when, and how deep in a list it stands. */
interface Open {
  kind: "fence" | "html";
  line: number;
  /** The fence's marks, or what ends the HTML. */
  mark: string;
  until: RegExp;
  /** It belongs to a list item that begins this far in, and ends with it. */
  indent: number;
  what: string;
}

const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/;
const fence = /^(`{3,}(?=[^`]*$)|~{3,})/;

/** HTML that runs to a mark, or to a blank line when it has none. */
const htmlBlocks: [start: RegExp, until: RegExp, what: string][] = [
  [/^<!--(?!-?>)/, /-->/, "comment"],
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i, "HTML block"],
  [/^<\?/, /\?>/, "HTML block"],
  [/^<!\[CDATA\[/, /\]\]>/, "HTML block"],
  [/^<![a-z]/i, />/, "HTML block"],
];
const htmlUntilBlank =
  /^<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?=[\s/>]|$)/i;

const loneTag =
  /^(?:<[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[a-z][a-z\d-]*\s*>)\s*$/i;

/**
 * Headings by line, and the lines that are no structure. A real parser takes seconds for a megabyte, so it reads
 * only the pieces that matter; that both see the same headings is a property test.
 */
export function outlineOf(texts: readonly string[]): Outline {
  const headings: Heading[] = [];
  const inert = new Set<number>();
  let open: Open | undefined;
  let items: number[] = [];
  let paragraph = false;
  let table = false;
  texts.forEach((raw, line) => {
    const text = expandTabs(line === 0 ? raw.replace(/^\uFEFF/, "") : raw);
    const blank = text.trim() === "";
    const indent = text.length - text.trimStart().length;
    if (open && open.indent > 0 && !blank && indent < open.indent) open = undefined;
    if (open) {
      inert.add(line);
      if (closes(open, text, blank)) open = undefined;
      return;
    }
    const wasParagraph = paragraph;
    paragraph = false;
    if (blank) {
      table = false;
      return;
    }
    const begins = beginsBlock(text);
    // Plain text goes on with the paragraph above, wherever that stands.
    if (wasParagraph && !begins && indent < (items.at(-1) ?? 0)) {
      paragraph = true;
      return;
    }
    items = items.filter((each) => indent >= each);
    const outer = items.at(-1) ?? 0;
    if (indent - outer >= 4) {
      paragraph = wasParagraph;
      return;
    }
    const inner = enterItems(text, outer);
    const { item } = inner;
    items.push(...inner.entered);
    const found = opening(inner.content, line, item, wasParagraph && inner.content === text);
    if (found) {
      inert.add(line);
      if (found !== "closed") open = found;
      return;
    }
    const title = heading.exec(inner.content.slice(item));
    if (title && item === 0)
      headings.push({ line, level: title[1]?.length ?? 1, title: (title[2] ?? "").trim() });
    table = !begins && (table || (wasParagraph && isHead(texts[line - 1] ?? "", text)));
    paragraph =
      !table && !title && inner.content.trim() !== "" && !/^\s*>\s*(?:$|[#`~<>-])/.test(inner.content);
  });
  // HTML that ends at a blank line also ends with the file.
  return { headings, inert, unclosed: open?.what ? { line: open.line, what: open.what } : undefined };
}

/** What cannot be the next line of a paragraph. */
function beginsBlock(text: string): boolean {
  const content = text.trimStart();
  return (
    heading.test(text) ||
    fence.test(content) ||
    /^(?:[-*+] +\S|1[.)] +\S|>)/.test(content) ||
    /^(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(content) ||
    htmlUntilBlank.test(content) ||
    htmlBlocks.some(([start]) => start.test(content))
  );
}

/** The line with the markers of its list items blanked out, and how far in their content begins. */
function enterItems(text: string, outer: number): { content: string; item: number; entered: number[] } {
  const entered: number[] = [];
  let content = text;
  let item = outer;
  for (;;) {
    const [all, spaces = "", mark = "", gap = ""] =
      /^( *)([-*+]|\d{1,9}[.)])( +|$)/.exec(content.slice(item)) ?? [];
    const isRule = /^ *(?:(?:- *){3,}|(?:\* *){3,})$/.test(content.slice(item));
    if (all === undefined || spaces.length >= 4 || isRule) return { content, item, entered };
    const width = gap.length > 4 || gap === "" ? 1 : gap.length;
    item += spaces.length + mark.length + width;
    content = " ".repeat(item) + content.slice(item);
    entered.push(item);
  }
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
    const mark = code[1] ?? "";
    return { kind: "fence", line, mark, until: /$^/, indent: inItem, what: "code block" };
  }
  for (const [start, until, what] of htmlBlocks) {
    const begun = start.exec(content);
    if (!begun) continue;
    const rest = what === "comment" ? content.slice(4) : content;
    return until.test(rest) ? "closed" : { kind: "html", line, mark: "", until, indent: inItem, what };
  }
  // Any other tag that is alone on its line begins HTML too, unless it stands in a paragraph.
  if (htmlUntilBlank.test(content) || (!afterText && loneTag.test(content)))
    return { kind: "html", line, mark: "blank", until: /$^/, indent: inItem, what: "" };
  return undefined;
}

function closes(open: Open, text: string, blank: boolean): boolean {
  if (open.kind === "html") return open.mark === "blank" ? blank : open.until.test(text);
  const content = text.trim();
  return (
    content.length >= open.mark.length &&
    content === (open.mark[0] ?? "").repeat(content.length) &&
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
