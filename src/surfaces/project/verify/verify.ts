import { readDecision } from "../notes-md/decision.ts";
import type { NotesFile } from "../notes-md/file.ts";
import { type Entry, entriesOf, type Notes, tableOf } from "../notes-md/parse.ts";
import { columnOf } from "../notes-md/table.ts";
import {
  findCodeSpans,
  parseReference,
  type Reference,
  renderReference,
  rootPrefix,
  spanText,
} from "./references.ts";
import { searchTree } from "./search-tree.ts";
import { readSource, type Source } from "./working-tree.ts";

/** A reference in the notes. Lines count from 0. */
export interface FoundReference {
  line: number;
  kind: "identifier" | "evidence";
  reference: Reference;
  quote: string | undefined;
}

export type ReferenceStatus = "ok" | "moved" | "changed" | "missing" | "outside" | "unreadable";

export interface CheckedReference extends FoundReference {
  status: ReferenceStatus;
  /** The new location, if it moved. */
  now: string | undefined;
  /** What is wrong, in a few words. */
  problem: string;
}

/** How long to search other files for lost quotes. */
const searchMilliseconds = 400;

function findReferences(notes: Notes): FoundReference[] {
  return [...identifiersOf(notes), ...entriesOf(notes).flatMap((entry) => evidenceOf(notes, entry))];
}

export function identifiersOf(notes: Notes): FoundReference[] {
  const table = tableOf(notes, "identifiers");
  const column = table ? Math.max(0, columnOf(table, "identifier")) : 0;
  return (table?.rows ?? []).flatMap(({ line, cells }) => {
    const text = cells[column]?.text ?? "";
    if (text === "" || text === "-") return [];
    return [{ line, kind: "identifier" as const, reference: parseReference(text), quote: undefined }];
  });
}

export function evidenceOf(notes: Notes, entry: Entry): FoundReference[] {
  return readDecision(notes, entry).evidence.flatMap(({ line, quote, reference }) =>
    reference ? [{ line, kind: "evidence" as const, reference, quote }] : [],
  );
}

/** Of the text after an archived quote. */
const maxLocationLength = 1_000;

/** The evidence of archived decisions. Stale evidence is marked when shown, but is not a finding. */
export function archivedEvidenceOf(notes: Notes): Map<number, FoundReference[]> {
  const table = tableOf(notes, "archive");
  const column = table ? columnOf(table, "rationale") : -1;
  const found = (table?.rows ?? []).map(({ line, cells }): [number, FoundReference[]] => {
    const [, evidence = ""] =
      /(?:^|<br>)Evidence: (.*?)(?:<br>Test scenarios: .*)?$/.exec(cells[column]?.text ?? "") ?? [];
    const quotes = findCodeSpans(evidence).flatMap(({ inside, to }) => {
      const start = evidence.slice(to, to + maxLocationLength).trimStart();
      const end = start.indexOf("]");
      if (!start.startsWith("[") || end <= 1) return [];
      const reference = parseReference(start.slice(1, end));
      return [{ line, kind: "evidence" as const, reference, quote: spanText(inside) }];
    });
    return [line, quotes];
  });
  return new Map(found);
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

/** Checks every reference in the notes; searches other files for lost ones within the given time. */
export function checkReferences(
  file: NotesFile,
  notes: Notes,
  milliseconds = searchMilliseconds,
): CheckedReference[] {
  const checked = findReferences(notes).map(referenceChecker(file.root));
  const lost = checked.filter(
    ({ status, quote }) => status === "missing" || (status === "changed" && quote !== undefined),
  );
  if (lost.length === 0 || milliseconds <= 0) return checked;
  const found = searchTree(file.root, lost.map(searchTarget), milliseconds);
  return checked.map((each) => {
    const location = lost.includes(each) ? found[lost.indexOf(each)] : undefined;
    if (location === undefined) return each;
    return { ...each, status: "moved", now: location, problem: `it moved to ${location}` };
  });
}

function searchTarget({ quote, reference }: CheckedReference): { quote: string | undefined; name: string } {
  return { quote, name: reference.path.split("/").at(-1) ?? "" };
}

/** One line for a stale reference. */
export function describeStale({ line, reference, problem, quote }: CheckedReference): string {
  const quoted = quote === undefined ? "" : ` ${JSON.stringify(quote.slice(0, 60))}`;
  return `line ${line + 1}: ${reference.text}${quoted}: ${problem}`;
}
