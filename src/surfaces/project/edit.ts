import { isLongerThan, oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { holdLock, type NotesFile, readNotesFile, textOf, writeNotesFile } from "./file.ts";
import {
  applyLineEdits,
  type Cell,
  itemsOf,
  type LineEdit,
  type Notes,
  parseNotes,
  type Section,
  tableOf,
} from "./notes.ts";
import {
  continuityParts,
  emptyTable,
  newSection,
  type SectionKey,
  sectionKeys,
  sectionNames,
  type TableKey,
  tableColumns,
} from "./template.ts";

/** The edits of an operation, planned on the current file. */
export interface Planned<T> {
  edits: LineEdit[];
  result: T;
}

export function readNotes(file: NotesFile): Notes | undefined {
  const found = readNotesFile(file);
  return found && parseNotes(found.bytes.toString("utf8"));
}

/** The notes; throws an error with the command that creates them. */
export function existingNotes(file: NotesFile): Notes {
  const notes = readNotes(file);
  if (notes) return notes;
  throw new HoldfastError(
    "not_found",
    `There is no ${file.name} in ${file.root}. Run "holdfast project init" to create it.`,
    { data: { path: file.path } },
  );
}

/** Editors take no lock: if one wrote in the meantime, the change is planned again. */
const maxAttempts = 5;

/** Locks, rereads, plans and writes, so that concurrent writers take turns and see each other's changes. */
export function changeNotes<T>(file: NotesFile, plan: (notes: Notes) => Planned<T>): T {
  return holdLock(file, () => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const notes = existingNotes(file);
      const { edits, result } = plan(notes);
      const after = applyLineEdits(notes.lines, edits);
      if (after === notes.text) return result;
      const bytes = readNotesFile(file)?.bytes ?? Buffer.alloc(0);
      if (bytes.toString("utf8") !== notes.text) continue;
      textOf(file, bytes);
      writeNotesFile(file, after);
      return result;
    }
    throw new HoldfastError(
      "conflict",
      `Another program keeps writing to ${file.name}. Nothing was changed; try again.`,
    );
  });
}

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

/** Escapes the start of a text that follows nothing but a bullet, where it could start a block. */
export function escapeStart(text: string): string {
  return text.replace(/^(?=[-+*#>=|~`<_[:])/, "\\").replace(/^(\d{1,9})(?=[.)])/, "$1\\");
}

function escapePipes(text: string): string {
  return text.replaceAll(/(?<!\\)(\\*)\|/g, "$1$1\\|");
}

function renderRow(cells: readonly string[]): string {
  return `| ${cells.map(escapePipes).join(" | ")} |`;
}

/** Replaces one cell of a row without changing any other byte. */
export function replaceCell(line: string, cell: Cell, value: string): string {
  return `${line.slice(0, cell.from)} ${escapePipes(value)} ${line.slice(cell.to)}`;
}

/** Adds an item at the end of a section's list. */
export function addItem(notes: Notes, key: SectionKey, text: string): LineEdit {
  const section = openSection(notes, key);
  if (!section) return addSection(notes, key, [text]);
  const at = itemsOf(notes, key).at(-1)?.end ?? afterText(notes, section.line, section.ownEnd);
  return spaced(notes, at, [text], section);
}

/** Adds rows at the end of a section's table; values are by lower-case column name. */
export function addRows(
  notes: Notes,
  key: TableKey,
  values: readonly Readonly<Record<string, string>>[],
): LineEdit {
  const section = openSection(notes, key);
  const rows = (columns: readonly string[]) =>
    values.map((row) => renderRow(columns.map((name) => oneLine(row[name.toLowerCase()] ?? "") || "-")));
  if (!section) return addSection(notes, key, rows(tableColumns[key]));
  const table = tableOf(notes, key);
  if (table) return { at: table.end, remove: 0, insert: rows(table.header.cells.map(({ text }) => text)) };
  const at = afterText(notes, section.line, section.ownEnd);
  return spaced(notes, at, ["", ...emptyTable(key), ...rows(tableColumns[key])], section);
}

/** Adds lines at the end of a section, after a blank line. */
export function addBlock(notes: Notes, key: SectionKey, lines: string[]): LineEdit {
  const section = openSection(notes, key);
  if (!section) return addSection(notes, key, ["", ...lines]);
  return spaced(notes, afterText(notes, section.line, section.end), ["", ...lines], section);
}

/** The line, from 1, of the last line that an edit adds. */
export function lastAdded({ at, insert }: LineEdit): number {
  return at + insert.findLastIndex((line) => line !== "") + 1;
}

export function replaceLines(notes: Notes, from: number, to: number, insert: string[]): LineEdit {
  const conflict = notes.conflicts.find((each) => each.from < to && each.to >= from);
  if (conflict) throw conflicted(conflict.from);
  return { at: from, remove: to - from, insert };
}

/** Adds a missing section at its position in the template. */
export function addSection(notes: Notes, key: SectionKey, content: string[]): LineEdit {
  const isPart = continuityParts.includes(key);
  const parent = isPart ? openSection(notes, "continuity") : undefined;
  const heading = isPart && !parent ? [...newSection("continuity"), ""] : [];
  const lines = [...heading, ...newSection(key), ...content];
  const total = notes.lines.texts.length;
  checkOpenEnd(notes, total);
  if (parent) return spaced(notes, afterText(notes, parent.line, parent.end), ["", ...lines], parent);
  const order = sectionKeys.filter((each) => !continuityParts.includes(each));
  const own = order.indexOf(isPart ? "continuity" : key);
  const sections = order.map((each) => notes.sections.get(each));
  const before = sections.slice(0, own).findLast((section) => section !== undefined);
  if (before) return spaced(notes, afterText(notes, before.line, before.end), ["", ...lines], before);
  const next = sections.slice(own + 1).find((section) => section !== undefined);
  if (next) return { at: next.line, remove: 0, insert: [...lines, ""] };
  const at = afterText(notes, -1, total);
  return { at, remove: 0, insert: at === 0 ? lines : ["", ...lines] };
}

/** The section; throws if a conflict or an unclosed block makes writing to it unsafe. */
function openSection(notes: Notes, key: SectionKey): Section | undefined {
  const section = notes.sections.get(key);
  if (!section && notes.conflicts[0]) throw conflicted(notes.conflicts[0].from);
  if (!section) return undefined;
  const conflict = notes.conflicts.find(({ from, to }) => from < section.end && to >= section.line);
  if (conflict) throw conflicted(conflict.from);
  checkOpenEnd(notes, section.end, sectionNames[key]);
  return section;
}

function checkOpenEnd({ unclosed }: Notes, before: number, name = "The file"): void {
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
function afterText({ lines }: Notes, from: number, to: number): number {
  let at = to;
  while (at > from + 1 && (lines.texts[at - 1] ?? "").trim() === "") at--;
  return at;
}

/** Keeps a blank line before whatever follows the section. */
function spaced(notes: Notes, at: number, lines: string[], section: Section): LineEdit {
  const next = notes.lines.texts[at];
  const touches = next !== undefined && next.trim() !== "" && at >= section.ownEnd;
  return { at, remove: 0, insert: touches ? [...lines, ""] : lines };
}
