import { isAbsolute, relative } from "node:path";
import { addSection, existingNotes, replaceCell } from "./edit.ts";
import { backUp, badLine, holdLock, type NotesFile, readNotesFile, writeNotesFile } from "./file.ts";
import { committedNotes } from "./git.ts";
import { applyLineEdits, type LineEdit } from "./lines.ts";
import {
  type Cell,
  columnOf,
  contextFields,
  entriesOf,
  itemsOf,
  type Notes,
  parseNotes,
  readDecision,
  type Table,
  tableOf,
} from "./notes.ts";
import type { Project } from "./project.ts";
import { rootPrefix } from "./references.ts";
import {
  partBudgets,
  sectionKeys,
  sectionNames,
  severities,
  type TableKey,
  tableColumns,
  tableKeys,
} from "./template.ts";
import { asTimestamp, isDateOrTime, isTimestamp } from "./timestamps.ts";
import { type CheckedReference, checkReferences, describeStale } from "./verify.ts";

/** Every rule's requirement, by its id. */
export const ruleSentences = {
  readable: "The file is UTF-8 without NUL characters, conflict markers and unclosed blocks.",
  section: "Every section of the template is present once.",
  table: "Every table has its columns, and every row a cell for each of them.",
  "debt-id": "Every debt has an id of its own, of the form TD-001.",
  severity: "Severity is LOW, MEDIUM, HIGH or CRITICAL.",
  timestamp: "Timestamps are ISO 8601.",
  "path-root": "Paths start with $" + "{PROJECT_ROOT}/.",
  decision:
    "Every decision has a timestamp, decision, rationale, evidence word for word with its location, and three test scenarios.",
  "stale-reference": "References point to existing code, and quotes are still there.",
  checkbox: "Sub-goals and questions have a checkbox.",
  "blocker-kind": "Blockers start with Waiting:, Blocked: or Resolved:.",
  "append-only-log": "Committed rows of the Session Continuity Log do not change.",
  "token-budget": "The parts that level 1 shows fit their budgets.",
} as const;

export type RuleId = keyof typeof ruleSentences;

/** A rule violation. Lines count from 1. */
export interface Finding {
  rule: RuleId;
  line: number;
  message: string;
  /** A fix that loses nothing; undefined if only a person can fix it. */
  fix?: LineEdit | undefined;
}

export interface LintReport {
  /** The file's path from the project's root. */
  file: string;
  findings: Finding[];
  /** Rules that could not be checked, and why. */
  skipped: { rule: string; reason: string }[];
}

export interface FixReport extends LintReport {
  fixed: number;
  /** Path of the copy of the file as it was before; undefined if nothing was fixed. */
  backup: string | undefined;
}

/** The input of a rule. */
interface Subject {
  file: NotesFile;
  notes: Notes;
  bytes: Buffer;
  references: readonly CheckedReference[];
  countTokens: (text: string) => number;
}

type Rule = (subject: Subject) => Finding[];

/** All findings in the notes, by line. */
export async function lintProject(project: Project): Promise<LintReport> {
  const { file, countTokens } = project;
  const bytes = readNotesFile(file)?.bytes;
  const notes = bytes ? parseNotes(bytes.toString("utf8")) : existingNotes(file);
  const references = checkReferences(file, notes);
  const subject = { file, notes, bytes: bytes ?? Buffer.from(notes.text), references, countTokens };
  const committed = committedNotes(file);
  const findings = rules.flatMap((rule) => rule(subject));
  if ("none" in committed) {
    const skipped = [{ rule: "append-only-log", reason: committed.none }];
    return { file: file.name, findings: byLine(findings), skipped };
  }
  findings.push(...appendOnly(notes, [committed.text, ...committed.earlier]));
  return { file: file.name, findings: byLine(findings), skipped: [] };
}

function byLine(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => a.line - b.line);
}

/** A fix can reveal another fault; a file needs few rounds. */
const maxRounds = 30;

/** Fixes what can be fixed without losing anything, and keeps a copy of the file as it was. */
export async function fixProject(project: Project): Promise<FixReport> {
  const { file } = project;
  const outcome = holdLock(file, () => {
    const before = existingNotes(file).text;
    const bytes = readNotesFile(file)?.bytes ?? Buffer.alloc(0);
    // Writing the file would lose invalid UTF-8, and an editor's change in the meantime.
    if (badLine(bytes) !== undefined || bytes.toString("utf8") !== before) return { fixed: 0 };
    let text = before;
    let fixed = 0;
    for (let round = 0; round < maxRounds; round++) {
      const notes = parseNotes(text);
      const edits = fixesOf(project, notes);
      if (edits.length === 0) break;
      text = applyLineEdits(notes.lines, edits);
      fixed += edits.length;
    }
    if (text === before) return { fixed: 0 };
    const backup = backUp(file, before, "NOTES", project.now());
    writeNotesFile(file, text);
    return { fixed, backup };
  });
  return { ...(await lintProject(project)), backup: undefined, ...outcome };
}

/** At most one fix per line and round, so that fixes cannot interfere. */
function fixesOf({ file, countTokens }: Project, notes: Notes): LineEdit[] {
  // Leave a file with conflict markers to the person who is merging it.
  if (notes.conflicts.length > 0) return [];
  const references = checkReferences(file, notes, 0);
  const subject = { file, notes, bytes: Buffer.from(notes.text), references, countTokens };
  const fixes = rules.flatMap((rule) => rule(subject)).flatMap(({ fix }) => fix ?? []);
  return [...new Map(fixes.toReversed().map((fix) => [fix.at, fix])).values()];
}

/** Creates a finding; `line` counts from 0, as in the parsed notes. */
function finding(rule: RuleId, line: number, message: string, fix?: LineEdit): Finding {
  return { rule, line: line + 1, message, ...(fix ? { fix } : {}) };
}

function replaceLine(line: number, text: string): LineEdit {
  return { at: line, remove: 1, insert: [text] };
}

const readable: Rule = ({ bytes, notes: { lines, conflicts, unclosed } }) => {
  const bad = badLine(bytes);
  const nul = lines.texts.findIndex((text) => text.includes("\u0000"));
  return [
    ...(bad === undefined
      ? []
      : [finding("readable", bad - 1, "The line is not valid UTF-8. Save the file as UTF-8.")]),
    ...(nul === -1 ? [] : [finding("readable", nul, "The line contains a NUL character. Remove it.")]),
    ...conflicts.map(({ from, to }) =>
      finding(
        "readable",
        from,
        `There are merge-conflict markers up to line ${to + 1}. Resolve the conflict.`,
      ),
    ),
    ...(unclosed
      ? [finding("readable", unclosed.line, `A ${unclosed.what} starts here and is never closed. Close it.`)]
      : []),
  ];
};

const sections: Rule = ({ notes }) => {
  const missing = sectionKeys.filter((key) => !notes.sections.has(key));
  const last = Math.max(0, notes.lines.texts.length - 1);
  return [
    ...missing.map((key, index) =>
      finding(
        "section",
        missing.length === sectionKeys.length ? 0 : last,
        `The section "${sectionNames[key]}" is missing.`,
        // One at a time: the position of the next depends on the one before.
        index === 0 && !notes.unclosed && notes.conflicts.length === 0
          ? addSection(notes, key, [])
          : undefined,
      ),
    ),
    ...notes.repeated.map(([key, { line }]) =>
      finding(
        "section",
        line,
        `"${sectionNames[key]}" appears twice; only the first one is read. Merge them.`,
      ),
    ),
  ];
};

const tables: Rule = ({ notes }) =>
  tableKeys.flatMap((key) => {
    const section = notes.sections.get(key);
    const table = tableOf(notes, key);
    if (!section) return [];
    const columns = tableColumns[key].join(", ");
    if (!table)
      return [
        finding("table", section.line, `"${sectionNames[key]}" has no table with the columns ${columns}.`),
      ];
    const missing = tableColumns[key].filter((name) => columnOf(table, name.toLowerCase()) === -1);
    return [
      ...missing.map((name) => finding("table", table.header.line, `The table has no column "${name}".`)),
      ...rowShapes(table, notes.lines.texts),
      ...notes.lines.texts.slice(table.end, section.ownEnd).flatMap((text, index) => {
        if (!/^\s*\|.*\|\s*$/.test(text)) return [];
        const message = "The row is separated from its table. Remove the lines between them.";
        return [finding("table", table.end + index, message)];
      }),
    ];
  });

function rowShapes({ header, rows }: Table, texts: readonly string[]): Finding[] {
  const columns = header.cells.length;
  return rows
    .filter(({ cells }) => cells.length !== columns)
    .map(({ line, cells }) => {
      const message = `The row has ${cells.length} cells but the table has ${columns} columns.`;
      // Only a person can tell which pipe is the extra one.
      if (cells.length > columns)
        return finding("table", line, `${message} Write a pipe inside a cell as \\|.`);
      const text = (texts[line] ?? "").trimEnd();
      const closed = text.endsWith("|") && !text.endsWith("\\|") ? text : `${text} |`;
      const filled = closed + " - |".repeat(columns - cells.length);
      return finding("table", line, message, replaceLine(line, filled));
    });
}

/** Checks the cells of one column. */
function eachCell(
  notes: Notes,
  key: TableKey,
  column: string,
  check: (cell: Cell, line: number, text: string) => Finding[],
): Finding[] {
  const table = tableOf(notes, key);
  const index = columnOf(table, column);
  return (table?.rows ?? []).flatMap(({ line, cells }) => {
    const cell = cells[index];
    return cell ? check(cell, line, notes.lines.texts[line] ?? "") : [];
  });
}

const debtIds: Rule = ({ notes }) => {
  const seen = new Map<string, number>();
  return eachCell(notes, "debt", "id", ({ text: id }, line) => {
    if (!/^TD-\d{3,}$/.test(id))
      return [finding("debt-id", line, `${JSON.stringify(id)} is not an id of the form TD-001.`)];
    const first = seen.get(id);
    if (first !== undefined)
      return [finding("debt-id", line, `Line ${first + 1} already uses ${id}. Give this row another id.`)];
    seen.set(id, line);
    return [];
  });
};

const severity: Rule = ({ notes }) =>
  eachCell(notes, "debt", "severity", (cell, line, text) => {
    const isKnown = (name: string) => severities.some((each) => each === name);
    if (isKnown(cell.text)) return [];
    const upper = cell.text.toUpperCase();
    const fix = isKnown(upper) ? replaceLine(line, replaceCell(text, cell, upper)) : undefined;
    const message = `${JSON.stringify(cell.text)} must be one of ${severities.join(", ")}.`;
    return [finding("severity", line, message, fix)];
  });

function badTime(line: number, written: string, fix: (fixed: string) => string): Finding {
  const fixed = asTimestamp(written);
  const message = `${JSON.stringify(written)} is not ISO 8601, such as 2026-01-15T14:30:00Z.`;
  return finding("timestamp", line, message, fixed ? replaceLine(line, fix(fixed)) : undefined);
}

const timestamps: Rule = ({ notes }) => {
  const inColumn = (key: TableKey, column: string) =>
    eachCell(notes, key, column, (cell, line, text) =>
      cell.text === "" || cell.text === "-" || isDateOrTime(cell.text)
        ? []
        : [badTime(line, cell.text, (fixed) => replaceCell(text, cell, fixed))],
    );
  const fields = ["last checkpoint", "session started"].flatMap((name) => {
    const { value = "", item } = contextFields(notes).get(name) ?? {};
    if (!item || value === "" || value === "none" || isDateOrTime(value)) return [];
    const text = notes.lines.texts[item.line] ?? "";
    return [badTime(item.line, value, (fixed) => text.replace(value, () => fixed))];
  });
  const headings = entriesOf(notes).flatMap(({ line, timestamp }) => {
    const text = notes.lines.texts[line] ?? "";
    const [, loose = timestamp] = /^\s{0,3}#{1,6}\s{1,8}(\S.{0,80}?)\s{1,8}[-–—]\s/.exec(text) ?? [];
    const written = isTimestamp(timestamp) ? timestamp : loose;
    if (written === "" || !/\d/.test(written) || isTimestamp(written)) return [];
    return [badTime(line, written, (fixed) => text.replace(written, () => fixed))];
  });
  return [
    ...inColumn("identifiers", "last verified"),
    ...inColumn("log", "timestamp"),
    ...inColumn("archive", "date"),
    ...fields,
    ...headings,
  ];
};

const decisions: Rule = ({ notes }) =>
  entriesOf(notes).flatMap((entry) => {
    const { decision, rationale, evidence, scenarios } = readDecision(notes, entry);
    const missing = [
      ...(entry.timestamp === "" ? ["a timestamp"] : []),
      ...(decision === "" ? ["a decision"] : []),
      ...(rationale === "" ? ["a rationale"] : []),
      ...(evidence.length === 0 ? ["evidence"] : []),
      ...(scenarios.length < 3 ? [`${3 - scenarios.length} of three test scenarios`] : []),
    ];
    const incomplete = missing.length > 0 ? [`The decision is missing ${missing.join(", ")}.`] : [];
    return [
      ...incomplete.map((message) => finding("decision", entry.line, message)),
      ...evidence.flatMap(({ line, quote, reference }) => {
        const lacks = [
          ...(quote === undefined ? ["a word-for-word quote in backticks"] : []),
          ...(reference === undefined ? ["its location in square brackets"] : []),
        ];
        if (lacks.length === 0) return [];
        return [finding("decision", line, `The evidence is missing ${lacks.join(" and ")}.`)];
      }),
    ];
  });

const stale: Rule = ({ references, notes }) =>
  references.flatMap((checked) => {
    const { status, kind, line, reference, now } = checked;
    // `path-root` reports paths that point out of the project; this rule reports links that do.
    if (status === "ok" || (status === "outside" && pathProblem(reference.path) !== undefined)) return [];
    const text = notes.lines.texts[line] ?? "";
    const moved = now !== undefined && kind === "evidence";
    const fixed = moved ? text.replace(`[${reference.text}]`, () => `[${now}]`) : text;
    const message = `${describeStale(checked).replace(/^line \d+: /, "")}.`;
    return [finding("stale-reference", line, message, fixed === text ? undefined : replaceLine(line, fixed))];
  });

function isOutside(path: string): boolean {
  return isAbsolute(path) || path.split("/").includes("..") || path === "" || /^[a-z]+:/i.test(path);
}

function pathProblem(path: string): string | undefined {
  const isInside = path.startsWith(rootPrefix) && !isOutside(path.slice(rootPrefix.length));
  return isInside ? undefined : `does not start with ${rootPrefix}`;
}

const pathRoot: Rule = ({ file, references, notes }) =>
  references.flatMap(({ line, reference: { text, path } }) => {
    const problem = pathProblem(path);
    if (problem === undefined) return [];
    const inside = isAbsolute(path) ? relative(file.root, path) : path.replace(/^(?:\.\/)+/, "");
    if (isOutside(inside) || path.startsWith("$"))
      return [finding("path-root", line, `${JSON.stringify(text)} ${problem} or points out of the project.`)];
    const source = notes.lines.texts[line] ?? "";
    const fixed = source.replace(text, () => `${rootPrefix}${inside}${text.slice(path.length)}`);
    const message = `${JSON.stringify(text)} ${problem}, so it breaks in a session that starts in another directory.`;
    return [finding("path-root", line, message, replaceLine(line, fixed))];
  });

const checkboxes: Rule = ({ notes }) =>
  (["goals", "questions"] as const).flatMap((key) =>
    itemsOf(notes, key)
      .filter(({ done }) => done === undefined)
      .map(({ line }) => {
        const text = notes.lines.texts[line] ?? "";
        const fixed = text.replace(/^(\s*(?:[-*+]|\d+[.)])[ \t]+)(?:\[[ \t]*\])?[ \t]*/, "$1[ ] ");
        const message = "The item has no checkbox: start it with [ ] or [x].";
        return finding("checkbox", line, message, replaceLine(line, fixed));
      }),
  );

const blockerKinds: Rule = ({ notes }) =>
  itemsOf(notes, "blockers")
    .filter(({ text }) => !/^(?:\*\*)?(?:waiting|blocked|resolved)(?:\*\*)?\s*:/i.test(text))
    .map(({ line }) =>
      finding("blocker-kind", line, "The blocker does not start with Waiting:, Blocked: or Resolved:."),
    );

const tokenBudgets: Rule = ({ notes, countTokens }) => {
  const over = (line: number, text: string, limit: number, what: string): Finding[] => {
    // A token has at least one character, and the start is enough to see that a text is far too long.
    const tokens = text.length > limit / 3 ? countTokens(text.slice(0, 20_000)) : 0;
    const message = `${what} takes ${tokens} tokens; the limit is ${limit}. Shorten it; level 1 cuts it.`;
    return tokens > limit ? [finding("token-budget", line, message)] : [];
  };
  const overSection = (key: "continuity" | "context"): Finding[] => {
    const section = notes.sections.get(key);
    if (!section) return [];
    const lines = notes.lines.texts.slice(section.line + 1, section.ownEnd);
    const text = lines
      .filter((line) => !/^\s*<!--.*-->\s*$/.test(line))
      .join("\n")
      .trim();
    return over(section.line, text, partBudgets[key], `"${sectionNames[key]}"`);
  };
  const questions = itemsOf(notes, "questions").filter(({ done }) => done !== true);
  return [
    ...overSection("continuity"),
    ...overSection("context"),
    ...(tableOf(notes, "identifiers")?.rows ?? []).flatMap(({ line }) =>
      over(line, notes.lines.texts[line] ?? "", partBudgets.identifier, "The identifier"),
    ),
    ...questions.flatMap(({ line, text }) => over(line, text, partBudgets.question, "The question")),
  ];
};

const rules = [
  readable,
  sections,
  tables,
  debtIds,
  severity,
  timestamps,
  decisions,
  stale,
  pathRoot,
  checkboxes,
  blockerKinds,
  tokenBudgets,
];

/** Checks that the log starts with its committed rows, unchanged, and has those of earlier commits. */
function appendOnly(notes: Notes, [before = "", ...earlier]: readonly string[]): Finding[] {
  const table = tableOf(notes, "log");
  const now = logRows(table);
  const lineFor = (index: number) => now[Math.min(index, now.length - 1)]?.line ?? table?.header.line ?? 0;
  const rowsIn = (text: string) => logRows(tableOf(parseNotes(text), "log"));
  const committed = rowsIn(before);
  const kept = new Set(now.map(({ key }) => key));
  const lost = new Map<string, Finding>();
  for (const rows of [committed, ...earlier.map(rowsIn)]) {
    for (const [index, { key, text }] of rows.entries()) {
      if (kept.has(key) || lost.has(key)) continue;
      const message = `The committed row ${JSON.stringify(text.slice(0, 120))} was changed or removed. Restore it; add new rows at the end.`;
      lost.set(key, finding("append-only-log", lineFor(index), message));
    }
  }
  const broken = committed.findIndex(({ key }, index) => now[index]?.key !== key);
  if (lost.size > 0 || broken === -1) return [...lost.values()];
  const message =
    "Committed rows were reordered, or a row was inserted between them. Add new rows at the end.";
  return [finding("append-only-log", lineFor(broken), message)];
}

/** Rows with a key to compare them by; it ignores the timestamp's format and trailing empty cells. */
function logRows(table: Table | undefined): { line: number; text: string; key: string }[] {
  return (table?.rows ?? []).map(({ line, cells }) => {
    const texts = cells.map(({ text }) => text);
    const filled = texts.findLastIndex((text) => text !== "" && text !== "-") + 1;
    const [first = "", ...rest] = texts.slice(0, filled);
    return { line, text: texts.join(" | "), key: [asTimestamp(first) ?? first, ...rest].join(" | ") };
  });
}
