import { existingNotes } from "../edit/change-notes.ts";
import { setCells } from "../edit/tables.ts";
import type { LineEdit } from "../notes-md/lines.ts";
import type { Notes } from "../notes-md/parse.ts";
import type { Project } from "../project.ts";
import { type CheckedReference, checkReferences } from "./verify.ts";

export interface VerifyReport {
  references: CheckedReference[];
  /** How many references are valid. */
  ok: number;
  stale: CheckedReference[];
  /** How many lines of NOTES.md were updated. */
  updated: number;
}

/**
 * Checks every reference and updates `Last Verified` of the valid ones. With `fix`, evidence that moved gets its new
 * location. With `write: false`, nothing is written.
 */
export function verifyProject(
  project: Project,
  { write = true, fix = false }: { write?: boolean; fix?: boolean } = {},
): VerifyReport {
  const { file } = project;
  let references = checkReferences(file, existingNotes(file));
  let updated = 0;
  if (write && references.length > 0) {
    updated = project.change("verify", (notes) => {
      const edits = editsFor(project, notes, references, fix);
      return { edits, result: edits.length };
    });
    if (fix && updated > 0) references = checkReferences(file, existingNotes(file));
  }
  const stale = references.filter(({ status }) => status !== "ok");
  return { references, ok: references.length - stale.length, stale, updated };
}

function editsFor(
  project: Project,
  notes: Notes,
  references: readonly CheckedReference[],
  fix: boolean,
): LineEdit[] {
  const now = project.now();
  const verified = new Map<number, string>();
  const moved: LineEdit[] = [];
  for (const { kind, status, line, reference, now: location } of references) {
    const text = notes.lines.texts[line] ?? "";
    // Skip the line if it changed since the check.
    if (!text.includes(reference.text)) continue;
    if (kind === "identifier" && status === "ok") verified.set(line, now);
    if (fix && kind === "evidence" && location !== undefined) {
      const fixed = text.replace(`[${reference.text}]`, () => `[${location}]`);
      moved.push({ at: line, remove: 1, insert: [fixed] });
    }
  }
  return [...setCells(notes, "identifiers", "last verified", verified), ...moved];
}
