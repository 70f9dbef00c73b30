import { type Content, contentOf } from "./content.ts";
import type { Sentence } from "./sentence.ts";

/** Whether each begins with something that the other does not name: "cards have …" after "buttons have …". */
export function hasOtherSubject(now: Sentence, before: Sentence): boolean {
  return !isNamedBy(now.subject, before) && !isNamedBy(before.subject, now);
}

/** Whether a sentence begins with a case of its own, which the rule does not name: "In email templates …". */
export function hasOwnCase(now: Sentence, before: Sentence): boolean {
  return ownCase.test(now.plain) && !isNamedBy(now.subject, before);
}

const ownCase =
  /^(?:(?:and|but|also|only|just|except|even) )?(?!(?:on (?:reflection|second|balance)|in (?:fact|short|general|future|the end|that case)|for (?:now|good|the (?:record|sake))|at (?:last|the end)|if (?:you|there|it))\b)(?:in|on|for|at|under|within|inside|during|when|while|if|today's)\b/;

/** Whether a sentence sets something against another thing that the rule does not name: "… instead of left and right". */
export function contrastsOtherThing({ plain }: Sentence, before: Sentence): boolean {
  const [, other = ""] = contrast.exec(plain) ?? [];
  const named = other.split(/[ /]/).filter((word) => word !== "");
  return named.length > 0 && !named.some((word) => isNamedBy(contentOf(word), before));
}

const contrast = /\b(?:instead of|rather than) ((?:[\w/.@-]{1,40} ?){1,3})/;

function isNamedBy({ words, values }: Content, { about }: Sentence): boolean {
  return !words.isDisjointFrom(about.words) || !values.isDisjointFrom(about.values);
}
