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
  /** The file, from the project's root. */
  file: string;
  findings: Finding[];
  /** Rules that could not be checked, and why. */
  skipped: { rule: string; reason: string }[];
}

export interface FixReport extends LintReport {
  fixed: number;
  /** Where the file as it was before is kept; undefined when nothing was fixed. */
  backup: string | undefined;
}

/** Everything that is wrong with the notes, by line. */
export async function lintProject(project: Project): Promise<LintReport> {
  const { file } = project;
  const bytes = readNotesFile(file)?.bytes;
  const notes = bytes ? parseNotes(bytes.toString("utf8")) : existingNotes(file);
  const subject = {
    file,
    notes,
    bytes: bytes ?? Buffer.from(notes.text),
    references: checkReferences(file, notes),
    countTokens: await project.countTokens(),
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

/** A fix can bring the next fault to light; a file needs few rounds. */
const mostRounds = 30;

/** Puts right what can be put right without losing anything. A copy of the file is kept first. */
export async function fixProject(project: Project): Promise<FixReport> {
  const { file } = project;
  const countTokens = await project.countTokens();
  const outcome = holdLock(file, () => {
    const before = existingNotes(file).text;
    // Bytes that are no text cannot be written again, so nothing is.
    if (badLine(readNotesFile(file)?.bytes ?? Buffer.alloc(0)) !== undefined)
      return { fixed: 0, backup: undefined };
    let text = before;
    let fixed = 0;
    for (let round = 0; round < mostRounds; round++) {
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

/** At most one fix for a line at a time, so that they cannot disturb each other. */
function fixesOf(project: Project, notes: Notes, countTokens: (text: string) => number): LineEdit[] {
  const { file } = project;
  // A file with conflict markers belongs to the people who are merging it.
  if (notes.conflicts.length > 0) return [];
  const references = checkReferences(file, notes, 0);
  const bytes = Buffer.from(notes.text, "utf8");
  const subject = { file, notes, bytes, references, countTokens };
  const findings = rules.flatMap((rule) => rule(subject));
  const taken = new Set<number>();
  return findings.flatMap(({ fix }) => {
    if (!fix || taken.has(fix.at)) return [];
    taken.add(fix.at);
    return [fix];
  });
}
