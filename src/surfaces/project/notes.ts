import type { ListItem, Root, RootContent, Table as TableNode } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { oneLine } from "../../engine/text.ts";
import { layout, type SectionKey, sectionKeys } from "./layout.ts";
import { parseReference, type Reference, splitQuote } from "./references.ts";

/** Parsed NOTES.md. Every part knows its lines, counted from 0; `end` is the line after the last one. */
export interface Notes {
  text: string;
  /** The lines with their line ends. Joined, they are the text. */
  lines: string[];
  /** The lines without their line ends. */
  texts: string[];
  sections: Partial<Record<SectionKey, Section>>;
  /** Repeated sections, which are not read. */
  repeated: { key: SectionKey; line: number }[];
  /** The ranges of merge-conflict markers. */
  conflicts: { from: number; to: number }[];
  /** A code block or comment that is never closed, with its first line. */
  unclosed: { line: number; what: string } | undefined;
}

export interface Section {
  line: number;
  end: number;
  /** The line of its first subsection, or its end. */
  ownEnd: number;
  /** Its first table. */
  table: Table | undefined;
  items: Item[];
  /** Of the decision log, in file order. */
  entries: Entry[];
}

export interface Table {
  line: number;
  end: number;
  /** The names in its header, in lower case. */
  columns: string[];
  rows: Row[];
}

export interface Row {
  line: number;
  cells: Cell[];
  /** The texts of the cells by column. */
  values: Readonly<Record<string, string>>;
}

/** A cell and its position in the line, between the pipes. */
export interface Cell {
  /** The name of its column, in lower case. */
  column: string;
  text: string;
  from: number;
  to: number;
}

/** A list item. */
export interface Item {
  line: number;
  end: number;
  /** The line after its own text, before nested content. */
  textEnd: number;
  /** Undefined if it has no checkbox. */
  done: boolean | undefined;
  /** Its own text on one line. */
  text: string;
}

/** An entry of the decision log. */
export interface Entry {
  line: number;
  end: number;
  timestamp: string;
  name: string;
  decision: string;
  rationale: string;
  evidence: Evidence[];
  scenarios: string[];
  by: string;
  /** All other lines. */
  other: string[];
}

/** A word-for-word quote and its location in the code. */
export interface Evidence {
  line: number;
  /** Undefined if no code is quoted. */
  quote: string | undefined;
  /** Undefined if no location is given. */
  reference: Reference | undefined;
  text: string;
}

/**
 * Only blocks matter here. Text inside a paragraph is taken as it is written, and underlined headings and link
 * definitions are text: reading them takes the square of the length of some texts.
 */
const disabled = [
  ...["attention", "autolink", "characterEscape", "characterReference", "codeText", "hardBreakEscape"],
  ...["htmlText", "labelEnd", "labelStartImage", "labelStartLink", "definition", "setextUnderline"],
];

/** Longer lines are not meant for people. They are not read. */
export const maxLineLength = 20_000;

/** The parser takes the square of the depth at which one line nests lists and quotes. */
const nestedDeeply = /^[ \t]{0,3}(?:>[ \t]{0,4}|(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){20}/;

export function parseNotes(text: string): Notes {
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g) ?? [];
  const texts = lines.map((line) => line.replace(/\r?\n$|\r$/, ""));
  const readable = texts.map((line) => (line.length > maxLineLength || nestedDeeply.test(line) ? "" : line));
  const tree = fromMarkdown(readable.join("\n").replace(/^\uFEFF/, " "), {
    extensions: [gfmTable(), { disable: { null: disabled } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  const sections: Notes["sections"] = {};
  const repeated: Notes["repeated"] = [];
  for (const part of outline(tree, texts)) {
    const key = keyOf(part.title);
    if (key === undefined) continue;
    if (sections[key]) repeated.push({ key, line: part.line });
    else sections[key] = readSection(key, part, texts);
  }
  const [conflicts, unclosed] = [findConflicts(texts), findUnclosed(tree, texts)];
  return { text, lines, texts, sections, repeated, conflicts, unclosed };
}

const firstLine = ({ position }: Pick<RootContent, "position">) => (position?.start.line ?? 1) - 1;
const endLine = ({ position }: Pick<RootContent, "position">) => position?.end.line ?? 0;

/** A heading with what is below it. */
interface Part {
  line: number;
  end: number;
  depth: number;
  title: string;
  /** The blocks before its first subheading. */
  own: RootContent[];
  parts: Part[];
}

/** The parts of a file, in its order. Those below another part are in that one, too. */
function outline({ children }: Root, texts: readonly string[]): Part[] {
  const all: Part[] = [];
  let open: Part[] = [];
  for (const node of children) {
    if (node.type !== "heading") {
      open.at(-1)?.own.push(node);
      continue;
    }
    const { depth } = node;
    const line = firstLine(node);
    for (const part of open) if (part.depth >= depth) part.end = line;
    open = open.filter((part) => part.depth < depth);
    const part = { line, end: texts.length, depth, title: titleOf(texts[line] ?? ""), own: [], parts: [] };
    open.at(-1)?.parts.push(part);
    open.push(part);
    all.push(part);
  }
  return all;
}

function titleOf(line: string): string {
  const source = line.replace(/^\uFEFF?\s{0,4}#{1,6}\s*/, "");
  return source.replace(/(?:^|\s)#{1,6}\s*$/, "").trim();
}

function keyOf(title: string): SectionKey | undefined {
  const name = oneLine(title.replaceAll(/[*_`]/g, "").replaceAll("&amp;", "&")).toLowerCase();
  return sectionKeys.find((key) => layout[key].title.toLowerCase() === name);
}

function readSection(key: SectionKey, { line, end, own, parts }: Part, texts: readonly string[]): Section {
  const table = own.find((node) => node.type === "table");
  const lists = own.filter((node) => node.type === "list");
  // A deeper heading before the first entry does not begin one.
  const entryDepth = Math.min(...parts.map(({ depth }) => depth));
  const entries = key === "decisions" ? parts.filter(({ depth }) => depth === entryDepth) : [];
  return {
    line,
    end,
    ownEnd: parts[0]?.line ?? end,
    table: table && readTable(table, texts),
    items: lists.flatMap(({ children }) => children.map((item) => readItem(item, texts))),
    entries: entries.map((part) => readEntry(part, texts)),
  };
}

function readTable(node: TableNode, texts: readonly string[]): Table {
  const [header, ...rows] = node.children.map((row) => {
    const line = firstLine(row);
    const cells = row.children.map(({ position }) =>
      readCell(texts[line] ?? "", (position?.start.column ?? 1) - 1, (position?.end.column ?? 1) - 1),
    );
    return { line, cells };
  });
  const columns = header?.cells.map(({ text }) => text.toLowerCase()) ?? [];
  return {
    line: firstLine(node),
    end: endLine(node),
    columns,
    rows: rows.map(({ line, cells }) => ({
      line,
      cells: cells.map((cell, index) => ({ ...cell, column: columns[index] ?? "" })),
      // Of two columns with one name, the first one counts.
      values: Object.fromEntries(columns.map((name, index) => [name, cells[index]?.text ?? ""]).toReversed()),
    })),
  };
}

/** A cell of the parser has the pipe before it, and the last cell also the pipe after it. */
function readCell(line: string, start: number, end: number): Omit<Cell, "column"> {
  const from = line[start] === "|" ? start + 1 : start;
  const inside = line.slice(from, end).trimEnd();
  const isClosed = inside !== "" && /(?<!\\)(?:\\\\)*\|$/.test(inside);
  const to = isClosed ? from + inside.length - 1 : end;
  return { text: unescapePipes(line.slice(from, to).trim()), from, to };
}

function unescapePipes(text: string): string {
  return text.replaceAll(
    /(?<!\\)(\\+)\|/g,
    (_, slashes: string) => `${slashes.slice(0, slashes.length >> 1)}|`,
  );
}

const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const checkbox = /^\[([ xX])\](?:[ \t]+|$)/;

/** Nested content belongs to the item above it. */
function readItem(node: ListItem, texts: readonly string[]): Item {
  const line = firstLine(node);
  const [first] = node.children;
  const textEnd = first?.type === "paragraph" ? endLine(first) : line + 1;
  const [start = "", ...rest] = texts.slice(line, textEnd);
  const content = start.replace(bullet, "");
  const box = checkbox.exec(content);
  return {
    line,
    textEnd,
    end: Math.max(textEnd, endLine(node)),
    done: box ? box[1] !== " " : undefined,
    text: oneLine([box ? content.slice(box[0].length) : content, ...rest].join(" ")),
  };
}

const labels = ["decision", "rationale", "evidence", "test scenarios", "decided by"] as const;

type Label = (typeof labels)[number] | "other";

const labelled = /^(?:\*\*|__)([A-Za-z ]{1,40}):?(?:\*\*|__):?[ \t]*(.*)$/s;

/** A label starts a part of an entry, in a paragraph or in a list. */
function readEntry(entry: Part, texts: readonly string[]): Entry {
  const { line, end, title } = entry;
  const [, timestamp = "", name = title] = /^(?=\S*\d)(\S{1,40})\s{1,9}[-–—:]\s*(.*)$/.exec(title) ?? [];
  const parts: Record<Label, { line: number; text: string }[]> = {
    decision: [],
    rationale: [],
    evidence: [],
    "test scenarios": [],
    "decided by": [],
    other: [],
  };
  let label: Label = "other";
  const readBlock = (node: RootContent, inList: boolean): void => {
    if (node.type === "list" || node.type === "listItem") {
      for (const child of node.children) readBlock(child, true);
      return;
    }
    const first = firstLine(node);
    for (let at = first; at < endLine(node); at++) {
      const source = texts[at] ?? "";
      const text = (inList && at === first ? source.replace(bullet, "") : source).trim();
      const [, word, rest = ""] = node.type === "html" ? [] : (labelled.exec(text) ?? []);
      const known = labels.find((each) => each === word?.toLowerCase());
      // An item may begin with bold words of its own.
      if (known || (word !== undefined && !inList)) label = known ?? "other";
      const part = parts[node.type === "html" ? "other" : label];
      const content = known ? rest.trim() : text;
      const last = part.at(-1);
      if (content === "") continue;
      if (last && inList && at > first && !known) last.text = `${last.text} ${content}`;
      else part.push({ line: at, text: content });
    }
  };
  const readPart = ({ own, parts: below }: Part): void => {
    for (const node of own) readBlock(node, false);
    for (const part of below) {
      parts[label].push({ line: part.line, text: (texts[part.line] ?? "").trim() });
      readPart(part);
    }
  };
  readPart(entry);
  const textOf = (each: Label) => unescapeMarkdown(parts[each].map(({ text }) => text).join(" "));
  return {
    line,
    end,
    timestamp,
    name,
    decision: textOf("decision"),
    rationale: textOf("rationale"),
    evidence: parts.evidence.map(readEvidence),
    scenarios: parts["test scenarios"].map(({ text }) => unescapeMarkdown(text)),
    by: textOf("decided by"),
    other: parts.other.map(({ text }) => text),
  };
}

function readEvidence({ line, text }: { line: number; text: string }): Evidence {
  const { quote, rest } = splitQuote(text);
  const [from, to] = [rest.indexOf("["), rest.lastIndexOf("]")];
  const reference = from === -1 || to <= from + 1 ? undefined : parseReference(rest.slice(from + 1, to));
  return { line, quote, reference, text };
}

export function unescapeMarkdown(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}

function findUnclosed({ children }: Root, texts: readonly string[]): Notes["unclosed"] {
  const last = children.at(-1);
  if (last?.type !== "code" && last?.type !== "html") return undefined;
  const [line, end] = [firstLine(last), endLine(last)];
  const [first = "", final = ""] = [texts[line]?.trim(), texts[end - 1]?.trim()];
  if (last.type === "html")
    return first.startsWith("<!--") && !last.value.includes("-->") ? { line, what: "comment" } : undefined;
  const [fence = ""] = /^(?:`{3,}|~{3,})/.exec(first) ?? [];
  const isClosed = end > line + 1 && final.startsWith(fence) && /^(?:`+|~+)$/.test(final);
  return fence === "" || isClosed ? undefined : { line, what: "code block" };
}

function findConflicts(texts: readonly string[]): Notes["conflicts"] {
  const found: Notes["conflicts"] = [];
  let from: number | undefined;
  texts.forEach((text, line) => {
    if (/^<{7}(?: |$)/.test(text)) from ??= line;
    else if (/^>{7}(?: |$)/.test(text)) {
      // An end marker alone was left behind by a manual merge.
      found.push({ from: from ?? line, to: line });
      from = undefined;
    }
  });
  if (from !== undefined) found.push({ from, to: texts.length - 1 });
  return found;
}

/** The notes without the entries that merge-conflict markers touch. */
export function withoutConflicts(notes: Notes): Notes {
  const { conflicts } = notes;
  const isWhole = ({ line, end = line + 1 }: { line: number; end?: number }) =>
    !conflicts.some(({ from, to }) => from < end && to >= line);
  const whole = Object.entries(notes.sections).map(([key, { items, entries, table, ...section }]) => [
    key,
    {
      ...section,
      items: items.filter(isWhole),
      entries: entries.filter(isWhole),
      table: table && { ...table, rows: table.rows.filter(isWhole) },
    },
  ]);
  return conflicts.length === 0 ? notes : { ...notes, sections: Object.fromEntries(whole) };
}

export function rowsOf({ sections }: Notes, key: SectionKey): Row[] {
  return sections[key]?.table?.rows ?? [];
}

export function itemsOf({ sections }: Notes, key: SectionKey): Item[] {
  return sections[key]?.items ?? [];
}

/** The decisions, in file order. */
export function entriesOf({ sections }: Notes): Entry[] {
  return sections.decisions?.entries ?? [];
}

/** The newest decisions, oldest first: by timestamp, or by file order if any timestamp is invalid. */
export function newestEntries(notes: Notes, count = Number.POSITIVE_INFINITY): Entry[] {
  const dated = entriesOf(notes).map((entry) => ({ entry, at: Date.parse(entry.timestamp) }));
  if (dated.every(({ at }) => !Number.isNaN(at))) dated.sort((a, b) => a.at - b.at);
  return dated.slice(Math.max(0, dated.length - count)).map(({ entry }) => entry);
}

/** The `**Name**: value` items of the active context, by lower-case name. */
export function contextFields(notes: Notes): Map<string, { value: string; item: Item }> {
  return new Map(
    itemsOf(notes, "context").flatMap((item) => {
      const [, name = "", value = ""] = /^\*\*([^*]+?):?\*\*:?\s*(.*)$/s.exec(item.text) ?? [];
      return name === "" ? [] : [[name.toLowerCase(), { value, item }] as const];
    }),
  );
}
