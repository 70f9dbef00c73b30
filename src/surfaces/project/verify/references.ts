/** A location in the project: a file, optionally with a range of lines. */
export interface Reference {
  /** As written in the notes. */
  text: string;
  path: string;
  from: number | undefined;
  to: number | undefined;
}

export const rootPrefix = "$" + "{PROJECT_ROOT}/";

/** A path of this machine means nothing on another; the protocol's prefix does. */
export function withoutMachinePaths(root: string, text: string): string {
  return text.replaceAll(`${root}/`, rootPrefix);
}

export function parseReference(text: string): Reference {
  const bare = text.trim().replace(/^`(.*)`$/, "$1");
  const [, path = bare, from, to] = /^(.*?):(\d+)(?:-(\d+))?$/.exec(bare) ?? [];
  return {
    text: bare,
    path,
    from: from === undefined ? undefined : Number(from),
    to: to === undefined ? undefined : Number(to),
  };
}

export function renderReference(path: string, from?: number, to?: number): string {
  const lines = from === undefined ? "" : to === undefined || to === from ? `:${from}` : `:${from}-${to}`;
  return `${path.startsWith(rootPrefix) ? "" : rootPrefix}${path}${lines}`;
}

/** Wraps a quote in a code span with enough backticks to keep it unchanged. */
export function codeSpan(quote: string): string {
  const longest = Math.max(0, ...Array.from(quote.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(quote) ? " " : "";
  return `${ticks}${pad}${quote}${pad}${ticks}`;
}

export interface CodeSpan {
  from: number;
  /** After the closing backticks. */
  to: number;
  inside: string;
}

/** The code spans of a text, in order: a run of backticks up to the next run of the same length. */
export function findCodeSpans(text: string): CodeSpan[] {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ from: index, length }));
  const nextOfLength = new Map<number, number>();
  const closings = runs.map(() => -1);
  for (let number = runs.length - 1; number >= 0; number--) {
    const length = runs[number]?.length ?? 0;
    closings[number] = nextOfLength.get(length) ?? -1;
    nextOfLength.set(length, number);
  }
  const spans: CodeSpan[] = [];
  for (let number = 0; number < runs.length; number++) {
    const [opening, closing] = [runs[number], runs[closings[number] ?? -1]];
    if (!opening || !closing) continue;
    const inside = text.slice(opening.from + opening.length, closing.from);
    spans.push({ from: opening.from, to: closing.from + closing.length, inside });
    number = closings[number] ?? number;
  }
  return spans;
}

/** The text of a code span, without the one space of padding on each side. */
export function spanText(inside: string): string {
  return inside.trim() !== "" && inside.startsWith(" ") && inside.endsWith(" ")
    ? inside.slice(1, -1)
    : inside;
}
