/** Characters that look like an ASCII one, by that one. Accents, full-width and styled letters are found by decomposing. */
const lookAlikes: Record<string, string> = {
  "[": "【〔〖⟦⁅「『❲〚⦋⦍⦏⌈⌊",
  "<": "‹〈《⟨❬❮≺˂ᐸᚲ⪻⟪",
  "#": "♯⌗",
  "|": "∣ǀ│┃❘❙¦ꟾ",
  ":": "∶ː꞉︰ː։׃܃܄",
  "/": "∕⁄⧸╱",
  a: "аɑα",
  c: "сϲᴄ",
  d: "ԁɗ",
  e: "еҽεҿ",
  g: "ɡց",
  h: "һհ",
  i: "іıɩιӏ",
  j: "јϳ",
  k: "кκ",
  l: "ⅼӏǀ",
  m: "мⅿ",
  n: "ոпη",
  o: "оοօᴏ",
  p: "рρ",
  q: "ԛգ",
  r: "гᴦ",
  s: "ѕꜱ",
  t: "тτ",
  u: "цսυᴜ",
  v: "ѵνᴠ",
  w: "ԝѡωᴡ",
  x: "хχ×",
  y: "уүγყ",
  z: "ᴢ",
  A: "АΑᎪ",
  B: "ВΒᏴ",
  C: "СϹᏟ",
  D: "Ꭰ",
  E: "ЕΕᎬ",
  G: "ԌᏀ",
  H: "НΗᎻ",
  I: "ІΙӀ",
  J: "ЈᎫ",
  K: "КΚᏦ",
  L: "Ꮮ",
  M: "МΜᎷ",
  N: "Ν",
  O: "ОΟՕ",
  P: "РΡᏢ",
  R: "Ꭱ",
  S: "ЅՏᏚ",
  T: "ТΤᎢ",
  U: "Սᑌ",
  V: "ѴᏙ",
  W: "ԜᎳ",
  X: "ХΧ",
  Y: "ҮΥ",
  Z: "ΖᏃ",
};

/** Made when the first text that is not ASCII comes. */
let plain: Map<string, string> | undefined;

function readPlain(): Map<string, string> {
  return new Map(
    Object.entries(lookAlikes).flatMap(([ascii, others]) =>
      [...others].map((other): [string, string] => [other, ascii]),
    ),
  );
}

/** A text as it looks, and where each of its characters is in the original. */
export interface Looks {
  text: string;
  /** The offset in the original of the character at an offset; one more than there are characters. */
  offset(at: number): number;
}

/** Replaces every character that looks like ASCII by that one and drops combining marks, to find what passes for a marker. */
export function looksOf(text: string): Looks {
  if (!/[^\n\r\t\x20-\x7e]/.test(text)) return { text, offset: (at) => at };
  const offsets: number[] = [];
  let seen = "";
  let at = 0;
  for (const character of text) {
    const looks = character < "\u0080" ? character : looksLike(character);
    for (let unit = 0; unit < looks.length; unit++) offsets.push(at);
    seen += looks;
    at += character.length;
  }
  return { text: seen, offset: (index) => offsets[index] ?? text.length };
}

function looksLike(character: string): string {
  plain ??= readPlain();
  const known = plain.get(character);
  if (known !== undefined) return known;
  if (/^\p{Mn}+$/u.test(character)) return "";
  const base = character.normalize("NFKD").replaceAll(/\p{Mn}/gu, "");
  if (base.length === 1 && base < "\u0080") return base;
  return plain.get(base) ?? character;
}
