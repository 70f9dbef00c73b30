import { markSubjects } from "./subjects.ts";

/** Words that may come before the rule itself. */
const opener =
  /(?:(?:please|pls|also|and|but|oh|ah|hey|btw|by the way|ok|okay|so|just|then|now|yes|no|great|thanks|thank you|one more thing|one last thing|another thing|just so you know|heads[- ]?up|quick (?:note|reminder)|kindly|if possible|be so kind as to|for the future|one thing|important|note|fyi|ps|p\.s\.|again|still|plus|additionally|furthermore|as i said|like i said|remember|rule|in general|generally|for the record|to be clear|while (?:we're|you're|we are|you are) at it|before i forget|side note|reminder|attention|warning|caution)(?: [—–-]+|[,:.!—–-]*)|as for \S+(?: [—–-]+)?)\s+/y;

const maxOpeners = 8;

const afterSign = /[,;:(—–]\s*(?:\d{1,2}[.)]\s+)?/g;
const afterDash = /\s-+\s+/g;

/** Words after which an imperative may begin in the middle of a sentence. */
const conjunction =
  /\b(?:and|but|so|please|pls|also|then|or|to|that|you|we|must|should|shall|may|will|ought to|have to|can you|could you|would you|just)\s+/g;

/** The words in a lower-case text. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[a-z\u00df-\u024f\u0400-\u04ff]+(?:'[a-z]+)?/g) ?? []);
}

/** A sentence in lower case, its words, and the places where a rule may begin in it. Each is found once. */
export class Sentence {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  #openings: readonly number[] | undefined;
  #clauses: readonly number[] | undefined;
  #marked: string | undefined;

  constructor(text: string) {
    this.text = text;
    this.words = wordsOf(text);
  }

  hasOneOf(words: readonly string[]): boolean {
    return words.some((word) => this.words.has(word));
  }

  /** The text with its subjects marked. */
  get marked(): string {
    this.#marked ??= markSubjects(this.text);
    return this.#marked;
  }

  /** The beginning, with and without opening words. */
  get openings(): readonly number[] {
    this.#openings ??= this.#withOpeners([0]);
    return this.#openings;
  }

  /** The beginning of each part between signs. */
  get parts(): readonly number[] {
    return [...this.openings, ...endsOf(afterSign, this.text)];
  }

  /** The beginning of each part, with and without opening words, and what follows a conjunction. */
  get clauses(): readonly number[] {
    const { text } = this;
    this.#clauses ??= [
      ...this.#withOpeners([0, ...endsOf(afterSign, text), ...endsOf(afterDash, text)]),
      ...endsOf(conjunction, text),
    ];
    return this.#clauses;
  }

  #withOpeners(starts: readonly number[]): number[] {
    return starts.flatMap((start) => {
      const places = [start];
      opener.lastIndex = start;
      while (places.length <= maxOpeners && opener.test(this.text)) places.push(opener.lastIndex);
      return places;
    });
  }
}

function endsOf(pattern: RegExp, text: string): number[] {
  return [...text.matchAll(pattern)].map((match) => match.index + match[0].length);
}
