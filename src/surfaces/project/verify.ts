import { existingNotes, replaceCell } from "./edit.ts";
import type { NotesFile } from "./file.ts";
import {
  cellIn,
  columnOf,
  type Entry,
  entriesOf,
  type LineEdit,
  type Notes,
  readDecision,
  tableOf,
} from "./notes.ts";
import type { Project } from "./project.ts";
import {
  parseReference,
  type Reference,
  readSource,
  renderReference,
  rootPrefix,
  type Source,
} from "./references.ts";

/** A reference in the notes. Lines count from 0. */
export interface FoundReference {
  line: number;
  kind: "identifier" | "evidence";
  reference: Reference;
  quote: string | undefined;
  /** Of an identifier; "" for evidence. */
  purpose: string;
}

export type ReferenceStatus = "ok" | "moved" | "changed" | "missing" | "outside" | "unreadable";

export interface CheckedReference extends FoundReference {
  status: ReferenceStatus;
  /** The new location, if it moved. */
  now: string | undefined;
  /** The problem, in a few words. */
  problem: string;
}

function findReferences(notes: Notes): FoundReference[] {
  return [...identifiersOf(notes), ...entriesOf(notes).flatMap((entry) => evidenceOf(notes, entry))];
}

export function identifiersOf(notes: Notes): FoundReference[] {
  const table = tableOf(notes, "identifiers");
  if (!table) return [];
  return table.rows.flatMap((row) => {
    const text = row.cells[Math.max(0, columnOf(table, "identifier"))]?.text ?? "";
    if (text === "" || text === "-") return [];
    const purpose = cellIn(table, row, "purpose");
    return [
      { line: row.line, kind: "identifier", reference: parseReference(text), quote: undefined, purpose },
    ];
  });
}

export function evidenceOf(notes: Notes, entry: Entry): FoundReference[] {
  return readDecision(notes, entry).evidence.flatMap(({ line, quote, reference }) =>
    reference ? [{ line, kind: "evidence", reference, quote, purpose: "" }] : [],
  );
}

/** Checks references against the working tree; each file is read once. */
export function referenceChecker(root: string): (found: FoundReference) => CheckedReference {
  const sources = new Map<string, Source>();
  const sourceOf = (path: string): Source => {
    const known = sources.get(path) ?? readSource(root, path);
    sources.set(path, known);
    return known;
  };
  return (found) => {
    const { path, from, to } = found.reference;
    const name = path.startsWith(rootPrefix) ? path.slice(rootPrefix.length) : path;
    const source = sourceOf(name);
    const result = (status: ReferenceStatus, problem = "", now?: string): CheckedReference => ({
      ...found,
      status,
      problem,
      now,
    });
    if (source.status === "directory" && found.quote === undefined) return result("ok");
    if (source.status === "missing") return result("missing", "the file is gone");
    if (source.status === "outside") return result("outside", "it is outside the project");
    if (source.status !== "read") return result("unreadable", "the file cannot be read");
    const last = to ?? from;
    if (found.quote === undefined) {
      return last !== undefined && last > source.lines
        ? result("changed", `the file has only ${source.lines} lines`)
        : result("ok");
    }
    const line = source.find(found.quote, from);
    if (line === undefined) return result("changed", "the quote is no longer there");
    const inRange = from === undefined || (line >= from && line <= (to ?? from));
    if (inRange) return result("ok");
    const now = renderReference(name, line);
    return result("moved", `the quote moved to line ${line}`, now);
  };
}

/** Checks every reference in the notes. */
export function checkReferences(file: NotesFile, notes: Notes): CheckedReference[] {
  return findReferences(notes).map(referenceChecker(file.root));
}

/** One line for a stale reference. */
export function describeStale({ line, reference, problem, quote }: CheckedReference): string {
  const quoted = quote === undefined ? "" : ` ${JSON.stringify(quote.slice(0, 60))}`;
  return `line ${line + 1}: ${reference.text}${quoted}: ${problem}`;
}

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
    updated = project.change((notes) => {
      const edits = editsFor(project, notes, references, fix);
      return { edits, result: edits.length };
    });
    if (fix && updated > 0) references = checkReferences(file, existingNotes(file));
  }
  const stale = references.filter(({ status }) => status !== "ok");
  return { references, ok: references.length - stale.length, stale, updated };
}

/** Updates `Last Verified` of valid identifiers; with `fix`, writes the new location of evidence that moved. */
function editsFor(
  project: Project,
  notes: Notes,
  references: readonly CheckedReference[],
  fix: boolean,
): LineEdit[] {
  const now = project.now();
  const column = columnOf(tableOf(notes, "identifiers"), "last verified");
  return references.flatMap(({ kind, status, line, reference, now: location }) => {
    const text = notes.lines.texts[line] ?? "";
    // Skip the line if it changed since the check.
    if (!text.includes(reference.text)) return [];
    const row = tableOf(notes, "identifiers")?.rows.find((each) => each.line === line);
    const cell = row?.cells[column];
    if (kind === "identifier" && status === "ok" && cell)
      return { at: line, remove: 1, insert: [replaceCell(text, cell, now)] };
    if (!fix || kind !== "evidence" || location === undefined) return [];
    const fixed = text.replace(`[${reference.text}]`, () => `[${location}]`);
    return { at: line, remove: 1, insert: [fixed] };
  });
}

/** A line for each stale reference. */
export function staleReferences(file: NotesFile, notes: Notes): string[] {
  return checkReferences(file, notes)
    .filter(({ status }) => status !== "ok")
    .map(describeStale);
}
