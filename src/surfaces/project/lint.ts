import { quote } from "../../engine/text.ts";
import { badLine, readNotesFile } from "./file.ts";
import { committedNotes } from "./git.ts";
import {
  type Form,
  isTimestamp,
  layout,
  type SectionKey,
  type SectionLayout,
  sectionKeys,
  timestampForm,
} from "./layout.ts";
import { insideProject } from "./location.ts";
import {
  contextFields,
  type Entry,
  entriesOf,
  type Notes,
  parseNotes,
  type Row,
  rowsOf,
  type Section,
} from "./notes.ts";
import { existingNotes, type Project } from "./project.ts";
import { rootPrefix } from "./references.ts";
import { type CheckedReference, checkReferences, describeStale } from "./verify.ts";

export type RuleId =
  | Form["rule"]
  | "readable"
  | "section"
  | "table"
  | "decision"
  | "path-root"
  | "stale-reference"
  | "append-only-log"
  | "token-budget";

/** A rule violation. Lines count from 1. */
export interface Finding {
  rule: RuleId;
  line: number;
  message: string;
}

export interface LintReport {
  /** The file's path from the project's root. */
  file: string;
  findings: Finding[];
  /** Rules that could not be checked, and why. */
  skipped: { rule: string; reason: string }[];
}

/** Adds a finding; `line` counts from 0, as in the parsed notes. */
type Report = (rule: RuleId, line: number, message: string) => void;

/** All findings in the notes, by line. */
export async function lintProject(project: Project): Promise<LintReport> {
  const { file } = project;
  const notes = existingNotes(project);
  const findings: Finding[] = [];
  const report: Report = (rule, line, message) => findings.push({ rule, line: line + 1, message });
  checkReadable(notes, readNotesFile(file), report);
  for (const key of sectionKeys) checkSection(notes, key, project, report);
  for (const { key, line } of notes.repeated)
    report("section", line, `"${layout[key].title}" appears twice; only the first one is read. Merge them.`);
  checkRepeatedIds(notes, report);
  for (const entry of entriesOf(notes)) checkDecision(notes, entry, report);
  for (const reference of checkReferences(project, notes)) checkReference(file.root, reference, report);
  const committed = committedNotes(file);
  const skipped = "none" in committed ? [{ rule: "append-only-log", reason: committed.none }] : [];
  if ("text" in committed) checkAppendOnly(notes, committed.text, report);
  return { file: file.name, findings: findings.sort((a, b) => a.line - b.line), skipped };
}

function checkReadable(
  { texts, conflicts, unclosed }: Notes,
  bytes: Buffer | undefined,
  report: Report,
): void {
  const bad = bytes && badLine(bytes);
  if (bad !== undefined) report("readable", bad - 1, "The line is not valid UTF-8. Save the file as UTF-8.");
  const nul = texts.findIndex((text) => text.includes("\u0000"));
  if (nul !== -1) report("readable", nul, "The line contains a NUL character. Remove it.");
  for (const { from, to } of conflicts)
    report("readable", from, `There are merge-conflict markers up to line ${to + 1}. Resolve the conflict.`);
  if (unclosed)
    report("readable", unclosed.line, `A ${unclosed.what} starts here and is never closed. Close it.`);
}

/** Checks that a section is as its layout describes it. */
function checkSection(notes: Notes, key: SectionKey, project: Project, report: Report): void {
  const { title, columns, fields = [], items } = layout[key];
  const section = notes.sections[key];
  if (!section) {
    const last = Object.keys(notes.sections).length === 0 ? 0 : Math.max(0, notes.texts.length - 1);
    report("section", last, `The section "${title}" is missing.`);
    return;
  }
  if (columns) checkTable(notes, section, layout[key], report);
  for (const item of section.items) checkForm(items, item, item, report);
  const known = contextFields(notes);
  for (const { name, form } of fields) {
    const { value = "", item } = known.get(name.toLowerCase()) ?? {};
    if (item) checkForm(form, value, { line: item.line, text: value }, report);
  }
  checkBudget(notes, section, layout[key], project, report);
}

function checkForm<Value>(
  form: Form<Value> | undefined,
  value: Value,
  { line, text }: { line: number; text: string },
  report: Report,
): void {
  if (form && !form.matches(value)) report(form.rule, line, `${quote(text)} ${form.problem}.`);
}

function checkTable(
  { texts }: Notes,
  { line, ownEnd, table }: Section,
  { title, columns = [] }: SectionLayout,
  report: Report,
): void {
  if (!table) {
    const names = columns.map(({ name }) => name).join(", ");
    report("table", line, `"${title}" has no table with the columns ${names}.`);
    return;
  }
  const width = table.columns.length;
  for (const { name } of columns)
    if (!table.columns.includes(name.toLowerCase()))
      report("table", table.line, `The table has no column "${name}".`);
  for (const { line: at, cells } of table.rows) {
    const hint = cells.length > width ? " Write a pipe inside a cell as \\|." : "";
    if (cells.length !== width)
      report("table", at, `The row has ${cells.length} cells but the table has ${width} columns.${hint}`);
    for (const { column, text } of cells) {
      const { form } = columns.find(({ name }) => name.toLowerCase() === column) ?? {};
      checkForm(form, text, { line: at, text }, report);
    }
  }
  for (let at = table.end; at < ownEnd; at++)
    if (/^\s*\|.*\|\s*$/.test(texts[at] ?? ""))
      report("table", at, "The row is separated from its table. Remove the lines between them.");
}

/** Checks each row or open item, or else the section's own text. */
function checkBudget(
  { texts }: Notes,
  { line, ownEnd, table, items }: Section,
  { title, columns, items: form, budget }: SectionLayout,
  { countTokens }: Project,
  report: Report,
): void {
  if (budget === undefined) return;
  const check = (at: number, text: string, name: string) => {
    // A token has at least one character, and the start is enough to see that a text is far too long.
    const tokens = text.length > budget / 3 ? countTokens(text.slice(0, 20_000)) : 0;
    const message = `${name} takes ${tokens} tokens; the limit is ${budget}. Shorten it; level 1 cuts it.`;
    if (tokens > budget) report("token-budget", at, message);
  };
  if (columns) for (const row of table?.rows ?? []) check(row.line, texts[row.line] ?? "", "The row");
  else if (form) for (const item of items) check(item.line, item.done ? "" : item.text, "The item");
  else {
    const own = texts.slice(line + 1, ownEnd).filter((each) => !/^\s*<!--.*-->\s*$/.test(each));
    check(line, own.join("\n").trim(), `"${title}"`);
  }
}

function checkRepeatedIds(notes: Notes, report: Report): void {
  const seen = new Map<string, number>();
  for (const { line, values } of rowsOf(notes, "debt")) {
    const { id = "" } = values;
    const first = seen.get(id);
    if (first === undefined) seen.set(id, line);
    else if (id !== "")
      report("debt-id", line, `Line ${first + 1} already uses ${id}. Give this row another id.`);
  }
}

const headingForm: Form = { ...timestampForm, matches: isTimestamp };

function checkDecision({ texts }: Notes, entry: Entry, report: Report): void {
  const { timestamp, decision, rationale, evidence, scenarios } = entry;
  const missing = [
    timestamp === "" && "a timestamp",
    decision === "" && "a decision",
    rationale === "" && "a rationale",
    evidence.length === 0 && "evidence",
    scenarios.length < 3 && `${3 - scenarios.length} of three test scenarios`,
  ].filter((each) => each !== false);
  if (missing.length > 0) report("decision", entry.line, `The decision is missing ${missing.join(", ")}.`);
  // A date and a time with a space between them are not one word.
  const [, loose = timestamp] =
    /^\s{0,3}#{1,6}\s{1,8}(\S.{0,80}?)\s{1,8}[-–—]\s/.exec(texts[entry.line] ?? "") ?? [];
  const text = isTimestamp(timestamp) ? timestamp : loose;
  if (/\d/.test(text)) checkForm(headingForm, text, { line: entry.line, text }, report);
  for (const { line, quote: quoted, reference } of evidence) {
    const lacks = [
      quoted === undefined && "a word-for-word quote in backticks",
      reference === undefined && "its location in square brackets",
    ].filter((each) => each !== false);
    if (lacks.length > 0) report("decision", line, `The evidence is missing ${lacks.join(" and ")}.`);
  }
}

function checkReference(root: string, checked: CheckedReference, report: Report): void {
  const { status, line, reference } = checked;
  const { text, path } = reference;
  const inside = insideProject(root, path.replace(rootPrefix, ""));
  const isRooted = path.startsWith(rootPrefix);
  if (status !== "ok" && inside !== undefined)
    report("stale-reference", line, `${describeStale(checked).replace(/^line \d+: /, "")}.`);
  if (isRooted && inside !== undefined) return;
  const advice =
    inside === undefined || path.startsWith("$")
      ? " or points out of the project."
      : `. Write ${rootPrefix}${inside}${text.slice(path.length)}.`;
  report("path-root", line, `${JSON.stringify(text)} does not start with ${rootPrefix}${advice}`);
}

/** Checks that the log still begins with its committed rows. */
function checkAppendOnly(notes: Notes, before: string, report: Report): void {
  const textOf = ({ cells }: Row) => cells.map(({ text }) => text).join(" | ");
  const rows = rowsOf(notes, "log");
  const now = rows.map(textOf);
  const committed = rowsOf(parseNotes(before), "log").map(textOf);
  const broken = committed.findIndex((text, index) => now[index] !== text);
  const row = committed[broken];
  if (row === undefined) return;
  const line = rows[Math.min(broken, rows.length - 1)]?.line ?? notes.sections.log?.line ?? 0;
  const problem = now.includes(row) ? "is not in its place" : "was changed or removed";
  const message = `The committed row ${JSON.stringify(row.slice(0, 120))} ${problem}. Restore it; add new rows at the end.`;
  report("append-only-log", line, message);
}
