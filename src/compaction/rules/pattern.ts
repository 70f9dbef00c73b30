/**
 * Up to `max` repetitions of a pattern. It captures, because V8 copies a short repetition without a capture, together
 * with all that follows it: a long pattern then takes up to ten times as long to compile.
 */
export function upTo(max: number, pattern: string): string {
  return `(${pattern}){0,${max}}`;
}

/**
 * Whether a text matches any of some patterns. Joined with "|" they would take twice as long to compile, and a hook
 * compiles them for few sentences.
 */
export function matchesAny(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}
