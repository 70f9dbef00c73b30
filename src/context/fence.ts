import { oneLine } from "../engine/text.ts";
import { openBlock } from "./code-blocks.ts";

/**
 * Memory is data. Text inside a block that could pass for one of our markers or headings, a role tag or a system
 * message gets a backslash, so that neither a model nor a search mistakes it for the real thing; hidden characters are
 * named. Both are reversible: an existing backslash gets another one. The rules see text as it looks, so that a
 * full-width or Cyrillic letter does not get a marker past them.
 *
 * In every rule the first group is the backslashes that are there, at the end of the match. Before it is what every match
 * contains: most text does not have it, and a hook has no time for a pattern that cannot match.
 */
const fences: [needs: string, rule: RegExp][] = [
  // [Session Scratchpad …, [End Scratchpad], [System], [Holdfast], [… cut here … anywhere, and any bracket with a word at
  // the start of a line, as all our blocks begin. Not a checkbox or a link.
  [
    "[",
    /\[(\\*)(?!\\)(?=[ \t]{0,8}\/?[ \t]{0,8}(?:(?:…|\.{2,3})[ \t]{0,8})?(?:(?:end|session)[ \t]{1,8}(?:scratchpad|notepad)|end of\b|origin of\b|holdfast\b|project memory\b|notepad\b|scratchpad\b|system\b|hint\b|summary\b|handoff\b|receipt\b|context:|open tasks|ended tasks|delegated|result cleared|late result|called\b|not shown here|cut here|task:|cancelled:|the \w{1,20} block|pin(?:s|ned)?\b|inst\b|instructions?\b|user\b|assistant\b|human\b|developer\b|tool\b|function\b|agent\b|(?<=^[ \t]{0,8}\[\\*[ \t]{0,8}\/?[ \t]{0,8}(?:(?:…|\.{2,3})[ \t]{0,8})?)(?!x\])[a-z](?![^\]\n]*\]\()))/gim,
  ],
  // ## Session Notepad, at any level and anywhere in a line.
  ["#", /#[ \t]{0,8}(\\*)(?!\\)(?=session[ \t]{1,8}(?:notepad|scratchpad))/gi],
  // The headings of our blocks and of prompts, alone or as the beginning of a heading.
  [
    "#",
    /^[ \t>*+•-]{0,80}(?:\d{1,3}[.)][ \t]{1,8})?#{1,6}[ \t]{0,8}(\\*)(?!\\)(?=(?:skills?|your tools|tools|sandbox|pins|pinned|rules|system|instructions?|response|input|user|assistant|human|developer|functions?|project memory|memory|holdfast)\b(?!-))/gim,
  ],
  // The same as underlined headings.
  [
    "\n",
    /^[ \t]{0,3}(\\*)(?!\\)(?=(?:session[ \t]{1,8}(?:notepad|scratchpad)|skills|your tools|sandbox|system|instructions)[ \t]{0,8}\r?\n[ \t]{0,3}(?:={2,}|-{2,}))/gim,
  ],
  // Whatever has the shape of a tag: any at the start of a line, and elsewhere <a>, <a-b …>, </a> and <|a|>. Not the type
  // arguments of code, which follow a name, and not the names of hidden characters.
  [
    "<",
    /(?:^[ \t>*+•-]{0,80}(?:\d{1,3}[.)][ \t]{1,8})?<(?=\\*[ \t]{0,8}[/!?]?[ \t]{0,8}(?!u\+)[\p{L}|<])|(?<![\w\]])<(?=\\*[ \t]{0,8}(?:[|<]|\p{L}[\w.:-]{0,60}?[-_:.]\p{L}|\p{L}[\p{L}\d]{0,60}[ \t]{0,8}>))|<(?=\\*[ \t]{0,8}(?:\||\/[ \t]{0,8}\p{L})))(\\*)(?!\\)/gimu,
  ],
  // A line that would start another speaker's turn in a plain-text transcript.
  [
    ":",
    /^[ \t>*+•-]{0,80}(?:[*_]{2})?(?:human|assistant|system|user|developer|tool|function|model|ai|bot|instructions?|response|prompt)(?:[*_]{2})?(\\*)(?!\\)(?=[ \t]{0,8}:)/gim,
  ],
  // The handoff's own headings.
  [",", /^(?:what the user said|the to-do list|what you did)(\\*)(?!\\)(?=,)/gim],
  // The scratchpad's own headings.
  [":", /^(?:plan|references)(\\*)(?!\\)(?=:[ \t]*\r?$)/gim],
];

export function fenceContent(content: string): string {
  return closeCodeFences(editAll(nameHidden(content), fences, true));
}

/** Untrusted text as one fenced line, for a list or a sentence of ours. */
export function fenceLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = fenceContent(oneLine(text)).toWellFormed();
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
}

/** The exact inverse of `fenceContent`. */
export function unfenceContent(text: string): string {
  const content = text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string) =>
      slashes === "" ? line : `${indent}${first}${slashes.slice(1)}${rest}`,
  );
  return restoreHidden(editAll(content, fences.toReversed(), false));
}

function editAll(content: string, rules: typeof fences, adds: boolean): string {
  let text = content;
  let looks = looksOf(text);
  for (const [needs, rule] of rules) {
    if (!looks.text.includes(needs)) continue;
    const edited = editMatches(text, looks, rule, adds);
    if (edited === text) continue;
    text = edited;
    looks = looksOf(text);
  }
  return text;
}

/** Adds a backslash at the end of every match, or takes the last one away. Both find the same places. */
function editMatches(text: string, looks: Looks, fence: RegExp, adds: boolean): string {
  let [out, from] = ["", 0];
  for (const { 0: match, 1: slashes = "", index } of looks.text.matchAll(fence)) {
    const end = index + match.length;
    if (adds) {
      const at = looks.offset(end);
      out += `${text.slice(from, at)}\\`;
      from = at;
    } else if (slashes !== "") {
      const last = looks.offset(end - 1);
      out += text.slice(from, last);
      from = last + 1;
    }
  }
  return from === 0 && out === "" ? text : out + text.slice(from);
}

/** Backticks or tildes that open or close a code block, possibly indented; a backslash after the first escapes them. */
const codeFence = /^([ \t]*)([`~])(\\*)(\2{2,})/gm;

/** An unclosed code block would swallow the text after the memory block, so escape its opening. */
function closeCodeFences(text: string): string {
  const open = openBlock(text);
  return text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string, at: number) => {
      const isEscaped = slashes !== "" || (open !== undefined && at >= open.index);
      return isEscaped ? `${indent}${first}${slashes}\\${rest}` : line;
    },
  );
}

/** Characters that look like an ASCII one, by that one. Accents, full-width and styled letters are found by decomposing. */
const lookAlikes: Record<string, string> = {
  "[": "【〔〖⟦⁅「『❲〚⦋⦍⦏⌈⌊｢",
  "<": "‹〈《⟨❬❮≺˂ᐸᚲ⪻⟪❰⧼⦑⦓",
  "#": "♯⌗",
  "|": "∣ǀ│┃❘❙¦ꟾ",
  ":": "∶ː꞉︰ː։׃܃܄፡⁚᛬",
  "/": "∕⁄⧸╱",
  // Blank letters that a pattern does not take for spaces.
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
interface Looks {
  text: string;
  /** The offset in the original of the character at an offset; one more than there are characters. */
  offset(at: number): number;
}

/** Replaces every character that looks like ASCII by that one and drops combining marks, to find what passes for a marker. */
function looksOf(text: string): Looks {
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

/**
 * Characters that a person does not see and a model may read: control, zero-width, bidi and tag characters, and line
 * ends and tabs. A function, like every pattern with Unicode properties here: making one takes up to a millisecond, and a
 * hook that meets only ASCII needs none.
 */
export function hiddenCharacters(): RegExp {
  return /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}\u{e0000}-\u{e0fff}]/gu;
}

const zeroWidthJoiner = "\u200d";
const zeroWidthNonJoiner = "\u200c";

/** Line ends and tabs; joiners and variation selectors in emoji and in scripts that need them. */
export function isOrdinary(character: string, offset: number, whole: string): boolean {
  if (character === "\n" || character === "\t" || character === "\r") return true;
  const before = whole.slice(Math.max(0, offset - 4), offset);
  const after = whole.slice(offset + character.length, offset + character.length + 2);
  if (character === zeroWidthJoiner && endsInEmoji(before) && /^\p{Extended_Pictographic}/u.test(after))
    return true;
  if (character === zeroWidthJoiner || character === zeroWidthNonJoiner) return endsInJoiningScript(before);
  return (
    /[\ufe0e\ufe0f]/.test(character) && /[\p{Extended_Pictographic}\p{Emoji_Modifier}0-9#*]$/u.test(before)
  );
}

function endsInEmoji(text: string): boolean {
  return /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$/u.test(text);
}

function endsInJoiningScript(text: string): boolean {
  return /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]$/u.test(
    text,
  );
}

const code = "U\\+[0-9A-F]{4,6}";
const writtenName = /⟨(\\*)(?=U\+[0-9A-F]{4,6}(?: U\+[0-9A-F]{4,6})*⟩)/g;

/** Replaces hidden characters with their names, `⟨U+202E⟩`. A name that is in the text already gets a backslash. */
function nameHidden(text: string): string {
  const escaped = text.includes("⟨") ? text.replaceAll(writtenName, "$&\\") : text;
  // Most text has none; the tests stop at the first.
  if (!/[^\n\r\t\x20-\x7e]/.test(escaped) || escaped.search(hiddenCharacters()) === -1) return escaped;
  let [out, from, run]: [string, number, string[]] = ["", 0, []];
  const close = () => {
    if (run.length > 0) out += `⟨${run.join(" ")}⟩`;
    run = [];
  };
  for (const { 0: character, index } of escaped.matchAll(hiddenCharacters())) {
    if (isOrdinary(character, index, escaped)) continue;
    if (index > from) {
      close();
      out += escaped.slice(from, index);
    }
    run.push(`U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
    from = index + character.length;
  }
  close();
  return out + escaped.slice(from);
}

const anyName = new RegExp(`⟨(\\\\*)(${code}(?: ${code})*)⟩`, "g");

/** The exact inverse of `nameHidden`. */
function restoreHidden(text: string): string {
  if (!text.includes("⟨")) return text;
  return text.replaceAll(anyName, (match, slashes: string, names: string) => {
    if (slashes !== "") return match.replace("\\", "");
    const codes = names.split(" ").map((name) => Number.parseInt(name.slice(2), 16));
    return codes.every((each) => each <= 0x10ffff) ? String.fromCodePoint(...codes) : match;
  });
}
