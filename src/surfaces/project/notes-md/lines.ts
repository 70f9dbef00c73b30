/** A text cut into lines, with what ends each of them; joined again it is the same text. */
export interface Lines {
  texts: string[];
  /** "\n", "\r\n" or "\r"; "" after the last line when the file does not end with a line end. */
  ends: string[];
}

/** One change: at line `at` (from 0), `remove` lines give way to others. */
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

/** Applies edits that do not overlap; every byte outside the edited lines stays. */
export function applyLineEdits(lines: Lines, edits: readonly LineEdit[]): string {
  const texts = [...lines.texts];
  const ends = [...lines.ends];
  const usual = usualEnd(lines);
  // From the end, so that places stay true; of two at one line the first stands first.
  for (const { at, remove, insert } of edits.toReversed().sort((a, b) => b.at - a.at)) {
    const neighbour = ends[at] || ends[at - 1] || usual;
    const inserted = insert.map(() => neighbour);
    const isLast = at + remove >= texts.length;
    // A file without a final line end stays one: the new last line takes that over.
    if (isLast && texts.length > 0 && ends.at(-1) === "" && insert.length > 0) {
      inserted[inserted.length - 1] = "";
      if (at > 0 && ends[at - 1] === "") ends[at - 1] = usual;
    }
    texts.splice(at, remove, ...insert);
    ends.splice(at, remove, ...inserted);
  }
  return joinLines({ texts, ends });
}

/** The line end that the file has most of. */
export function usualEnd({ ends }: Lines): string {
  const counts = new Map<string, number>();
  for (const end of ends) if (end !== "") counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "\n";
}
