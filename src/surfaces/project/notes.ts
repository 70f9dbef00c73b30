import type { Heading, ListItem, Root, RootContent, Table as TableNode } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { oneLine } from "../../engine/text.ts";
import { findCodeSpans, parseReference, type Reference, spanText } from "./references.ts";
import { type SectionKey, sectionNames } from "./template.ts";

/** A text split into lines with their line ends; joining them restores the text. */
export interface Lines {
  texts: string[];
  /** "\n", "\r\n" or "\r"; "" for a last line without a line end. */
  ends: string[];
}

/** One change: replaces `remove` lines at line `at` (from 0) with `insert`. */
export interface LineEdit {
  at: number;
  remove: number;
  insert: string[];
}

export function splitLines(text: string): Lines {
  const texts: string[] = [];
  const ends: string[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    texts.push(text.slice(start, match.index));
    ends.push(match[0]);
    start = match.index + match[0].length;
  }
  if (start < text.length) {
    texts.push(text.slice(start));
    ends.push("");
  }
  return { texts, ends };
}

export function joinLines({ texts, ends }: Lines): string {
  return texts.map((text, line) => text + ends[line]).join("");
}

/** Applies non-overlapping edits; every byte outside the edited lines is unchanged. */
export function applyLineEdits(lines: Lines, edits: readonly LineEdit[]): string {
  const texts = [...lines.texts];
  const ends = [...lines.ends];
  const usual = commonLineEnd(lines);
  // From the end, so that line numbers stay valid; edits at the same line keep their order.
  for (const { at, remove, insert } of edits.toReversed().sort((a, b) => b.at - a.at)) {
    const neighbour = ends[at] || ends[at - 1] || usual;
    const inserted = insert.map(() => neighbour);
    const isLast = at + remove >= texts.length;
    // A file without a final line end stays that way.
    if (isLast && texts.length > 0 && ends.at(-1) === "" && insert.length > 0) {
      inserted[inserted.length - 1] = "";
      if (at > 0 && ends[at - 1] === "") ends[at - 1] = usual;
    }
    texts.splice(at, remove, ...insert);
    ends.splice(at, remove, ...inserted);
  }
  return joinLines({ texts, ends });
}

/** The most common line end of the file. */
function commonLineEnd({ ends }: Lines): string {
  const counts = new Map<string, number>();
  for (const end of ends) if (end !== "") counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "\n";
}

/** From its heading to `end`, the line after its last one; its own content ends before its first subsection. */
export interface Section {
  line: number;
  level: number;
  title: string;
  end: number;
  ownEnd: number;
}

/** A list item. */
export interface Item {
  line: number;
  /** The line after its own text. */
  textEnd: number;
  /** The line after its nested content. */
  end: number;
  /** Undefined if it has no checkbox. */
  done: boolean | undefined;
  /** Its own text on one line, without nested content. */
  text: string;
}

/** A cell and its position in the line, between the pipes. */
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
  rows: Row[];
  /** The line after the last one. */
  end: number;
}

/** An entry of the decision log; `readDecision` reads its content. */
export interface Entry {
  line: number;
  end: number;
  timestamp: string;
  name: string;
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

export interface Decision {
  decision: string;
  rationale: string;
  evidence: Evidence[];
  scenarios: string[];
  by: string;
  /** All other lines. */
  other: string[];
}

/** Parsed NOTES.md; every part knows its lines, counted from 0. */
export interface Notes {
  text: string;
  lines: Lines;
  tree: Root;
  headings: Section[];
  sections: ReadonlyMap<SectionKey, Section>;
  /** Repeated occurrences of known sections. */
  repeated: [key: SectionKey, section: Section][];
  /** The ranges of merge-conflict markers. */
  conflicts: { from: number; to: number }[];
  /** A code block or comment that is never closed, with its first line. */
  unclosed: { line: number; what: string } | undefined;
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

/** The newest file that was parsed: one call reads the same text several times. */
let latest: Notes | undefined;

export function parseNotes(text: string): Notes {
  if (latest?.text === text) return latest;
  const lines = splitLines(text);
  const readable = lines.texts.map((line) =>
    line.length > maxLineLength || nestedDeeply.test(line) ? "" : line,
  );
  const tree = fromMarkdown(readable.join("\n").replace(/^\uFEFF/, " "), {
    extensions: [gfmTable(), { disable: { null: disabled } }],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  const headings = headingsOf(tree, lines.texts);
  const sections = new Map<SectionKey, Section>();
  const repeated: Notes["repeated"] = [];
  for (const heading of headings) {
    const key = keyOf(heading.title);
    if (key === undefined) continue;
    if (sections.has(key)) repeated.push([key, heading]);
    else sections.set(key, heading);
  }
  const conflicts = findConflicts(lines.texts);
  latest = {
    text,
    lines,
    tree,
    headings,
    sections,
    repeated,
    conflicts,
    unclosed: findUnclosed(tree, lines.texts),
  };
  return latest;
}

const firstLine = (node: RootContent) => (node.position?.start.line ?? 1) - 1;
/** The line after the last one of a node. */
const endLine = (node: RootContent) => node.position?.end.line ?? 0;

function headingsOf(tree: Root, texts: readonly string[]): Section[] {
  const found = tree.children.filter((node): node is Heading => node.type === "heading");
  return found.map((node, index) => {
    const line = firstLine(node);
    const source = (texts[line] ?? "").replace(/^\uFEFF?\s{0,4}#{1,6}\s*/, "");
    const next = found[index + 1];
    const after = found.find((each, at) => at > index && each.depth <= node.depth);
    return {
      line,
      level: node.depth,
      title: source.replace(/(?:^|\s)#{1,6}\s*$/, "").trim(),
      end: after ? firstLine(after) : texts.length,
      ownEnd: next ? firstLine(next) : texts.length,
    };
  });
}

const keys = new Map(
  Object.entries(sectionNames).map(([key, name]) => [name.toLowerCase(), key as SectionKey]),
);

function keyOf(title: string): SectionKey | undefined {
  return keys.get(oneLine(title.replaceAll(/[*_`]/g, "").replaceAll("&amp;", "&")).toLowerCase());
}

/** The blocks between two lines. */
function blocksIn({ tree }: Notes, from: number, to: number): RootContent[] {
  return tree.children.filter((node) => firstLine(node) >= from && firstLine(node) < to);
}

function ownBlocks(notes: Notes, key: SectionKey): RootContent[] {
  const section = notes.sections.get(key);
  return section ? blocksIn(notes, section.line + 1, section.ownEnd) : [];
}

/** The first table of a section. */
export function tableOf(notes: Notes, key: SectionKey): Table | undefined {
  const node = ownBlocks(notes, key).find((each): each is TableNode => each.type === "table");
  if (!node) return undefined;
  const [header, ...rows] = node.children.map((row): Row => {
    const line = (row.position?.start.line ?? 1) - 1;
    const text = notes.lines.texts[line] ?? "";
    const cells = row.children.map(({ position }) =>
      cellAt(text, (position?.start.column ?? 1) - 1, (position?.end.column ?? 1) - 1),
    );
    return { line, cells };
  });
  return header && { header, rows, end: endLine(node) };
}

/** A cell of the parser has the pipe before it, and the last cell also the pipe after it. */
function cellAt(text: string, start: number, end: number): Cell {
  const from = text[start] === "|" ? start + 1 : start;
  const inside = text.slice(from, end).trimEnd();
  const isClosed = /(?<!\\)(?:\\\\)*\|$/.test(inside) && inside.length > 0;
  const to = isClosed ? from + inside.length - 1 : end;
  return { text: unescapePipes(text.slice(from, to).trim()), from, to };
}

function unescapePipes(text: string): string {
  return text.replaceAll(
    /(?<!\\)(\\+)\|/g,
    (_, slashes: string) => `${slashes.slice(0, slashes.length >> 1)}|`,
  );
}

/** The index of the first column with one of the lower-case names; -1 if there is none. */
export function columnOf(table: Table | undefined, ...names: string[]): number {
  return table?.header.cells.findIndex(({ text }) => names.includes(text.toLowerCase())) ?? -1;
}

/** The text of a row under a column; "" if there is none. */
export function cellIn(table: Table, row: Row, column: string): string {
  return row.cells[columnOf(table, column)]?.text ?? "";
}

const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const checkbox = /^\[([ xX])\](?:[ \t]+|$)/;

/** The items of a section's lists. Nested content belongs to the item above it. */
export function itemsOf(notes: Notes, key: SectionKey): Item[] {
  return ownBlocks(notes, key).flatMap((node) =>
    node.type === "list" ? node.children.map((item) => itemAt(notes, item)) : [],
  );
}

function itemAt({ lines }: Notes, node: ListItem): Item {
  const line = (node.position?.start.line ?? 1) - 1;
  const [first] = node.children;
  const textEnd = first?.type === "paragraph" ? endLine(first) : line + 1;
  const [start = "", ...rest] = lines.texts.slice(line, textEnd);
  const content = start.replace(bullet, "");
  const box = checkbox.exec(content);
  return {
    line,
    textEnd,
    end: Math.max(textEnd, node.position?.end.line ?? 0),
    done: box ? box[1] !== " " : undefined,
    text: oneLine([box ? content.slice(box[0].length) : content, ...rest].join(" ")),
  };
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

/** The entries of the decision log, in file order. */
export function entriesOf(notes: Notes): Entry[] {
  const log = notes.sections.get("decisions");
  if (!log) return [];
  const inside = notes.headings.filter(({ line }) => line > log.line && line < log.end);
  const level = Math.min(...inside.map((heading) => heading.level));
  return inside
    .filter((heading) => heading.level === level)
    .map(({ line, end, title }) => {
      const [, timestamp = "", name = title] = /^(?=\S*\d)(\S{1,40})\s{1,9}[-–—:]\s*(.*)$/.exec(title) ?? [];
      return { line, end, timestamp, name };
    });
}

/** The newest decisions, oldest first: by timestamp, or by file order if any timestamp is invalid. */
export function newestEntries(entries: readonly Entry[], count: number): Entry[] {
  const dated = entries.map((entry) => ({ entry, at: Date.parse(entry.timestamp) }));
  if (dated.every(({ at }) => !Number.isNaN(at))) dated.sort((a, b) => a.at - b.at);
  return dated.slice(Math.max(0, dated.length - count)).map(({ entry }) => entry);
}

const labels = ["decision", "rationale", "evidence", "test scenarios", "decided by"] as const;
type Label = (typeof labels)[number] | "other";

const labelled = /^(?:\*\*|__)([A-Za-z ]{1,40}):?(?:\*\*|__):?[ \t]*(.*)$/s;

/** Reads the parts of an entry: a label starts one, in a paragraph or in a list. */
export function readDecision(notes: Notes, entry: Entry): Decision {
  const parts: Record<Label, { line: number; text: string }[]> = {
    decision: [],
    rationale: [],
    evidence: [],
    "test scenarios": [],
    "decided by": [],
    other: [],
  };
  let label: Label = "other";
  const read = (node: RootContent, inList: boolean): void => {
    if (node.type === "list" || node.type === "listItem") {
      for (const child of node.children) read(child, true);
      return;
    }
    const first = firstLine(node);
    for (let line = first; line < endLine(node); line++) {
      const source = notes.lines.texts[line] ?? "";
      const text = (inList && line === first ? source.replace(bullet, "") : source).trim();
      const [, name, rest = ""] = node.type === "html" ? [] : (labelled.exec(text) ?? []);
      const known = labels.find((each) => each === name?.toLowerCase());
      // An item may begin with bold words of its own.
      if (known || (name !== undefined && !inList)) label = known ?? "other";
      const part = parts[node.type === "html" ? "other" : label];
      const content = known ? rest.trim() : text;
      const last = part.at(-1);
      if (content === "") continue;
      if (last && inList && line > first && !known) last.text = `${last.text} ${content}`;
      else part.push({ line, text: content });
    }
  };
  for (const node of blocksIn(notes, entry.line + 1, entry.end)) read(node, false);
  const textOf = (name: Label) => unescapeMarkdown(parts[name].map(({ text }) => text).join(" "));
  return {
    decision: textOf("decision"),
    rationale: textOf("rationale"),
    evidence: parts.evidence.map(readEvidence),
    scenarios: parts["test scenarios"].map(({ text }) => unescapeMarkdown(text)),
    by: textOf("decided by"),
    other: parts.other.map(({ text }) => text),
  };
}

function readEvidence({ line, text }: { line: number; text: string }): Evidence {
  const [span] = text.startsWith("`") ? findCodeSpans(text) : [];
  const quoted = span?.from === 0 ? span : undefined;
  const rest = quoted ? text.slice(quoted.to) : text;
  const [from, to] = [rest.indexOf("["), rest.lastIndexOf("]")];
  return {
    line,
    quote: quoted && spanText(quoted.inside),
    reference: from === -1 || to <= from + 1 ? undefined : parseReference(rest.slice(from + 1, to)),
    text,
  };
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
