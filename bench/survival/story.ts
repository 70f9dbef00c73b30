import { seededRandom } from "../measure.ts";

/** A message of the user, the file that the agent reads, and its answer. */
export interface StoryTurn {
  /** Unique in the story. */
  user: string;
  path: string;
  answer: string;
  /** The note that the agent writes in this turn, if the system gives it a tool for that. */
  note?: string;
}

/** A number that the user says once. Nothing else in the story contains it. */
export interface Mark {
  subject: string;
  number: string;
}

/** A conversation that is the same for every system. It has at least `compactions` epochs. */
export interface Story {
  marks: readonly Mark[];
  turns: readonly StoryTurn[];
  /** Further turns, for a system that has not compacted often enough by the end. */
  more: readonly StoryTurn[];
  /** Reading a file again returns the same. */
  files: ReadonlyMap<string, string>;
}

export interface StoryOptions {
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

/** The user says the numbers in the first turns, and asks for work that has nothing to do with them. */
export function makeStory({ seed, compactions, window }: StoryOptions): Story {
  const random = seededRandom(seed);
  const files = new Map<string, string>();
  const room = (window * epochShare * charactersPerToken) / turnsPerEpoch;
  const marks = services.map((subject) => ({
    subject,
    number: `K-${100_000 + Math.floor(random() * 900_000)}`,
  }));
  const turns = Array.from({ length: 2 * compactions * turnsPerEpoch }, (_, index): StoryTurn => {
    const path = `src/${pick(random, folders)}/part-${index + 1}.ts`;
    files.set(path, fillerCode(random, room * 0.75));
    const mark = marks[index];
    const note = mark && `The number of ${mark.subject} is ${mark.number}.`;
    return {
      user: `${note ? `${note} ` : ""}Task ${index + 1}: look at ${path} and say what it does.`,
      path,
      answer: fillerProse(random, Math.ceil((room * 0.2) / 75)),
      ...(note ? { note } : {}),
    };
  });
  const first = compactions * turnsPerEpoch;
  return { marks, files, turns: turns.slice(0, first), more: turns.slice(first) };
}

const nouns =
  "batch buffer cursor digest event frame gauge header index journal kernel ledger marker node offset packet queue record segment token".split(
    " ",
  );
const verbs =
  "append apply collect decode drain encode flush gather merge parse read scan sort trim write".split(" ");
const adjectives = "cold early fresh inner large late lazy local outer plain sparse spare warm wide".split(
  " ",
);

type Random = () => number;

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Source code of about `characters` characters. */
function fillerCode(random: Random, characters: number): string {
  const lines: string[] = [];
  for (let length = 0; length < characters; length += lines.at(-1)?.length ?? 0) {
    const [a, b, c] = [pick(random, nouns), pick(random, nouns), pick(random, adjectives)];
    lines.push(
      `  const ${c}${capital(a)} = ${pick(random, verbs)}${capital(b)}(${a}s, ${Math.floor(random() * 90) + 10});`,
    );
  }
  return lines.join("\n");
}

/** A few sentences about a file, with names and numbers of their own. */
function fillerProse(random: Random, sentences: number): string {
  const name = () =>
    `${pick(random, verbs)}${capital(pick(random, adjectives))}${capital(pick(random, nouns))}`;
  const number = () => 100 + Math.floor(random() * 9_900);
  return Array.from(
    { length: sentences },
    () =>
      `In line ${number()} ${name()} calls ${name()} with the ${pick(random, adjectives)} ${pick(random, nouns)}.`,
  ).join(" ");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
