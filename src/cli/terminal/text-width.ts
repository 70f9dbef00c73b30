const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What people see as one character each. */
export function* eachGrapheme(text: string): Generator<string> {
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const grapheme of eachGrapheme(text)) width += graphemeWidth(grapheme);
  return width;
}

/** The start of a text that fits so many columns, with an ellipsis if something was left out. */
export function cutToWidth(text: string, most: number): string {
  if (textWidth(text) <= most) return text;
  let [kept, width] = ["", 0];
  for (const grapheme of eachGrapheme(text)) {
    width += graphemeWidth(grapheme);
    if (width > most - 1) break;
    kept += grapheme;
  }
  return `${kept}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || onlyMarks.test(grapheme)) return 0;
  if (code < 0x300) return grapheme.includes("\ufe0f") && grapheme.length > 1 ? 2 : 1;
  if (emoji.test(grapheme) || grapheme.includes("\ufe0f")) return 2;
  return isWide(code) ? 2 : 1;
}

const plain = /^[\x20-\x7e]*$/;
const onlyMarks = /^[\p{M}\p{Default_Ignorable_Code_Point}]+$/u;
const emoji = /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}{2})/u;

/** Characters that East Asian typography gives a full square; the emoji among them are found by their own property. */
const wideRanges: [from: number, to: number][] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

export function isWide(code: number): boolean {
  return wideRanges.some(([from, to]) => code >= from && code <= to);
}
