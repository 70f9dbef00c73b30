import { fingerprintOf, mask, maskText } from "./redact.ts";

/** Replaces every occurrence of a text, in upper or lower case, by as many characters. */
export function maskOccurrences(wanted: string): (text: string) => string {
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  return maskMatches(pattern);
}

/** Replaces whatever a pattern matches by as many characters. */
export function maskMatches(pattern: RegExp): (text: string) => string {
  const everywhere = new RegExp(
    pattern.source,
    pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`,
  );
  return (text) =>
    text.replaceAll(everywhere, (match) =>
      mask(match.length, { kind: "text", fingerprint: fingerprintOf(match) }),
    );
}

/** Replaces every secret by as many characters. */
export function maskSecrets(): (text: string) => string {
  return (text) => maskText(text);
}
