/** Work that has nothing to do with a story's marks, to fill the window. */

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

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error("There is nothing to pick from.");
  return chosen;
}

/** Source code of about `characters` characters. */
export function fillerCode(random: Random, characters: number): string {
  const lines: string[] = [];
  for (let length = 0; length < characters; length += lines.at(-1)?.length ?? 0) {
    const [a, b, c] = [pick(random, nouns), pick(random, nouns), pick(random, adjectives)];
    lines.push(
      `  const ${c}${capital(a)} = ${pick(random, verbs)}${capital(b)}(${a}s, ${Math.floor(random() * 90) + 10});`,
    );
  }
  return lines.join("\n");
}

const findings: readonly ((random: Random) => string)[] = [
  (random) =>
    `The ${pick(random, adjectives)} ${name(random)} keeps ${number(random)} ${pick(random, nouns)}s before it can ${pick(random, verbs)} them.`,
  (random) =>
    `In line ${number(random)} ${name(random)} calls ${name(random)} with the ${pick(random, adjectives)} ${pick(random, nouns)}.`,
  (random) =>
    `It would ${pick(random, verbs)} ${name(random)} once more when the ${pick(random, nouns)} is ${pick(random, adjectives)}, after ${number(random)} ms.`,
  (random) =>
    `Ticket T-${number(random)} asks whether ${name(random)} may ${pick(random, verbs)} the ${pick(random, nouns)} of ${name(random)}.`,
];

/** A few sentences about a file, with names and numbers of their own. */
export function fillerProse(random: Random, sentences: number): string {
  return Array.from({ length: sentences }, () => pick(random, findings)(random)).join(" ");
}

function name(random: Random): string {
  return `${pick(random, verbs)}${capital(pick(random, adjectives))}${capital(pick(random, nouns))}`;
}

function number(random: Random): number {
  return 100 + Math.floor(random() * 9_900);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
