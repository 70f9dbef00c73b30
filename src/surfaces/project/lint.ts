import { isAbsolute, relative } from "node:path";
import { existingNotes } from "./edit.ts";
import { badLine, type NotesFile, readNotesFile } from "./file.ts";
import { committedNotes } from "./git.ts";
import {
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
  isDateOrTime,
  isTimestamp,
  partBudgets,
  sectionKeys,
  sectionNames,
  severities,
  type TableKey,
  tableColumns,
  tableKeys,
} from "./template.ts";
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
}

export interface LintReport {
  /** The file's path from the project's root. */
  file: string;
  findings: Finding[];
  /** Rules that could not be checked, and why. */
  skipped: { rule: string; reason: string }[];
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
  findings.push(...appendOnly(notes, committed.text));
  return { file: file.name, findings: byLine(findings), skipped: [] };
}

function byLine(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => a.line - b.line);
}

/** Creates a finding; `line` counts from 0, as in the parsed notes. */
function finding(rule: RuleId, line: number, message: string): Finding {
  return { rule, line: line + 1, message };
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
    ...missing.map((key) =>
      finding(
        "section",
        missing.length === sectionKeys.length ? 0 : last,
        `The section "${sectionNames[key]}" is missing.`,
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
      ...rowShapes(table),
      ...notes.lines.texts.slice(table.end, section.ownEnd).flatMap((text, index) => {
        if (!/^\s*\|.*\|\s*$/.test(text)) return [];
        const message = "The row is separated from its table. Remove the lines between them.";
        return [finding("table", table.end + index, message)];
      }),
    ];
  });

function rowShapes({ header, rows }: Table): Finding[] {
  const columns = header.cells.length;
  return rows
    .filter(({ cells }) => cells.length !== columns)
    .map(({ line, cells }) => {
      const message = `The row has ${cells.length} cells but the table has ${columns} columns.`;
      const hint = cells.length > columns ? " Write a pipe inside a cell as \\|." : "";
      return finding("table", line, message + hint);
    });
}

/** Checks the cells of one column. */
function eachCell(
  notes: Notes,
  key: TableKey,
  column: string,
  check: (text: string, line: number) => Finding[],
): Finding[] {
  const table = tableOf(notes, key);
  const index = columnOf(table, column);
  return (table?.rows ?? []).flatMap(({ line, cells }) => {
    const cell = cells[index];
    return cell ? check(cell.text, line) : [];
  });
}

const debtIds: Rule = ({ notes }) => {
  const seen = new Map<string, number>();
  return eachCell(notes, "debt", "id", (id, line) => {
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
  eachCell(notes, "debt", "severity", (text, line) => {
    if (severities.some((each) => each === text)) return [];
    return [finding("severity", line, `${JSON.stringify(text)} must be one of ${severities.join(", ")}.`)];
  });

function badTime(line: number, written: string): Finding {
  return finding(
    "timestamp",
    line,
    `${JSON.stringify(written)} is not ISO 8601, such as 2026-01-15T14:30:00Z.`,
  );
}

const timestamps: Rule = ({ notes }) => {
  const inColumn = (key: TableKey, column: string) =>
    eachCell(notes, key, column, (text, line) =>
      text === "" || text === "-" || isDateOrTime(text) ? [] : [badTime(line, text)],
    );
  const fields = ["last checkpoint", "session started"].flatMap((name) => {
    const { value = "", item } = contextFields(notes).get(name) ?? {};
    return !item || value === "" || value === "none" || isDateOrTime(value)
      ? []
      : [badTime(item.line, value)];
  });
  const headings = entriesOf(notes).flatMap(({ line, timestamp }) => {
    const text = notes.lines.texts[line] ?? "";
    const [, loose = timestamp] = /^\s{0,3}#{1,6}\s{1,8}(\S.{0,80}?)\s{1,8}[-–—]\s/.exec(text) ?? [];
    const written = isTimestamp(timestamp) ? timestamp : loose;
    if (written === "" || !/\d/.test(written) || isTimestamp(written)) return [];
    return [badTime(line, written)];
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

const stale: Rule = ({ references }) =>
  references.flatMap((checked) => {
    const { status, line, reference } = checked;
    // `path-root` reports paths that point out of the project; this rule reports links that do.
    if (status === "ok" || (status === "outside" && pathProblem(reference.path) !== undefined)) return [];
    return [finding("stale-reference", line, `${describeStale(checked).replace(/^line \d+: /, "")}.`)];
  });

function isOutside(path: string): boolean {
  return isAbsolute(path) || path.split("/").includes("..") || path === "" || /^[a-z]+:/i.test(path);
}

function pathProblem(path: string): string | undefined {
  const isInside = path.startsWith(rootPrefix) && !isOutside(path.slice(rootPrefix.length));
  return isInside ? undefined : `does not start with ${rootPrefix}`;
}

const pathRoot: Rule = ({ file, references }) =>
  references.flatMap(({ line, reference: { text, path } }) => {
    const problem = pathProblem(path);
    if (problem === undefined) return [];
    const inside = isAbsolute(path) ? relative(file.root, path) : path.replace(/^(?:\.\/)+/, "");
    if (isOutside(inside) || path.startsWith("$"))
      return [finding("path-root", line, `${JSON.stringify(text)} ${problem} or points out of the project.`)];
    const right = `${rootPrefix}${inside}${text.slice(path.length)}`;
    return [finding("path-root", line, `${JSON.stringify(text)} ${problem}. Write ${right}.`)];
  });

const checkboxes: Rule = ({ notes }) =>
  (["goals", "questions"] as const).flatMap((key) =>
    itemsOf(notes, key)
      .filter(({ done }) => done === undefined)
      .map(({ line }) => finding("checkbox", line, "The item has no checkbox: start it with [ ] or [x].")),
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

/** Checks that the log still begins with its committed rows. */
function appendOnly(notes: Notes, before: string): Finding[] {
  const table = tableOf(notes, "log");
  const now = logRows(table);
  const committed = logRows(tableOf(parseNotes(before), "log"));
  const broken = committed.findIndex(({ text }, index) => now[index]?.text !== text);
  const row = committed[broken];
  if (!row) return [];
  const line = now[Math.min(broken, now.length - 1)]?.line ?? table?.header.line ?? 0;
  const isKept = now.some(({ text }) => text === row.text);
  const problem = isKept ? "is not in its place" : "was changed or removed";
  const message = `The committed row ${JSON.stringify(row.text.slice(0, 120))} ${problem}. Restore it; add new rows at the end.`;
  return [finding("append-only-log", line, message)];
}

function logRows(table: Table | undefined): { line: number; text: string }[] {
  return (table?.rows ?? []).map(({ line, cells }) => ({
    line,
    text: cells.map(({ text }) => text).join(" | "),
  }));
}
