import type { Cue } from "./cue.ts";
import type { Sentence } from "./sentence.ts";

/** Finds the cues whose words a sentence has. */
export class CueIndex {
  readonly #cues = new Map<string, Cue[]>();

  constructor(cues: readonly Cue[]) {
    for (const cue of cues)
      for (const word of cue.needs[0] ?? []) {
        const known = this.#cues.get(word);
        if (known) known.push(cue);
        else this.#cues.set(word, [cue]);
      }
  }

  /** Whether the sentence states a rule in one of the ways. */
  matches(sentence: Sentence): boolean {
    const tried = new Set<Cue>();
    for (const word of sentence.words)
      for (const cue of this.#cues.get(word) ?? []) {
        if (tried.has(cue)) continue;
        tried.add(cue);
        if (cue.needs.every((list) => sentence.hasOneOf(list)) && cue.test(sentence)) return true;
      }
    return false;
  }
}
