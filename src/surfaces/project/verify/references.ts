/** A location in the project: a file, optionally with a range of lines. */
export interface Reference {
  /** As written in the notes. */
  text: string;
  path: string;
  from: number | undefined;
  to: number | undefined;
}

export const rootPrefix = "$" + "{PROJECT_ROOT}/";

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

/** The text of a code span, without the one space of padding on each side. */
export function spanText(inside: string): string {
  return inside.trim() !== "" && inside.startsWith(" ") && inside.endsWith(" ")
    ? inside.slice(1, -1)
    : inside;
}
