import { joinCut } from "./code-blocks.ts";

/** The characters to show of a text that is too long: some of its beginning and some of its end. */
export interface Ends {
  head: number;
  tail: number;
}

/** Beginnings say what a text is, ends how it came out; the beginning gets a little more. */
const headShare = 0.6;

/**
 * The longest beginning and end that take at most `maxTokens`; undefined if the whole text does. Cuts at line ends
 * where that costs little.
 */
export function chooseEnds(
  text: string,
  maxTokens: number,
  countTokens: (text: string) => number,
): Ends | undefined {
  if (countTokens(text) <= maxTokens) return undefined;
  const head = fittingLength(
    (length) => text.slice(0, length),
    text.length,
    maxTokens * headShare,
    countTokens,
  );
  const tail = fittingLength(
    (length) => (length === 0 ? "" : text.slice(-length)),
    text.length - head,
    maxTokens * (1 - headShare),
    countTokens,
  );
  return { head: endOfLine(text, head), tail: text.length - startOfLine(text, text.length - tail) };
}

/** The text with `note` in place of its middle. */
export function renderEnds(text: string, { head, tail }: Ends, note: string): string {
  return joinCut(text, head, text.length - tail, note);
}

/** The largest length whose piece of the text takes at most `maxTokens`. */
export function fittingLength(
  piece: (length: number) => string,
  limit: number,
  maxTokens: number,
  countTokens: (text: string) => number,
): number {
  // A token has at least one byte, so a character takes at most three tokens and usually a quarter.
  let length = Math.min(limit, Math.floor(maxTokens * 8));
  for (let attempt = 0; attempt < 12 && length > 0; attempt++) {
    const tokens = countTokens(piece(length));
    if (tokens <= maxTokens) return length;
    length = Math.floor(length * Math.min(0.95, (maxTokens / tokens) * 0.98));
  }
  return 0;
}

/** A cut moves to a line's end if that gives up at most this share of the text. */
const lineShare = 0.2;

function endOfLine(text: string, head: number): number {
  const newline = text.lastIndexOf("\n", head - 1) + 1;
  if (head > 0 && newline >= head * (1 - lineShare)) return newline;
  return splitsPair(text, head) ? head - 1 : head;
}

function startOfLine(text: string, start: number): number {
  const newline = text.indexOf("\n", start - 1) + 1;
  const length = text.length - start;
  if (newline > 0 && newline - start <= length * lineShare) return newline;
  return splitsPair(text, start) ? start + 1 : start;
}

export function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

/** Shares room fairly: small items get what they need, the others the same share of the rest. */
export function shareRoom(sizes: readonly number[], room: number): number[] {
  let left = room;
  let open = sizes.length;
  const shares = new Array<number>(sizes.length).fill(0);
  for (const index of sizes.map((_, at) => at).sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0))) {
    const share = Math.min(sizes[index] ?? 0, Math.max(0, left) / open);
    shares[index] = share;
    left -= share;
    open--;
  }
  return shares;
}
