/** Characters that look like an ASCII one, by that one. Accents, full-width and styled letters are found by decomposing. */
const lookAlikes: Record<string, string> = {
  "[": "【〔〖⟦⁅「『❲〚⦋⦍⦏⌈⌊｢",
  "<": "‹〈《⟨❬❮≺˂ᐸᚲ⪻⟪❰⧼⦑⦓",
  "#": "♯⌗",
  "|": "∣ǀ│┃❘❙¦ꟾ",
  ":": "∶ː꞉︰ː։׃܃܄፡⁚᛬",
  "/": "∕⁄⧸╱",
  // Blank letters that are no spaces to a pattern.
  " ": "\u1680\u2800",
  a: "аɑαᴀⲁ",
  b: "ʙƅь",
  c: "сϲᴄⲥ",
  d: "ԁɗᴅ",
  e: "еҽεҿᴇⲉ",
  f: "ꜰẝ",
  g: "ɡցɢ",
  h: "һհʜⲏ",
  i: "іıɩιӏɪⲓ",
  j: "јϳᴊ",
  k: "кκᴋⲕ",
  l: "ⅼӏǀʟ",
  m: "мⅿᴍⲙ",
  n: "ոпηɴⲛ",
  o: "оοօᴏⲟ",
  p: "рρᴘⲣ",
  q: "ԛգꞯ",
  r: "гᴦʀꭇ",
  s: "ѕꜱ",
  t: "тτᴛⲧ",
  u: "цսυᴜʊ",
  v: "ѵνᴠ",
  w: "ԝѡωᴡɯ",
  x: "хχ×",
  y: "уүγყʏⲩ",
  z: "ᴢ",
  A: "АΑᎪꓮⲀ",
  B: "ВΒᏴꓐⲂ",
  C: "СϹᏟꓚⲤ",
  D: "Ꭰꓓ",
  E: "ЕΕᎬꓰⲈ",
  F: "ꓝϜ",
  G: "ԌᏀꓖ",
  H: "НΗᎻꓧⲎ",
  I: "ІΙӀꓲⲒᏆ",
  J: "ЈᎫꓙ",
  K: "КΚᏦꓗⲔ",
  L: "Ꮮꓡ",
  M: "МΜᎷꓟⲘ",
  N: "ΝꓠⲚ",
  O: "ОΟՕꓳⲞ",
  P: "РΡᏢꓑⲢ",
  R: "Ꭱꓣ",
  S: "ЅՏᏚꓢ",
  T: "ТΤᎢꓔⲦ",
  U: "ՍᑌꓴᏌ",
  V: "ѴᏙꓦ",
  W: "ԜᎳꓪ",
  X: "ХΧꓫⲬ",
  Y: "ҮΥꓬⲨᎩ",
  Z: "ΖᏃꓜⲌ",
};

/** Whole alphabets that do not decompose: white letters in black circles and squares, and those that make flags. */
const alphabets = [0x1f150, 0x1f170, 0x1f1e6];

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
  // Marks change a letter too little, and characters of private use show as nothing or as a box.
  if (/^[\p{M}\p{Co}]$/u.test(character)) return "";
  const point = character.codePointAt(0) ?? 0;
  const alphabet = alphabets.find((first) => point >= first && point < first + 26);
  if (alphabet !== undefined) return String.fromCharCode(97 + point - alphabet);
  const base = character.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  if (base.length === 1 && base < "\u0080") return base;
  // A ligature is several letters, a letter in parentheses one.
  const [letters] = /^[a-z]{2,3}$|(?<=^\()[a-z](?=\)$)/i.exec(base) ?? [];
  return letters ?? plain.get(base) ?? character;
}
