import type { Content } from "./content.ts";
import type { Sentence } from "./sentence.ts";

/** Whether each begins with something that the other does not name: "cards have …" after "buttons have …". */
export function hasOtherSubject(now: Sentence, before: Sentence): boolean {
  return !isNamedBy(now.subject, before) && !isNamedBy(before.subject, now);
}

/** Whether a sentence begins with a case of its own, which the rule does not name: "In email templates …". */
export function hasOwnCase(now: Sentence, before: Sentence): boolean {
  return now.signs.hasCase && !isNamedBy(now.subject, before);
}

/** Whether a sentence sets something against another thing that the rule does not name: "… instead of left and right". */
export function contrastsOtherThing({ signs }: Sentence, before: Sentence): boolean {
  return signs.contrasted.length > 0 && !signs.contrasted.some((thing) => isNamedBy(thing, before));
}

function isNamedBy({ words, values }: Content, { about }: Sentence): boolean {
  return !words.isDisjointFrom(about.words) || !values.isDisjointFrom(about.values);
}
