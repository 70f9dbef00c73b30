/** Kinds of characters. END is the end of the text or NUL; the letters are LOWER and above. */
export const END = 0;
export const SPACE = 1;
export const DIGIT = 2;
export const PUNCTUATION = 3;
export const ASTRAL = 4;
export const LOWER = 5;
export const UPPER = 6;
export const HAN = 7;
export const KANA = 8;
export const HANGUL = 9;
export const CYRILLIC = 10;
export const ARABIC = 11;
export const GREEK = 12;
export const INDIC = 13;
export const THAI = 14;
export const OTHER = 15;

// Every range starts on a multiple of 16, so one byte per 16 code units is enough. Hebrew costs the same as Greek.
const SCRIPTS: [from: number, kind: number][] = [
  [0x0080, PUNCTUATION],
  [0x00c0, LOWER],
  [0x0370, GREEK],
  [0x0400, CYRILLIC],
  [0x0530, OTHER],
  [0x0590, GREEK],
  [0x0600, ARABIC],
  [0x0780, OTHER],
  [0x0900, INDIC],
  [0x0e00, THAI],
  [0x0e80, OTHER],
  [0x1100, HANGUL],
  [0x1200, OTHER],
  [0x1e00, LOWER],
  [0x1f00, GREEK],
  [0x2000, PUNCTUATION],
  [0x2e80, HAN],
  [0x3000, PUNCTUATION],
  [0x3040, KANA],
  [0x3130, HANGUL],
  [0x3190, KANA],
  [0x3400, HAN],
  [0xa000, OTHER],
  [0xac00, HANGUL],
  [0xd7b0, OTHER],
  [0xd800, ASTRAL],
  [0xe000, OTHER],
  [0xf900, HAN],
  [0xfb00, ARABIC],
  [0xfe00, PUNCTUATION],
  [0xfe70, ARABIC],
  [0xff00, PUNCTUATION],
  [0xff60, KANA],
  [0xffa0, HANGUL],
  [0xffe0, PUNCTUATION],
];

const BLOCK_KINDS = new Uint8Array(0x1000);
SCRIPTS.forEach(([from, kind], index) => {
  BLOCK_KINDS.fill(kind, from >> 4, (SCRIPTS[index + 1]?.[0] ?? 0x10000) >> 4);
});

const ASCII_KINDS = new Uint8Array(128)
  .fill(PUNCTUATION)
  .fill(END, 0, 1)
  .fill(SPACE, 9, 14)
  .fill(SPACE, 32, 33)
  .fill(DIGIT, 48, 58)
  .fill(UPPER, 65, 91)
  .fill(LOWER, 97, 123);

/** The kind of a UTF-16 code unit, for counting tokens. */
export function kindOf(code: number): number {
  return (code < 128 ? ASCII_KINDS[code] : BLOCK_KINDS[code >> 4]) ?? END;
}
