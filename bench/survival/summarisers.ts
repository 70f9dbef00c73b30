import type { ScriptedAnswer } from "../../src/testing/index.ts";

/** Writes the summary in place of a model: the same for every system. */
export interface Summariser {
  name: "S0" | "S1" | "S4";
  description: string;
  /** The answer to the `number`th request for a summary, from 0. `said` are the first sentences of the messages in it. */
  answer(said: readonly string[], number: number): ScriptedAnswer;
}

const maxCharacters = 2_400;

const summarisers: readonly Summariser[] = [
  {
    name: "S0",
    description: "one fixed sentence that says nothing",
    answer: () => ({ text: "The conversation so far." }),
  },
  {
    name: "S1",
    description: "extractive: the first sentence of every message, the newest that fit into 600 tokens",
    answer: (said) => ({ text: newest(said) }),
  },
  {
    name: "S4",
    description:
      "fails: the provider answers with an error; the second time it times out: it closes the connection without an answer",
    // Clients wait before they repeat a call that broke off, so that happens once. They do not repeat a 422.
    answer: (_said, number) =>
      number === 1 ? { hangUp: true } : { status: 422, error: "the summariser cannot do this" },
  },
];

export function summariserNamed(name: string): Summariser {
  const found = summarisers.find((summariser) => summariser.name === name);
  if (!found) throw new Error(`There is no summariser ${name}.`);
  return found;
}

/** The first sentence of a message, or its first line. */
export function leadOf(text: string): string {
  const [lead = ""] = text.trim().split(/(?<=[.!?])\s+|\n/);
  return lead.slice(0, maxLead);
}

const maxLead = 300;

function newest(sentences: readonly string[]): string {
  const kept: string[] = [];
  let length = 0;
  for (const sentence of sentences.toReversed()) {
    length += sentence.length + 1;
    if (length > maxCharacters) break;
    kept.unshift(sentence);
  }
  return kept.join("\n");
}
