import { oneLine } from "../../engine/text.ts";
import { emptyTable, layout, newSection, type SectionKey, sectionKeys, type Values } from "./layout.ts";
import type { Notes, Row } from "./notes.ts";
import { refusal } from "./refusal.ts";

/** Replaces `remove` lines at line `at` (from 0) with `insert`. */
export interface Edit {
  at: number;
  remove: number;
  insert: string[];
  /** The line of its entry in the new file: before it come the lines that the entry needs around it. */
  entry: number;
}

/** The edits of an operation, planned on the current file. */
export interface Planned<T> {
  edits: Edit[];
  result: T;
}

const lineEnd = /\r\n$|\n$|\r$/;

/** Applies edits that do not overlap. Every byte outside the edited lines stays. */
export function applyEdits(notes: Notes, edits: readonly Edit[]): string {
  const lines = [...notes.lines];
  const endOf = (line = "") => lineEnd.exec(line)?.[0];
  const usual = endOf(lines[0]) ?? "\n";
  const last = lines.at(-1);
  // A file without a final line end stays that way.
  const isOpen = last !== undefined && endOf(last) === undefined;
  if (isOpen) lines[lines.length - 1] = last + (endOf(lines.at(-2)) ?? usual);
  // From the end, so that line numbers stay valid; edits at the same line keep their order.
  for (const { at, remove, insert } of edits.toReversed().sort((a, b) => b.at - a.at)) {
    const end = endOf(lines[at]) ?? endOf(lines[at - 1]) ?? usual;
    lines.splice(at, remove, ...insert.map((text) => text + end));
  }
  const text = lines.join("");
  return isOpen ? text.replace(lineEnd, "") : text;
}

/** Replaces lines; throws if they are not safe to write to. */
export function replaceLines(notes: Notes, from: number, to: number, insert: string[]): Edit {
  checkWritable(notes, from, to);
  return { at: from, remove: to - from, insert, entry: from };
}

/** Nothing is written into a conflict, or after a block that would swallow it. */
function checkWritable({ conflicts, unclosed }: Notes, from: number, to: number): void {
  const conflict = conflicts.find((each) => each.from < to && each.to >= from);
  if (conflict) {
    const line = conflict.from + 1;
    const problem = `There are merge-conflict markers from line ${line} on`;
    throw refusal("conflict", problem, "Resolve the conflict and try again", { line });
  }
  if (!unclosed || unclosed.line >= to) return;
  const line = unclosed.line + 1;
  const problem = `The ${unclosed.what} on line ${line} is never closed, so anything added after it would become part of it`;
  throw refusal("conflict", problem, "Close it and try again", { line });
}

/** Adds lines at the end of a section's list or text. A missing section is added with them. */
export function addLines(notes: Notes, key: SectionKey, lines: readonly string[]): Edit {
  const section = notes.sections[key];
  const isLog = key === "decisions";
  const above = isLog ? [""] : [];
  if (!section) return addSection(notes, key, [...newSection(key), ...above], lines);
  checkWritable(notes, section.line, section.end);
  const list = isLog ? undefined : section.items.at(-1)?.end;
  const at = list ?? endOfText(notes, section.line, isLog ? section.end : section.ownEnd);
  return insertAt(notes, at, above, lines);
}

/** Adds rows at the end of a section's table. */
export function addRows(notes: Notes, key: SectionKey, values: readonly Values[]): Edit {
  const section = notes.sections[key];
  const columns = layout[key].columns ?? [];
  const names = section?.table?.columns ?? columns.map(({ name }) => name.toLowerCase());
  const rows = values.map((row) => renderRow(names.map((name) => oneLine(valueIn(row, name) ?? "") || "-")));
  if (!section) return addSection(notes, key, newSection(key), rows);
  checkWritable(notes, section.line, section.end);
  if (section.table) return { at: section.table.end, remove: 0, insert: rows, entry: section.table.end };
  const at = endOfText(notes, section.line, section.ownEnd);
  return insertAt(notes, at, ["", ...emptyTable(columns)], rows);
}

/** Adds a missing section at its place in the template. */
export function addSection(
  notes: Notes,
  key: SectionKey,
  section: readonly string[],
  content: readonly string[],
): Edit {
  checkWritable(notes, 0, notes.texts.length);
  const { sections, texts } = notes;
  const parent = layout[key].isPart ? "continuity" : undefined;
  if (parent && !sections[parent])
    return addSection(notes, parent, [...newSection(parent), "", ...section], content);
  const own = sectionKeys.indexOf(parent ?? key);
  const wholeIn = (keys: readonly SectionKey[]) =>
    keys.flatMap((each) => (layout[each].isPart ? [] : (sections[each] ?? [])));
  const before = parent ? sections[parent] : wholeIn(sectionKeys.slice(0, own)).at(-1);
  const [after] = wholeIn(sectionKeys.slice(own));
  // Nothing can come before a byte-order mark.
  if (!before && after && !texts[after.line]?.startsWith("\uFEFF"))
    return insertAt(notes, after.line, section, content);
  const at = endOfText(notes, before?.line ?? -1, before?.end ?? texts.length);
  return insertAt(notes, at, at === 0 ? section : ["", ...section], content);
}

/** Inserts `content` below `above`, with a blank line before a heading that follows. */
function insertAt({ texts }: Notes, at: number, above: readonly string[], content: readonly string[]): Edit {
  const below = /^ {0,3}#/.test(texts[at] ?? "") ? [""] : [];
  return { at, remove: 0, insert: [...above, ...content, ...below], entry: at + above.length };
}

/** The line, from 1, that an edit's entry has after all edits. */
export function lineOf(edit: Edit, edits: readonly Edit[] = [edit]): number {
  const above = edits.filter((each) => each !== edit && each.at <= edit.at);
  return above.reduce((line, { insert, remove }) => line + insert.length - remove, edit.entry + 1);
}

/** The line after the last non-blank one. */
function endOfText({ texts }: Notes, from: number, to: number): number {
  let at = to;
  while (at > from + 1 && (texts[at - 1] ?? "").trim() === "") at--;
  return at;
}

/** A person may call a column "Constructor". */
function valueIn(values: Values, column: string): string | undefined {
  return Object.hasOwn(values, column) ? values[column] : undefined;
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.map(escapePipes).join(" | ")} |`;
}

function escapePipes(text: string): string {
  return text.replaceAll(/(?<!\\)(\\*)\|/g, "$1$1\\|");
}

/** Replaces cells of a row; every other byte of its line stays. */
export function setCells(notes: Notes, { line, cells }: Row, values: Values): Edit {
  const text = cells.reduceRight((rest, { column, from, to }) => {
    const value = valueIn(values, column);
    return value === undefined ? rest : `${rest.slice(0, from)} ${escapePipes(value)} ${rest.slice(to)}`;
  }, notes.texts[line] ?? "");
  return replaceLines(notes, line, line + 1, [text]);
}

/** Escapes the start of a text that follows nothing but a bullet, where it could start a block. */
export function escapeStart(text: string): string {
  return text.replace(/^(?=[-+*#>=|~`<_[:])/, "\\").replace(/^(\d{1,9})(?=[.)])/, "$1\\");
}
