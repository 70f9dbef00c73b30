import { existingNotes } from "../edit/change-notes.ts";
import { setCells } from "../edit/tables.ts";
import type { LineEdit } from "../notes-md/lines.ts";
import type { Notes } from "../notes-md/parse.ts";
import type { Project } from "../project.ts";
import { type CheckedReference, checkReferences } from "./verify.ts";

export interface VerifyReport {
  references: CheckedReference[];
  /** How many hold. */
  ok: number;
  stale: CheckedReference[];
  /** How many lines of NOTES.md were brought up to date. */
  updated: number;
}

/**
 * Checks every reference, and keeps `Last Verified` of those that hold. With `fix`, evidence that moved gets its new
 * place. With `write: false` nothing is written.
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
  const holds = new Map<number, string>();
  const moved: LineEdit[] = [];
  for (const { kind, status, line, reference, now: place } of references) {
    const text = notes.lines.texts[line] ?? "";
    // The line must still be the one that was checked.
    if (!text.includes(reference.text)) continue;
    if (kind === "identifier" && status === "ok") holds.set(line, now);
    if (fix && kind === "evidence" && place !== undefined)
      moved.push({ at: line, remove: 1, insert: [text.replace(`[${reference.text}]`, () => `[${place}]`)] });
  }
  return [...setCells(notes, "identifiers", "last verified", holds), ...moved];
}
