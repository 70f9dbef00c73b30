import type { Sentence } from "./sentence.ts";

/** A verb in its base form: not `works`, not `been`. */
export const base =
  "(?![a-z]+(?:[^s]s|ed)\\b(?<!\\b(?:embed|feed|need|seed|exceed|proceed|shed|alias|bias|focus|canvas)))[a-z][a-z'-]+";

/** One way of stating a rule. */
export interface Cue {
  /**
   * A sentence must have one word of each list. Most sentences have none, and compiling a pattern takes longer than
   * reading all sentences of a conversation.
   */
  needs: readonly (readonly string[])[];
  test(sentence: Sentence): boolean;
}

type Words = string | readonly string[];

function given(words: Words, test: Cue["test"]): Cue {
  const lists = typeof words === "string" ? [words] : words;
  return { needs: lists.map((list) => list.split(" ")), test };
}

export function anywhere(words: Words, pattern: RegExp): Cue {
  return given(words, ({ text }) => pattern.test(text));
}

/** Tries a pattern on the text with marked subjects. */
export function withSubject(words: Words, source: string): Cue {
  const pattern = new RegExp(source);
  return given(words, ({ marked }) => pattern.test(marked));
}

/** Tries a pattern at some places only, and after some words. */
function at(
  words: Words,
  places: (sentence: Sentence) => readonly number[],
  source: string,
  after = "",
): Cue {
  const here = new RegExp(source, "y");
  const isMarked = source.includes("\\ue000");
  const later = after === "" ? undefined : new RegExp(`\\b(?:${after.replaceAll(" ", "|")}) (?:${source})`);
  return given(words, (sentence) => {
    const text = isMarked ? sentence.marked : sentence.text;
    const isHere = (place: number) => {
      here.lastIndex = place;
      return here.test(text);
    };
    return places(sentence).some(isHere) || (later?.test(text) ?? false);
  });
}

export function atOpening(words: Words, source: string, after?: string): Cue {
  return at(words, ({ openings }) => openings, source, after);
}

export function inPart(words: Words, source: string, after?: string): Cue {
  return at(words, ({ parts }) => parts, source, after);
}

export function inClause(words: Words, source: string): Cue {
  return at(words, ({ clauses }) => clauses, source);
}
