import { seededRandom } from "../measure.ts";
import { fillerCode, fillerProse, pick } from "./filler.ts";

/** A call that the scripted model makes, and what its tool returns. */
export interface Step {
  tool: "view_file";
  input: Record<string, string>;
  result: string;
  /** The agent's words with the call. */
  says?: string;
}

/** One message of the user and everything that the agent does in answer to it. */
export interface StoryTurn {
  /** Unique in the story. */
  user: string;
  steps: readonly Step[];
  answer: string;
  /** The note that the agent writes in this turn, if the system gives it a tool for that. */
  note?: string;
  /** The agent is asked what it knows at the end of this turn, before it answers. */
  isProbed?: boolean;
}

/** A number that the user says once. Nothing else in the story contains it. */
export interface Mark {
  subject: string;
  number: string;
}

/** `said`: the agent writes nothing down. `noted`: it notes each mark. `long ask`: one turn with all of the work. */
export const storyKinds = ["said", "noted", "long ask"] as const;
export type StoryKind = (typeof storyKinds)[number];

/** A conversation that is the same for every system. It has at least `compactions` epochs. */
export interface Story {
  kind: StoryKind;
  marks: readonly Mark[];
  turns: readonly StoryTurn[];
  /** Further turns, for a system that has not compacted often enough by the end. */
  more: readonly StoryTurn[];
  /** The files of the story: reading one again returns the same. */
  files: ReadonlyMap<string, string>;
}

export interface StoryOptions {
  kind: StoryKind;
  seed: number;
  compactions: number;
  /** The model's window in tokens; an epoch of the story adds `epochShare` of it. */
  window: number;
}

/** The share of a window that an epoch adds: from about a quarter, which is kept, to four fifths. */
const epochShare = 0.55;
const turnsPerEpoch = 5;
const charactersPerToken = 4;
const services = ["svc-lyra", "svc-orion", "svc-pavo"];
const folders = ["inbox", "outbox", "transport", "storage", "render", "export"];

export function makeStory({ kind, seed, compactions, window }: StoryOptions): Story {
  const random = seededRandom(seed * storyKinds.length + storyKinds.indexOf(kind));
  const files = new Map<string, string>();
  const room = (window * epochShare * charactersPerToken) / turnsPerEpoch;
  const marks = services.map((subject) => ({
    subject,
    number: `K-${100_000 + Math.floor(random() * 900_000)}`,
  }));
  const sentences = marks.map(({ subject, number }) => `The number of ${subject} is ${number}.`);
  const turns = Array.from({ length: 2 * compactions * turnsPerEpoch }, (_, index): StoryTurn => {
    const path = `src/${pick(random, folders)}/part-${index + 1}.ts`;
    const code = fillerCode(random, room * 0.75);
    files.set(path, code);
    const mark = sentences[index];
    return {
      user: `${mark ? `${mark} ` : ""}Task ${index + 1}: look at ${path} and say what it does.`,
      steps: [{ tool: "view_file", input: { path }, result: code }],
      answer: fillerProse(random, Math.ceil((room * 0.2) / 75)),
      ...(mark && kind === "noted" ? { note: mark } : {}),
    };
  });
  if (kind === "long ask") return { kind, marks, files, turns: [longTurn(sentences, turns)], more: [] };
  const first = compactions * turnsPerEpoch;
  return { kind, marks, files, turns: turns.slice(0, first), more: turns.slice(first) };
}

/**
 * One request with the work of the whole story, so that every compaction comes before its answer. The script ends it early,
 * when there were enough of them.
 */
function longTurn(sentences: readonly string[], turns: readonly StoryTurn[]): StoryTurn {
  return {
    user: `${sentences.join(" ")} Read every part and write a table of the longest functions.`,
    answer: "The table is written.",
    steps: turns.flatMap(({ steps, answer: says }) => steps.map((step) => ({ ...step, says }))),
    isProbed: true,
  };
}
