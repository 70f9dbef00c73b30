import type { ReadFact } from "../../engine/records.ts";
import { hashOf, isBlank, withoutEnd } from "./line-hash.ts";
import { withoutBom, withoutNumbers } from "./shown-lines.ts";

/** A file as it is now. */
export interface FileNow {
  /** Undefined if the file no longer exists. */
  text: string | undefined;
  /** When the file was last changed, moved or given other rights, in milliseconds; undefined if that is not known. */
  touchedAt?: number | undefined;
}

type Status = "unchanged" | "changed" | "unknown";

/** File systems round times, by up to two seconds. */
const clockMargin = 2_000;

/** Whether a part that the agent has read is the same in the file as it is now. */
export function statusIn({ text, touchedAt }: FileNow): (part: ReadFact) => Status {
  if (text === undefined) return () => "changed";
  const lines = withoutBom(text).split("\n");
  // Hosts decode what is not UTF-8 in ways of their own, and different bytes become the same character.
  const isPlain = !/[\ufffd\0]/.test(text) && !text.startsWith("\ufeff");
  return (part) => {
    const { at, from, to } = part;
    const isUntouched = touchedAt !== undefined && touchedAt + clockMargin < at;
    const shown = lines.slice(from - 1, to);
    if (!isSame(part, shown)) return differing(part, shown, { isPlain, isUntouched });
    // Whatever the tool did not show, such as line ends, is the same as well.
    if (isUntouched) return "unchanged";
    const below = lines.slice(to, part.until === 0 ? undefined : part.until);
    if (!below.every(isBlank)) {
      // Either the tool cut the file, or the file has grown.
      const isTouched = at > 0 && touchedAt !== undefined && touchedAt > at;
      return part.isNumbered && !part.mayBeCut && isTouched ? "changed" : "unknown";
    }
    if (!isPlain) return "unknown";
    if (part.form === "text" || (touchedAt === undefined && !isTable(part)))
      return isExact(part, shown, below) ? "unchanged" : "unknown";
    const isCertain = part.isNumbered && !isTable(part);
    return isCertain && isOrdinary(text) && isComplete(part, shown, below) ? "unchanged" : "unknown";
  };
}

/** The same lines, apart from carriage returns and empty lines at the end. */
function isSame({ hash }: ReadFact, lines: readonly string[]): boolean {
  return hash === hashOf(withoutEnd(lines));
}

function differing(
  part: ReadFact,
  lines: readonly string[],
  { isPlain, isUntouched }: { isPlain: boolean; isUntouched: boolean },
): Status {
  if (!part.isNumbered || !isPlain) return "unknown";
  // The rows of a table may begin with their numbers: then the tool may have written none.
  const withOwnNumbers = withoutNumbers(lines, part.from);
  if (withOwnNumbers.length === 0) return "changed";
  return isUntouched && isSame(part, withOwnNumbers) ? "unchanged" : "unknown";
}

/**
 * A host that numbers lines shows neither carriage returns nor how the file ends. Of a file that has none and ends as most
 * do, the lines say all but whether it always did.
 */
function isOrdinary(text: string): boolean {
  return !text.includes("\r") && !text.endsWith("\n\n");
}

/** All lines that were shown are there, and nothing below them but the end of the file. */
function isComplete({ from, to }: ReadFact, shown: readonly string[], below: readonly string[]): boolean {
  return shown.length === to - from + 1 && (below.length === 0 || (below.length === 1 && below[0] === ""));
}

/** Byte for byte what was shown; a tool may leave out the line break at the end of the file. */
function isExact({ exact, until }: ReadFact, shown: readonly string[], below: readonly string[]): boolean {
  if (exact !== hashOf(shown, { withReturns: true })) return false;
  return below.length === 0 || (below.length === 1 && until === 0 && !isBlank(shown.at(-1) ?? ""));
}

/** Files whose lines may begin with a number of their own. */
function isTable({ path }: ReadFact): boolean {
  return /(?:\.(?:tsv|tab|csv|txt|dat|log|out)|(?:^|\/)[^./]*)$/i.test(path);
}
