import { corrected } from "./spelling.ts";

/** Lower case, one kind of apostrophe, and nothing that is quoted: what is in quotes is someone else's words or code. */
export function plain(sentence: string): string {
  const text = sentence
    .toLowerCase()
    .replaceAll(/[’ʼ`´](?=(?:t|s|re|d|ll|ve|m)\b)/g, "'")
    .replaceAll(/`[^`]{0,200}`/g, "xx")
    .replaceAll(/"[^"]{12,400}"|“[^”]{12,400}”|«[^»]{12,400}»|„[^“”]{12,400}[“”]/g, "x")
    .replaceAll(/\*{1,3}|__/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return corrected(text);
}

/** The words in a lower-case text. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[a-z\u00df-\u024f\u0400-\u04ff]+(?:'[a-z]+)?/g) ?? []);
}
