import { badLine, changedMeanwhile, existingNotes, replaceText } from "../edit/change-notes.ts";
import { readNotesFile } from "../notes-md/file.ts";
import { applyLineEdits, type LineEdit } from "../notes-md/lines.ts";
import { type Notes, parseNotes } from "../notes-md/parse.ts";
import type { Project } from "../project.ts";
import { checkReferences } from "../verify/verify.ts";
import { backUp, holdLock } from "../verify/working-files.ts";
import { decisionRules } from "./decisions.ts";
import type { Finding, LintSubject } from "./rules.ts";
import { structureRules } from "./structure.ts";
import { checkAppendOnly, tableRules } from "./tables.ts";

export interface LintReport {
  /** The file's path from the project's root. */
  file: string;
  findings: Finding[];
  /** Rules that could not be checked, and why. */
  skipped: { rule: string; reason: string }[];
}

export interface FixReport extends LintReport {
  fixed: number;
  /** Path of the backup; undefined if nothing was fixed. */
  backup: string | undefined;
}

/** All findings in the notes, by line. */
export async function lintProject(project: Project): Promise<LintReport> {
  const { file } = project;
  const bytes = readNotesFile(file)?.bytes;
  const notes = bytes ? parseNotes(bytes.toString("utf8")) : existingNotes(file);
  const subject = {
    file,
    notes,
    bytes: bytes ?? Buffer.from(notes.text),
    references: checkReferences(file, notes),
    countTokens: project.countTokens,
  };
  return { file: file.name, ...runRules(subject) };
}

const rules = [...structureRules, ...tableRules, ...decisionRules];

function runRules(subject: LintSubject): Omit<LintReport, "file"> {
  const log = checkAppendOnly(subject);
  const findings = rules.flatMap((rule) => rule(subject));
  if ("findings" in log) findings.push(...log.findings);
  return {
    findings: findings.sort((a, b) => a.line - b.line),
    skipped: "skipped" in log ? [{ rule: "append-only-log", reason: log.skipped }] : [],
  };
}

/** A fix can reveal another fault; a file needs few rounds. */
const maxRounds = 30;

/** Fixes what can be fixed without losing anything, after backing up the file. */
export async function fixProject(project: Project): Promise<FixReport> {
  const { file } = project;
  const countTokens = project.countTokens;
  const outcome = holdLock(file, () => {
    const before = existingNotes(file).text;
    // Writing the file would lose invalid UTF-8.
    if (badLine(readNotesFile(file)?.bytes ?? Buffer.alloc(0)) !== undefined)
      return { fixed: 0, backup: undefined };
    let text = before;
    let fixed = 0;
    for (let round = 0; round < maxRounds; round++) {
      const notes = parseNotes(text);
      const edits = fixesOf(project, notes, countTokens);
      if (edits.length === 0) break;
      text = applyLineEdits(notes.lines, edits);
      fixed += edits.length;
    }
    if (text === before) return { fixed: 0, backup: undefined };
    const backup = backUp(file, before, project.now());
    if (!replaceText(file, before, text, { operation: "lint --fix", at: project.now() }))
      throw changedMeanwhile(file);
    return { fixed, backup };
  });
  return { ...(await lintProject(project)), ...outcome };
}

/** At most one fix per line and round, so that fixes cannot interfere. */
function fixesOf(project: Project, notes: Notes, countTokens: (text: string) => number): LineEdit[] {
  const { file } = project;
  // Leave a file with conflict markers to the person who is merging it.
  if (notes.conflicts.length > 0) return [];
  const references = checkReferences(file, notes, 0);
  const bytes = Buffer.from(notes.text, "utf8");
  const subject = { file, notes, bytes, references, countTokens };
  const findings = rules.flatMap((rule) => rule(subject));
  const fixedLines = new Set<number>();
  return findings.flatMap(({ fix }) => {
    if (!fix || fixedLines.has(fix.at)) return [];
    fixedLines.add(fix.at);
    return [fix];
  });
}
