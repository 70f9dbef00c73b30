import { readDecision } from "../notes-md/decision.ts";
import type { NotesFile } from "../notes-md/file.ts";
import { type Entry, entriesOf, type Notes, tableOf } from "../notes-md/parse.ts";
import { columnOf } from "../notes-md/table.ts";
import { parseReference, type Reference, renderReference, rootMark, spanText } from "./references.ts";
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
  /** Where it is now, when it moved. */
  now: string | undefined;
  /** What is wrong, in a few words. */
  problem: string;
}

/** How long lost quotes are looked for in other files, in milliseconds. */
const searchTime = 400;

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

const archivedQuote = /(`+)(?!`)(.*?[^`])\1(?!`)\s*\[([^\]]+)\]/g;

/** What an archived decision was based on. It is history: marked where it is shown, but no fault. */
export function archivedEvidenceOf(notes: Notes): Map<number, FoundReference[]> {
  const table = tableOf(notes, "archive");
  const column = table ? columnOf(table, "rationale") : -1;
  const found = (table?.rows ?? []).map(({ line, cells }): [number, FoundReference[]] => {
    const [, evidence = ""] =
      /(?:^|<br>)Evidence: (.*?)(?:<br>Test scenarios: .*)?$/.exec(cells[column]?.text ?? "") ?? [];
    const quotes = Array.from(evidence.matchAll(archivedQuote), ([, , quote = "", place = ""]) => ({
      line,
      kind: "evidence" as const,
      reference: parseReference(place),
      quote: spanText(quote),
    }));
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
    const name = path.startsWith(rootMark) ? path.slice(rootMark.length) : path;
    const source = sourceOf(name);
    const say = (status: ReferenceStatus, problem = "", now?: string): CheckedReference => ({
      ...found,
      status,
      problem,
      now,
    });
    if (source.status === "directory" && found.quote === undefined) return say("ok");
    if (source.status === "missing") return say("missing", "the file is gone");
    if (source.status === "outside") return say("outside", "it is outside the project");
    if (source.status !== "read") return say("unreadable", "the file cannot be read");
    const last = to ?? from;
    if (found.quote === undefined) {
      return last !== undefined && last > source.lines
        ? say("changed", `the file has only ${source.lines} lines`)
        : say("ok");
    }
    const line = source.find(found.quote, from);
    if (line === undefined) return say("changed", "the quote is no longer there");
    const inRange = from === undefined || (line >= from && line <= (to ?? from));
    if (inRange) return say("ok");
    const now = renderReference(name, line);
    return say("moved", `the quote moved to line ${line}`, now);
  };
}

/** Every reference of the notes; what is lost is looked for in other files as long as there is time. */
export function checkReferences(file: NotesFile, notes: Notes, time = searchTime): CheckedReference[] {
  const checked = findReferences(notes).map(referenceChecker(file.root));
  const lost = checked.filter(
    ({ status, quote }) => status === "missing" || (status === "changed" && quote !== undefined),
  );
  if (lost.length === 0 || time <= 0) return checked;
  const found = searchTree(file.root, lost.map(wantedOf), time);
  return checked.map((each) => {
    const place = lost.includes(each) ? found[lost.indexOf(each)] : undefined;
    if (place === undefined) return each;
    return { ...each, status: "moved", now: place, problem: `it moved to ${place}` };
  });
}

function wantedOf({ quote, reference }: CheckedReference): { quote: string | undefined; name: string } {
  return { quote, name: reference.path.split("/").at(-1) ?? "" };
}

/** One line for each reference that does not hold any more. */
export function describeStale({ line, reference, problem, quote }: CheckedReference): string {
  const quoted = quote === undefined ? "" : ` ${JSON.stringify(quote.slice(0, 60))}`;
  return `line ${line + 1}: ${reference.text}${quoted}: ${problem}`;
}
