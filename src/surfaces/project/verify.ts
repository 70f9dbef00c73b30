import { replaceLines, setCells } from "./edit.ts";
import { type Entry, entriesOf, type Notes, rowsOf } from "./notes.ts";
import { existingNotes, type Project } from "./project.ts";
import {
  findQuote,
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
  /** Of evidence. */
  quote: string | undefined;
}

export type ReferenceStatus = "ok" | "moved" | "changed" | "missing" | "outside" | "unreadable";

export interface CheckedReference extends FoundReference {
  status: ReferenceStatus;
  /** The new location, if it moved. */
  now: string | undefined;
  /** The problem, in a few words. */
  problem: string;
}

export function identifiersOf(notes: Notes): (FoundReference & { purpose: string })[] {
  return rowsOf(notes, "identifiers").flatMap(({ line, cells, values }) => {
    const text = values.identifier ?? cells[0]?.text ?? "";
    if (text === "" || text === "-") return [];
    const reference = parseReference(text);
    return [{ line, kind: "identifier", reference, quote: undefined, purpose: values.purpose ?? "" }];
  });
}

export function evidenceOf({ evidence }: Entry): FoundReference[] {
  return evidence.flatMap(({ line, quote, reference }) =>
    reference ? [{ line, kind: "evidence", reference, quote }] : [],
  );
}

export type Check = (found: FoundReference) => CheckedReference;

/** Checks references against the working tree; each file is read once. */
export function referenceChecker(root: string): Check {
  const sources = new Map<string, Source>();
  return (found) => {
    const name = found.reference.path.replace(rootPrefix, "");
    const source = sources.get(name) ?? readSource(root, name);
    sources.set(name, source);
    return { ...found, now: undefined, ...checkIn(source, found, name) };
  };
}

function checkIn(
  source: Source,
  { quote, reference: { from, to = from } }: FoundReference,
  name: string,
): Pick<CheckedReference, "status" | "problem"> & { now?: string } {
  if (source.status === "directory" && quote === undefined) return { status: "ok", problem: "" };
  if (source.status === "missing") return { status: "missing", problem: "the file is gone" };
  if (source.status === "outside") return { status: "outside", problem: "it is outside the project" };
  if (source.status !== "read") return { status: "unreadable", problem: "the file cannot be read" };
  if (quote === undefined)
    return to !== undefined && to > source.lines.length
      ? { status: "changed", problem: `the file has only ${source.lines.length} lines` }
      : { status: "ok", problem: "" };
  const line = quote === "" ? undefined : findQuote(source.lines, quote, from);
  if (line === undefined) return { status: "changed", problem: "the quote is no longer there" };
  if (from === undefined || (line >= from && line <= (to ?? from))) return { status: "ok", problem: "" };
  return { status: "moved", problem: `the quote moved to line ${line}`, now: renderReference(name, line) };
}

/** Checks every reference in the notes. */
export function checkReferences({ file: { root } }: Pick<Project, "file">, notes: Notes): CheckedReference[] {
  return [...identifiersOf(notes), ...entriesOf(notes).flatMap(evidenceOf)].map(referenceChecker(root));
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
  const check = () => checkReferences(project, existingNotes(project));
  const checked = check();
  const updated = write && checked.length > 0 ? writeChecked(project, fix) : 0;
  const references = fix && updated > 0 ? check() : checked;
  const stale = references.filter(({ status }) => status !== "ok");
  return { references, ok: references.length - stale.length, stale, updated };
}

/** Updates `Last Verified` of valid identifiers; with `fix`, writes the new location of evidence that moved. */
function writeChecked(project: Project, fix: boolean): number {
  const now = project.now();
  return project.change((notes) => {
    const rows = rowsOf(notes, "identifiers");
    const edits = checkReferences(project, notes).flatMap(({ status, line, reference, now: location }) => {
      const text = notes.texts[line] ?? "";
      if (notes.conflicts.some(({ from, to }) => from <= line && line <= to)) return [];
      const row = rows.find((each) => each.line === line);
      if (row)
        return status === "ok" && "last verified" in row.values
          ? [setCells(notes, row, { "last verified": now })]
          : [];
      if (!fix || location === undefined) return [];
      const fixed = text.replace(`[${reference.text}]`, () => `[${location}]`);
      return [replaceLines(notes, line, line + 1, [fixed])];
    });
    return { edits, result: edits.length };
  });
}
