/** A text split into lines with their line ends; joining them restores the text. */
export interface Lines {
  texts: string[];
  /** "\n", "\r\n" or "\r"; "" for a last line without a line end. */
  ends: string[];
}

/** One change: replaces `remove` lines at line `at` (from 0) with `insert`. */
export interface LineEdit {
  at: number;
  remove: number;
  insert: string[];
}

export function splitLines(text: string): Lines {
  const texts: string[] = [];
  const ends: string[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    texts.push(text.slice(start, match.index));
    ends.push(match[0]);
    start = match.index + match[0].length;
  }
  if (start < text.length) {
    texts.push(text.slice(start));
    ends.push("");
  }
  return { texts, ends };
}

export function joinLines({ texts, ends }: Lines): string {
  return texts.map((text, line) => text + ends[line]).join("");
}

/** Applies non-overlapping edits; every byte outside the edited lines is unchanged. */
export function applyLineEdits(lines: Lines, edits: readonly LineEdit[]): string {
  const texts = [...lines.texts];
  const ends = [...lines.ends];
  const usual = commonLineEnd(lines);
  // From the end, so that line numbers stay valid; edits at the same line keep their order.
  for (const { at, remove, insert } of edits.toReversed().sort((a, b) => b.at - a.at)) {
    const neighbour = ends[at] || ends[at - 1] || usual;
    const inserted = insert.map(() => neighbour);
    const isLast = at + remove >= texts.length;
    // A file without a final line end stays that way.
    if (isLast && texts.length > 0 && ends.at(-1) === "" && insert.length > 0) {
      inserted[inserted.length - 1] = "";
      if (at > 0 && ends[at - 1] === "") ends[at - 1] = usual;
    }
    texts.splice(at, remove, ...insert);
    ends.splice(at, remove, ...inserted);
  }
  return joinLines({ texts, ends });
}

/** The most common line end of the file. */
function commonLineEnd({ ends }: Lines): string {
  const counts = new Map<string, number>();
  for (const end of ends) if (end !== "") counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "\n";
}
