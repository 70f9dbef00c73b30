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
const fence = /^( *)(`{3,}(?=[^`]*$)|~{3,})/;
const listItem = /^( *)(?:[-*+]|\d{1,9}[.)])(?: |\t|$)/;

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

/**
 * Headings by line, and the lines that are no structure. A real parser takes seconds for a megabyte, so it reads
 * only the pieces that matter; that both see the same headings is a property test.
 */
export function outlineOf(texts: readonly string[]): Outline {
  const headings: Heading[] = [];
  const inert = new Set<number>();
  let open: Open | undefined;
  let item = 0;
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
    if (blank) return;
    if (item > 0 && indent < item) item = 0;
    const found = indent < 4 + item ? opening(text, line, item) : undefined;
    if (found) {
      inert.add(line);
      if (found !== "closed") open = found;
      return;
    }
    const title = heading.exec(text);
    if (title) {
      item = 0;
      headings.push({ line, level: title[1]?.length ?? 1, title: (title[2] ?? "").trim() });
    } else if (listItem.test(text) && indent < item + 4) {
      item = text.length - text.trimStart().replace(/^(?:[-*+]|\d{1,9}[.)]) */, "").length;
    }
  });
  // HTML that ends at a blank line also ends with the file.
  return { headings, inert, unclosed: open?.what ? { line: open.line, what: open.what } : undefined };
}

function opening(text: string, line: number, item: number): Open | "closed" | undefined {
  const content = text.trimStart();
  const indent = text.length - content.length;
  const inItem = item > 0 && indent >= item ? item : 0;
  const code = fence.exec(text);
  if (code && indent - inItem < 4) {
    const mark = code[2] ?? "";
    return { kind: "fence", line, mark, until: /$^/, indent: inItem, what: "code block" };
  }
  for (const [start, until, what] of htmlBlocks) {
    const begun = start.exec(content);
    if (!begun) continue;
    const rest = what === "comment" ? content.slice(4) : content;
    return until.test(rest) ? "closed" : { kind: "html", line, mark: "", until, indent: inItem, what };
  }
  if (htmlUntilBlank.test(content))
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
