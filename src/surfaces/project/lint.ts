import { quote } from "../../engine/text.ts";
import { badLine, readNotesFile } from "./file.ts";
import { committedNotes } from "./git.ts";
import {
  type Column,
  type Form,
  isTimestamp,
  layout,
  type SectionKey,
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

/** All findings in the notes, by line. */
export async function lintProject(project: Project): Promise<LintReport> {
  const { file } = project;
  const notes = existingNotes(project);
  const committed = committedNotes(file);
  const findings = [
    ...readable(notes, readNotesFile(file)),
    ...sectionKeys.flatMap((key) => checkSection(notes, key, project)),
    ...notes.repeated.map(({ key, line }) =>
      finding(
        "section",
        line,
        `"${layout[key].title}" appears twice; only the first one is read. Merge them.`,
      ),
    ),
    ...repeatedIds(notes),
    ...entriesOf(notes).flatMap((entry) => checkDecision(notes, entry)),
    ...checkReferences(project, notes).flatMap((each) => checkReference(file.root, each)),
    ...("none" in committed ? [] : appendOnly(notes, committed.text)),
  ];
  return {
    file: file.name,
    findings: findings.sort((a, b) => a.line - b.line),
    skipped: "none" in committed ? [{ rule: "append-only-log", reason: committed.none }] : [],
  };
}

/** Creates a finding; `line` counts from 0, as in the parsed notes. */
function finding(rule: RuleId, line: number, message: string): Finding {
  return { rule, line: line + 1, message };
}

function readable({ texts, conflicts, unclosed }: Notes, bytes: Buffer | undefined): Finding[] {
  const found = (line: number, message: string) => finding("readable", line, message);
  const bad = bytes && badLine(bytes);
  const nul = texts.findIndex((text) => text.includes("\u0000"));
  return [
    ...(bad === undefined ? [] : [found(bad - 1, "The line is not valid UTF-8. Save the file as UTF-8.")]),
    ...(nul === -1 ? [] : [found(nul, "The line contains a NUL character. Remove it.")]),
    ...conflicts.map(({ from, to }) =>
      found(from, `There are merge-conflict markers up to line ${to + 1}. Resolve the conflict.`),
    ),
    ...(unclosed
      ? [found(unclosed.line, `A ${unclosed.what} starts here and is never closed. Close it.`)]
      : []),
  ];
}

/** Whether a section is as its layout describes it. */
function checkSection(notes: Notes, key: SectionKey, { countTokens }: Project): Finding[] {
  const { title, columns, fields = [], items: form, budget } = layout[key];
  const section = notes.sections[key];
  if (!section) {
    const line = Object.keys(notes.sections).length === 0 ? 0 : Math.max(0, notes.texts.length - 1);
    return [finding("section", line, `The section "${title}" is missing.`)];
  }
  const known = contextFields(notes);
  return [
    ...(columns ? checkTable(notes, section, title, columns) : []),
    ...section.items.flatMap((item) => (form ? checkForm(form, item, item) : [])),
    ...fields.flatMap(({ name, form: fieldForm }) => {
      const { value = "", item } = known.get(name.toLowerCase()) ?? {};
      return fieldForm && item ? checkForm(fieldForm, value, { line: item.line, text: value }) : [];
    }),
    ...(budget === undefined ? [] : checkBudget(notes, key, section, { budget, countTokens })),
  ];
}

function checkForm<Value>(
  form: Form<Value>,
  value: Value,
  { line, text }: { line: number; text: string },
): Finding[] {
  return form.matches(value) ? [] : [finding(form.rule, line, `${quote(text)} ${form.problem}.`)];
}

function checkTable(
  { texts }: Notes,
  { line, ownEnd, table }: Section,
  title: string,
  columns: readonly Column[],
): Finding[] {
  const found = (at: number, message: string) => finding("table", at, message);
  if (!table) {
    const names = columns.map(({ name }) => name).join(", ");
    return [found(line, `"${title}" has no table with the columns ${names}.`)];
  }
  const width = table.columns.length;
  const formOf = (column: string) => columns.find(({ name }) => name.toLowerCase() === column)?.form;
  return [
    ...columns
      .filter(({ name }) => !table.columns.includes(name.toLowerCase()))
      .map(({ name }) => found(table.line, `The table has no column "${name}".`)),
    ...table.rows
      .filter(({ cells }) => cells.length !== width)
      .map(({ line: at, cells: { length } }) => {
        const hint = length > width ? " Write a pipe inside a cell as \\|." : "";
        return found(at, `The row has ${length} cells but the table has ${width} columns.${hint}`);
      }),
    ...texts
      .slice(table.end, ownEnd)
      .flatMap((text, index) =>
        /^\s*\|.*\|\s*$/.test(text)
          ? [found(table.end + index, "The row is separated from its table. Remove the lines between them.")]
          : [],
      ),
    ...table.rows.flatMap((row) =>
      row.cells.flatMap(({ column, text }) => {
        const form = formOf(column);
        return form ? checkForm(form, text, { line: row.line, text }) : [];
      }),
    ),
  ];
}

/** Checks each row or open item, or else the section's own text. */
function checkBudget(
  { texts }: Notes,
  key: SectionKey,
  { line, ownEnd, table, items }: Section,
  { budget, countTokens }: { budget: number; countTokens: (text: string) => number },
): Finding[] {
  const { title, columns, items: form } = layout[key];
  const own = texts.slice(line + 1, ownEnd).filter((each) => !/^\s*<!--.*-->\s*$/.test(each));
  const parts = columns
    ? (table?.rows ?? []).map((row) => ({ line: row.line, text: texts[row.line] ?? "", name: "The row" }))
    : form
      ? items.filter(({ done }) => done !== true).map((item) => ({ ...item, name: "The item" }))
      : [{ line, text: own.join("\n").trim(), name: `"${title}"` }];
  return parts.flatMap(({ line: at, text, name }) => {
    // A token has at least one character, and the start is enough to see that a text is far too long.
    const tokens = text.length > budget / 3 ? countTokens(text.slice(0, 20_000)) : 0;
    const message = `${name} takes ${tokens} tokens; the limit is ${budget}. Shorten it; level 1 cuts it.`;
    return tokens > budget ? [finding("token-budget", at, message)] : [];
  });
}

function repeatedIds(notes: Notes): Finding[] {
  const seen = new Map<string, number>();
  return rowsOf(notes, "debt").flatMap(({ line, values: { id = "" } }) => {
    const first = seen.get(id);
    if (first === undefined) seen.set(id, line);
    if (first === undefined || id === "") return [];
    return [finding("debt-id", line, `Line ${first + 1} already uses ${id}. Give this row another id.`)];
  });
}

const headingForm: Form = { ...timestampForm, matches: isTimestamp };

function checkDecision({ texts }: Notes, entry: Entry): Finding[] {
  const { timestamp, decision, rationale, evidence, scenarios } = entry;
  const missing = [
    ...(timestamp === "" ? ["a timestamp"] : []),
    ...(decision === "" ? ["a decision"] : []),
    ...(rationale === "" ? ["a rationale"] : []),
    ...(evidence.length === 0 ? ["evidence"] : []),
    ...(scenarios.length < 3 ? [`${3 - scenarios.length} of three test scenarios`] : []),
  ];
  // A date and a time with a space between them are not one word.
  const [, loose = timestamp] =
    /^\s{0,3}#{1,6}\s{1,8}(\S.{0,80}?)\s{1,8}[-–—]\s/.exec(texts[entry.line] ?? "") ?? [];
  const written = isTimestamp(timestamp) ? timestamp : loose;
  return [
    ...(missing.length === 0
      ? []
      : [finding("decision", entry.line, `The decision is missing ${missing.join(", ")}.`)]),
    ...(/\d/.test(written) ? checkForm(headingForm, written, { line: entry.line, text: written }) : []),
    ...evidence.flatMap(({ line, quote: quoted, reference }) => {
      const lacks = [
        ...(quoted === undefined ? ["a word-for-word quote in backticks"] : []),
        ...(reference === undefined ? ["its location in square brackets"] : []),
      ];
      if (lacks.length === 0) return [];
      return [finding("decision", line, `The evidence is missing ${lacks.join(" and ")}.`)];
    }),
  ];
}

function checkReference(root: string, checked: CheckedReference): Finding[] {
  const { status, line, reference } = checked;
  const { text, path } = reference;
  const inside = insideProject(root, path.replace(rootPrefix, ""));
  const advice =
    inside === undefined || (path.startsWith("$") && !path.startsWith(rootPrefix))
      ? " or points out of the project."
      : `. Write ${rootPrefix}${inside}${text.slice(path.length)}.`;
  const isRooted = inside !== undefined && path.startsWith(rootPrefix);
  return [
    ...(isRooted
      ? []
      : [finding("path-root", line, `${JSON.stringify(text)} does not start with ${rootPrefix}${advice}`)]),
    ...(status === "ok" || inside === undefined
      ? []
      : [finding("stale-reference", line, `${describeStale(checked).replace(/^line \d+: /, "")}.`)]),
  ];
}

/** Checks that the log still begins with its committed rows. */
function appendOnly(notes: Notes, before: string): Finding[] {
  const textOf = ({ cells }: Row) => cells.map(({ text }) => text).join(" | ");
  const rows = rowsOf(notes, "log");
  const now = rows.map(textOf);
  const committed = rowsOf(parseNotes(before), "log").map(textOf);
  const broken = committed.findIndex((text, index) => now[index] !== text);
  const row = committed[broken];
  if (row === undefined) return [];
  const line = rows[Math.min(broken, rows.length - 1)]?.line ?? notes.sections.log?.line ?? 0;
  const problem = now.includes(row) ? "is not in its place" : "was changed or removed";
  const message = `The committed row ${JSON.stringify(row.slice(0, 120))} ${problem}. Restore it; add new rows at the end.`;
  return [finding("append-only-log", line, message)];
}
