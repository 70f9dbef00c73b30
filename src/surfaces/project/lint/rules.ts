import type { NotesFile } from "../notes-md/file.ts";
import type { LineEdit } from "../notes-md/lines.ts";
import type { Notes } from "../notes-md/parse.ts";
import type { CheckedReference } from "../verify/verify.ts";

/** Every rule's requirement, by its id. */
export const ruleSentences = {
  encoding: "The file is valid UTF-8 without NUL characters.",
  "conflict-marker": "No merge-conflict markers are left.",
  "unclosed-block": "Every code block and comment is closed.",
  "mixed-line-endings": "All lines have the same line ending.",
  "long-line": "No line is longer than 20,000 characters; such lines are not read as entries.",
  "file-size": "The file is smaller than 1 MB; older decisions are archived.",
  "not-template": "The file has sections of the template.",
  "missing-section": "Every section of the template is present.",
  "duplicate-section": "No section of the template appears twice.",
  "table-shape": "Every table has its columns, and every row a cell for each of them.",
  "debt-id": "Debt has an id of the form TD-001.",
  "duplicate-id": "No debt id is used twice.",
  severity: "Severity is LOW, MEDIUM, HIGH or CRITICAL.",
  timestamp: "Timestamps are ISO 8601.",
  "path-root": "Paths start with $" + "{PROJECT_ROOT}/.",
  "decision-fields":
    "Every decision has a timestamp, decision, rationale, evidence and three test scenarios.",
  "evidence-quote": "Evidence is a word-for-word quote in backticks with its location.",
  "stale-reference": "References point to existing code.",
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

/** The input of a rule. */
export interface LintSubject {
  file: NotesFile;
  notes: Notes;
  bytes: Buffer;
  references: readonly CheckedReference[];
  countTokens: (text: string) => number;
}

export type Rule = (subject: LintSubject) => Finding[];

/** Creates a finding; `line` counts from 0, as in the parsed notes. */
export function finding(rule: RuleId, line: number, message: string, fix?: LineEdit): Finding {
  return { rule, line: line + 1, message, ...(fix ? { fix } : {}) };
}

export function replaceLine(line: number, text: string): LineEdit {
  return { at: line, remove: 1, insert: [text] };
}
