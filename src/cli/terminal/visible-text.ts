import { homedir } from "node:os";
import { isAbsolute, relative, sep } from "node:path";
import { hiddenCharacters, isOrdinary } from "../../context/fence.ts";
import { oneLine } from "../../engine/text.ts";

/**
 * Makes text safe to print: a note must neither control the terminal nor hide anything. Control characters, escape
 * sequences, invisible characters and bidi controls are shown by name.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(tagRun, (run) => `⟨tags:${spellTags(run)}⟩`)
    .replaceAll(hiddenCharacters(), (character, offset: number, whole: string) =>
      character !== "\r" && isOrdinary(character, offset, whole) ? character : nameOf(character),
    );
}

/** Visible text on one line, for titles and names. */
export function visibleLine(text: string): string {
  return visibleText(oneLine(text));
}

/** A path as people write it: in the home folder it begins with `~`. */
export function homePath(path: string): string {
  const short = relative(process.env.HOME || homedir(), path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : `~${sep}${short}`;
}

/** Matches the names that `visibleText` inserts, so that they can be styled. */
export const visibleMarker = /⟨(?:U\+[0-9A-F]{4,6}|tags:[^⟨⟩]*)⟩|[␀-␡]/;

/** JSON with the same characters escaped: safe on a terminal, and it parses back to the original. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(hiddenCharacters(), (character) =>
    character === "\n"
      ? character
      : character
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}

/** Invisible tag characters that mirror ASCII; some models read them. */
const tagRun = /[\u{e0020}-\u{e007e}]+\u{e007f}?/gu;

function spellTags(run: string): string {
  return [...run]
    .map((tag) => (tag.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code < 0x7f)
    .map((code) => String.fromCharCode(code))
    .join("");
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  // Unicode has a picture for each of the C0 control characters.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
