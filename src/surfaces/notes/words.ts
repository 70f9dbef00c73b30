/**
 * Splits case-folded text into index terms. A term is a run of letters, digits and underscores. In scripts
 * written without spaces ("dense"), every pair of adjacent characters is a term, and so is the last character,
 * so that each character starts exactly one term.
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
    else for (let index = at; index < end; index++) visit(text.slice(index, Math.min(index + 2, end)), index);
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

export function terms(text: string): string[] {
  const found: string[] = [];
  eachTerm(text, (term) => found.push(term));
  return found;
}
