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
export function nameHidden(text: string): string {
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
export function restoreHidden(text: string): string {
  if (!text.includes("⟨")) return text;
  return text.replaceAll(anyName, (match, slashes: string, names: string) => {
    if (slashes !== "") return match.replace("\\", "");
    const codes = names.split(" ").map((name) => Number.parseInt(name.slice(2), 16));
    return codes.every((each) => each <= 0x10ffff) ? String.fromCodePoint(...codes) : match;
  });
}
