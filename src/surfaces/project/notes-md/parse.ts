import { oneLine } from "../../../engine/text.ts";
import { type Lines, splitLines } from "./lines.ts";
import { type Heading, type Outline, outlineOf } from "./outline.ts";
import { type SectionKey, sectionNames } from "./sections.ts";
import { findTable, type Table } from "./table.ts";

/** From its heading to `end`, the line after its last one. */
export interface Section extends Heading {
  end: number;
}

/** A list item. */
export interface Item {
  line: number;
  /** The line after its own text. */
  textEnd: number;
  /** Undefined if it has no checkbox. */
  done: boolean | undefined;
  /** Its own text on one line, without nested content. */
  text: string;
}

/** An entry of the decision log; `readDecision` parses its content. */
export interface Entry extends Section {
  timestamp: string;
  name: string;
}

/** Parsed NOTES.md; every part knows its lines, counted from 0. */
export interface Notes {
  text: string;
  lines: Lines;
  outline: Outline;
  sections: ReadonlyMap<SectionKey, Section>;
  /** Repeated occurrences of known sections. */
  repeated: [key: SectionKey, section: Section][];
  /** The ranges of merge-conflict markers. */
  conflicts: { from: number; to: number }[];
}

export function parseNotes(text: string): Notes {
  const lines = splitLines(text);
  const outline = outlineOf(lines.texts);
  const sections = new Map<SectionKey, Section>();
  const repeated: Notes["repeated"] = [];
  const titles = new Map(
    Object.entries(sectionNames).map(([key, name]) => [name.toLowerCase(), key as SectionKey]),
  );
  outline.headings.forEach((heading, index) => {
    const key = titles.get(plain(heading.title));
    if (!key) return;
    const section = { ...heading, end: endOf(outline.headings, index, lines.texts.length) };
    if (sections.has(key)) repeated.push([key, section]);
    else sections.set(key, section);
  });
  return { text, lines, outline, sections, repeated, conflicts: findConflicts(lines.texts) };
}

function endOf(headings: readonly Heading[], index: number, last: number): number {
  const level = headings[index]?.level ?? 1;
  for (let next = index + 1; next < headings.length; next++)
    if ((headings[next]?.level ?? 1) <= level) return headings[next]?.line ?? last;
  return last;
}

function plain(title: string): string {
  return oneLine(title.replaceAll(/[*_`]/g, "").replaceAll("&amp;", "&")).toLowerCase();
}

/** Where a section's own content ends: before its first subsection. */
export function ownEnd(notes: Notes, section: Section): number {
  const child = notes.outline.headings.find(({ line }) => line > section.line && line < section.end);
  return child?.line ?? section.end;
}

export function tableOf(notes: Notes, key: SectionKey): Table | undefined {
  const section = notes.sections.get(key);
  return section && findTable(notes.lines.texts, section.line + 1, section.end, notes.outline.inert);
}

const bullet = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/s;

/** The items of a section's lists. Indented content belongs to the item above it. */
export function itemsOf(notes: Notes, key: SectionKey): Item[] {
  const section = notes.sections.get(key);
  if (!section) return [];
  const { texts } = notes.lines;
  const items: Item[] = [];
  const last = ownEnd(notes, section);
  for (let line = section.line + 1; line < last; line++) {
    const [, indent = "", content] = notes.outline.inert.has(line)
      ? []
      : (bullet.exec(texts[line] ?? "") ?? []);
    if (content === undefined || indent.includes("\t") || indent.length >= 2) continue;
    const [, checkbox, rest = ""] = /^(?:\[([ xX])\](?:[ \t]+|$))?(.*)$/s.exec(content) ?? [];
    const item = {
      line,
      textEnd: line + 1,
      done: checkbox === undefined ? undefined : checkbox !== " ",
      text: rest.trim(),
    };
    while (item.textEnd < last && continues(notes, item.textEnd)) {
      item.text = `${item.text} ${(texts[item.textEnd] ?? "").trim()}`.trim();
      item.textEnd++;
    }
    item.text = oneLine(item.text);
    items.push(item);
  }
  return items;
}

/** Whether a line continues the item above it. */
function continues(notes: Notes, line: number): boolean {
  const text = notes.lines.texts[line] ?? "";
  return text.trim() !== "" && !notes.outline.inert.has(line) && !bullet.test(text) && !/^\s*[|>]/.test(text);
}

/** The line after the last item of a section, including its nested content. */
export function listEnd(notes: Notes, key: SectionKey): number | undefined {
  const section = notes.sections.get(key);
  const last = itemsOf(notes, key).at(-1);
  if (!section || !last) return undefined;
  let end = last.textEnd;
  for (let line = end; line < ownEnd(notes, section); line++) {
    const text = notes.lines.texts[line] ?? "";
    if (text.trim() === "") continue;
    if (!/^(?:\t| {2,})/.test(text)) break;
    end = line + 1;
  }
  return end;
}

/** The entries of the decision log, in file order. */
export function entriesOf(notes: Notes): Entry[] {
  const log = notes.sections.get("decisions");
  if (!log) return [];
  const inside = notes.outline.headings.filter(({ line }) => line > log.line && line < log.end);
  const level = Math.min(...inside.map((heading) => heading.level));
  const own = inside.filter((heading) => heading.level === level);
  return own.map((heading, index) => {
    const [, timestamp = "", name = ""] = /^(?=\S*\d)(\S{1,40})\s{1,9}[-–—:]\s*(.*)$/.exec(heading.title) ?? [
      "",
      "",
      heading.title,
    ];
    return { ...heading, end: own[index + 1]?.line ?? log.end, timestamp, name };
  });
}

/** The newest decisions, oldest first: by timestamp, or by file order if any timestamp is invalid. */
export function newestEntries(entries: readonly Entry[], count: number): Entry[] {
  const dated = entries.map((entry, index) => ({ entry, index, at: Date.parse(entry.timestamp) }));
  const known = dated.every(({ at }) => !Number.isNaN(at));
  return dated
    .sort((a, b) => (known ? a.at - b.at : 0) || a.index - b.index)
    .slice(Math.max(0, dated.length - count))
    .map(({ entry }) => entry);
}

/** The `**Name**: value` items of the active context. */
export function contextFields(notes: Notes): Map<string, { value: string; item: Item }> {
  const fields = new Map<string, { value: string; item: Item }>();
  for (const item of itemsOf(notes, "context")) {
    const field = fieldOf(item.text);
    if (field) fields.set(field.name.toLowerCase(), { value: field.value, item });
  }
  return fields;
}

/** Splits `**Name**: value`; the colon may be before or after the asterisks. */
function fieldOf(text: string): { name: string; value: string } | undefined {
  const end = text.startsWith("**") ? text.indexOf("**", 3) : -1;
  if (end === -1) return undefined;
  const name = text.slice(2, end);
  const value = text
    .slice(end + 2)
    .replace(/^:/, "")
    .trimStart();
  return { name: name.length > 1 && name.endsWith(":") ? name.slice(0, -1) : name, value };
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
