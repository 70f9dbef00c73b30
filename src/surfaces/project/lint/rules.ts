import type { NotesFile } from "../notes-md/file.ts";
import type { LineEdit } from "../notes-md/lines.ts";
import type { Notes } from "../notes-md/parse.ts";
import type { CheckedReference } from "../verify/verify.ts";

/** Every rule by its id, with what it asks for. */
export const ruleSentences = {
  encoding: "The file is valid UTF-8 without NUL characters.",
  "conflict-marker": "No merge-conflict markers are left.",
  "unclosed-block": "Every code block and comment ends.",
  "mixed-line-endings": "All lines end alike.",
  "long-line": "No line is longer than 20,000 characters; such lines are not read as entries.",
  "file-size": "The file is smaller than 1 MB; older decisions are archived.",
  "not-template": "The file has sections of the template.",
  "missing-section": "Every section of the template is there.",
  "duplicate-section": "Every section of the template is there only once.",
  "table-shape": "Every table has its columns, and every row a cell for each of them.",
  "debt-id": "Debt has an id of the form TD-001.",
  "duplicate-id": "No debt id is used twice.",
  severity: "Severity is LOW, MEDIUM, HIGH or CRITICAL.",
  timestamp: "Timestamps are ISO 8601.",
  "path-root": "Paths begin with $" + "{PROJECT_ROOT}/.",
  "decision-fields":
    "Every decision has a timestamp, decision, rationale, evidence and three test scenarios.",
  "evidence-quote": "Evidence is a word-for-word quote in backticks with the place it was taken from.",
  "stale-reference": "What is referred to is still there.",
  checkbox: "Sub-goals and questions have a checkbox.",
  "blocker-kind": "Blockers begin with Waiting:, Blocked: or Resolved:.",
  "append-only-log": "Rows of the Session Continuity Log that were committed stay as they are.",
  "token-budget": "What level 1 shows fits its budget.",
} as const;

export type RuleId = keyof typeof ruleSentences;

/** One fault. Lines count from 1. */
export interface Finding {
  rule: RuleId;
  line: number;
  message: string;
  /** How to put it right without losing anything; undefined when only a person can. */
  fix?: LineEdit | undefined;
}

/** What the rules look at. */
export interface LintSubject {
  file: NotesFile;
  notes: Notes;
  bytes: Buffer;
  references: readonly CheckedReference[];
  countTokens: (text: string) => number;
}

export type Rule = (subject: LintSubject) => Finding[];

/** A finding on a line counted from 0, the way the notes count. */
export function finding(rule: RuleId, line: number, message: string, fix?: LineEdit): Finding {
  return { rule, line: line + 1, message, ...(fix ? { fix } : {}) };
}

export function replaceLine(line: number, text: string): LineEdit {
  return { at: line, remove: 1, insert: [text] };
}
