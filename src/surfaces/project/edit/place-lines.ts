import { oneLine } from "../../../engine/text.ts";
import { HoldfastError } from "../../../errors.ts";
import type { LineEdit } from "../notes-md/lines.ts";
import { listEnd, type Notes, ownEnd, type Section, tableOf } from "../notes-md/parse.ts";
import {
  continuityParts,
  emptyTable,
  newSection,
  type SectionKey,
  sectionKeys,
  sectionNames,
  type TableKey,
  tableColumns,
} from "../notes-md/sections.ts";
import { renderRow } from "../notes-md/table.ts";

/** Adds an item at the end of a section's list. */
export function addItem(notes: Notes, key: SectionKey, text: string): LineEdit {
  const section = openSection(notes, key);
  if (!section) return addSection(notes, key, [text]);
  const at = listEnd(notes, key) ?? lastLine(notes, section.line, ownEnd(notes, section));
  return spaced(notes, at, [text], section);
}

/** Adds a row at the end of a section's table; `values` are by column name. */
export function addRow(notes: Notes, key: TableKey, values: Record<string, string>): LineEdit {
  const section = openSection(notes, key);
  const row = (columns: readonly string[]) =>
    renderRow(columns.map((name) => oneLine(values[name.toLowerCase()] ?? "") || "-"));
  if (!section) return addSection(notes, key, [row(tableColumns[key])]);
  const table = tableOf(notes, key);
  if (!table) {
    const at = lastLine(notes, section.line, ownEnd(notes, section));
    return spaced(notes, at, ["", ...emptyTable(key), row(tableColumns[key])], section);
  }
  const last = table.rows.at(-1)?.line ?? table.header.line + 1;
  return { at: last + 1, remove: 0, insert: [row(table.header.cells.map(({ text }) => text))] };
}

/** Adds lines at the end of a section, after a blank line. */
export function addBlock(notes: Notes, key: SectionKey, lines: string[]): LineEdit {
  const section = openSection(notes, key);
  if (!section) return addSection(notes, key, ["", ...lines]);
  return spaced(notes, lastLine(notes, section.line, section.end), ["", ...lines], section);
}

export function replaceLines(notes: Notes, from: number, to: number, lines: string[]): LineEdit {
  const conflict = notes.conflicts.find((each) => each.from < to && each.to >= from);
  if (conflict) throw conflicted(conflict.from);
  return { at: from, remove: to - from, insert: lines };
}

/** Adds a missing section at its position in the template. */
export function addSection(notes: Notes, key: SectionKey, content: string[]): LineEdit {
  const isPart = continuityParts.includes(key);
  const parent = isPart ? openSection(notes, "continuity") : undefined;
  const heading = isPart && !parent ? [...newSection("continuity"), ""] : [];
  const lines = [...heading, ...newSection(key), ...content];
  const total = notes.lines.texts.length;
  checkOpenEnd(notes, total);
  if (parent) return spaced(notes, lastLine(notes, parent.line, parent.end), ["", ...lines], parent);
  const order = sectionKeys.filter((each) => !continuityParts.includes(each));
  const own = order.indexOf(isPart ? "continuity" : key);
  const before = order
    .slice(0, own)
    .map((each) => notes.sections.get(each))
    .findLast((section) => section !== undefined);
  if (before) return spaced(notes, lastLine(notes, before.line, before.end), ["", ...lines], before);
  const after = order.slice(own + 1).map((each) => notes.sections.get(each));
  const next = after.find((section) => section !== undefined);
  if (next) return { at: next.line, remove: 0, insert: [...lines, ""] };
  const at = lastLine(notes, -1, total);
  return { at, remove: 0, insert: at === 0 ? lines : ["", ...lines] };
}

/** The section; throws if a conflict or an unclosed block makes writing to it unsafe. */
function openSection(notes: Notes, key: SectionKey): Section | undefined {
  const section = notes.sections.get(key);
  if (!section) {
    const conflict = notes.conflicts[0];
    if (conflict) throw conflicted(conflict.from);
    return undefined;
  }
  const conflict = notes.conflicts.find(({ from, to }) => from < section.end && to >= section.line);
  if (conflict) throw conflicted(conflict.from);
  checkOpenEnd(notes, section.end, sectionNames[key]);
  return section;
}

function checkOpenEnd(notes: Notes, before: number, name = "The file"): void {
  const { unclosed } = notes.outline;
  if (!unclosed || unclosed.line >= before) return;
  throw new HoldfastError(
    "conflict",
    `The ${unclosed.what} on line ${unclosed.line + 1} is never closed, so anything added after it would become part of it (${name}). Nothing was changed. Close it and try again.`,
    { data: { line: unclosed.line + 1 } },
  );
}

function conflicted(line: number): HoldfastError {
  return new HoldfastError(
    "conflict",
    `There are merge-conflict markers from line ${line + 1} on. Nothing was changed. Resolve the conflict and try again.`,
    { data: { line: line + 1 } },
  );
}

/** The line after the last non-blank one. */
function lastLine(notes: Notes, from: number, to: number): number {
  let at = to;
  while (at > from + 1 && (notes.lines.texts[at - 1] ?? "").trim() === "") at--;
  return at;
}

/** Keeps a blank line before whatever follows the section. */
function spaced(notes: Notes, at: number, lines: string[], section: Section): LineEdit {
  const next = notes.lines.texts[at];
  const touches = next !== undefined && next.trim() !== "" && at >= ownEnd(notes, section);
  return { at, remove: 0, insert: touches ? [...lines, ""] : lines };
}
