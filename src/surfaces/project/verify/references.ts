/** A place in the project: a file, and perhaps lines of it. */
export interface Reference {
  /** As it is written. */
  text: string;
  path: string;
  from: number | undefined;
  to: number | undefined;
}

export const rootMark = "$" + "{PROJECT_ROOT}/";

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
  return `${path.startsWith(rootMark) ? "" : rootMark}${path}${lines}`;
}

/** A quote in a code span that holds it word for word, whatever backticks are in it. */
export function codeSpan(quote: string): string {
  const longest = Math.max(0, ...Array.from(quote.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(quote) ? " " : "";
  return `${ticks}${pad}${quote}${pad}${ticks}`;
}

/** What a code span says: one space on each side belongs to the span. */
export function spanText(inside: string): string {
  return inside.trim() !== "" && inside.startsWith(" ") && inside.endsWith(" ")
    ? inside.slice(1, -1)
    : inside;
}
