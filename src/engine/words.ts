/**
 * Cuts folded text into index terms. A term is a run of letters, digits and underscores; in scripts that are
 * written without spaces every pair of neighbouring characters is a term, and so is the last one alone,
 * so that each character begins exactly one term.
 */
export function eachTerm(text: string, visit: (term: string, at: number) => void): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const kind = characterKind(text.charCodeAt(at));
    if (kind === separator) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < length && characterKind(text.charCodeAt(end)) === kind) end++;
    if (kind === letter) visit(text.slice(at, end), at);
    else for (let place = at; place < end; place++) visit(text.slice(place, Math.min(place + 2, end)), place);
    at = end;
  }
}

const separator = 0;
const letter = 1;
const dense = 2;

const asciiKinds = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") {
  asciiKinds[character.charCodeAt(0)] = letter;
}

function characterKind(unit: number): number {
  if (unit < 128) return asciiKinds[unit] as number;
  if (unit < 0xc0) return separator;
  if (unit < 0x2000) return letter;
  if (unit < 0x2e80) return unit < 0x2070 ? separator : letter;
  // From here on: CJK, kana, hangul, and the surrogates that carry emoji and rarer ideographs.
  return unit >= 0x3000 && unit <= 0x3004 ? separator : dense;
}

export function isDense(unit: number): boolean {
  return characterKind(unit) === dense;
}

export function isSeparator(unit: number): boolean {
  return characterKind(unit) === separator;
}

export function terms(text: string): string[] {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
}

/** Whether two words are at most `most` edits apart (an edit: one character more, fewer, other, or swapped). */
export function withinEdits(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] as number) + 1);
      current.push(cost);
      if (cost < best) best = cost;
    }
    if (best > most) return false;
    beforeLast = last;
    last = current;
  }
  return (last[b.length] as number) <= most;
}
