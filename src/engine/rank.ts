/** BM25's k1 (how soon repetition stops counting) and b (how much length counts), at their usual values. */
const saturation = 1.2;
const lengthNormalisation = 0.75;

/** Each word is looked for in every passage, so of a very long query only the first words count. */
const maxWords = 32;

/** They say little about what is meant, so they count only in a query that has no other words. */
const functionWords = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have how if in into is it its of on or " +
    "so that the their there these they this those to was we were what when where which who why will with would you your"
  ).split(" "),
);

/** Scripts without spaces between words. There, each pair of characters is a word. */
const denseRun =
  /[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}ー々]+/gu;
const letterRun = /[\p{L}\p{M}\p{N}]+/gu;
/** The pieces of a name such as `parseHTTPBody2`; pieces of one character are in too many words. */
const namePiece = /\p{Lu}{2,}(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}{2,}/gu;

/** A word to look for, in lower case. */
export interface QueryWord {
  text: string;
  /** Without an English ending. A word that begins with it counts half. */
  stem: string;
  /** Characters that match anywhere. */
  isPair: boolean;
}

/** The words of a query, names whole and in pieces. */
export function queryWords(query: string): QueryWord[] {
  const pairs = (query.match(denseRun) ?? []).flatMap((run) => {
    const characters = [...run];
    return characters.length === 1
      ? [run]
      : characters.slice(1).map((each, at) => `${characters[at]}${each}`);
  });
  const runs = query.replaceAll(denseRun, " ").match(letterRun) ?? [];
  const names = runs.flatMap((run) => [run, ...(run.match(namePiece) ?? [])]).map(lowerCase);
  const meaningful = names.filter((name) => !functionWords.has(name));
  const words = [
    ...pairs.map((text) => ({ text: lowerCase(text), stem: text, isPair: true })),
    ...(meaningful.length + pairs.length > 0 ? meaningful : names).map((text) => ({
      text,
      stem: text.replace(/(?<=^[a-z]{4,})(?:ing|ies|ed|es|e|s)$/, ""),
      isPair: false,
    })),
  ];
  const sign = lowerCase(query.trim());
  // Only signs, such as an emoji.
  if (words.length === 0 && sign !== "") return [{ text: sign, stem: sign, isPair: true }];
  return [...new Map(words.map((word) => [word.stem, word])).values()].slice(0, maxWords);
}

/** Visits the places of a text where a word is: whole, or as the beginning of a longer word. */
export function eachOccurrence(
  { text: word, stem, isPair }: QueryWord,
  text: string,
  lower: string,
  visit: (from: number, to: number, isWhole: boolean) => void,
): void {
  for (let at = lower.indexOf(stem); at !== -1; at = lower.indexOf(stem, at + stem.length)) {
    if (!isPair && !isEdge(text, at)) continue;
    const isWhole = isPair || (lower.startsWith(word, at) && isEdge(text, at + word.length));
    // Short words begin too many others.
    if (isWhole || stem.length > 3) visit(at, at + (isWhole ? word : stem).length, isWhole);
  }
}

/**
 * The passages that share words with a query, best first (Okapi BM25). Equally good ones keep their order. It takes time
 * in proportion to the text, and needs no index.
 *
 * @example
 * rankPassages("cold cache", ["the deploy", "the cache was cold"]); // [{ index: 1, score: 1.3… }]
 */
export function rankPassages(query: string, passages: readonly string[]): { index: number; score: number }[] {
  const words = queryWords(query);
  const counts = words.map(() => new Float64Array(passages.length));
  for (const [index, passage] of passages.entries()) {
    const lower = lowerCase(passage);
    for (const [number, word] of words.entries()) {
      let count = 0;
      eachOccurrence(word, passage, lower, (_from, _to, isWhole) => {
        count += isWhole ? 1 : 0.5;
      });
      (counts[number] as Float64Array)[index] = count;
    }
  }
  const averageLength = passages.reduce((sum, { length }) => sum + length, 0) / passages.length;
  const scores = new Float64Array(passages.length);
  for (const found of counts) {
    const having = found.reduce((sum, count) => sum + Math.min(count, 1), 0);
    const rarity = Math.log(1 + (passages.length - having + 0.5) / (having + 0.5));
    for (const [index, count] of found.entries()) {
      const length = (passages[index]?.length ?? 0) / averageLength;
      const damping = saturation * (1 - lengthNormalisation + lengthNormalisation * length);
      if (count > 0)
        scores[index] = (scores[index] ?? 0) + (rarity * count * (saturation + 1)) / (count + damping);
    }
  }
  return [...scores.entries()]
    .flatMap(([index, score]) => (score > 0 ? [{ index, score }] : []))
    .sort((a, b) => b.score - a.score);
}

/**
 * Which passages contain a query in any case, earliest match first. If none does, those that share its words, best first.
 * Equally good ones keep their order.
 */
export function searchPassages(
  query: string,
  passages: readonly string[],
): { indexes: number[]; isRanked: boolean } {
  const needle = query.toLowerCase();
  const containing = passages
    .map((passage, index) => ({ index, at: passage.toLowerCase().indexOf(needle) }))
    .filter(({ at }) => at !== -1)
    .sort((a, b) => a.at - b.at);
  const isRanked = containing.length === 0;
  const found = isRanked ? rankPassages(query, passages) : containing;
  return { indexes: found.map(({ index }) => index), isRanked };
}

/** Keeps positions: of all letters, only İ becomes two characters in lower case. */
export function lowerCase(text: string): string {
  return text.replaceAll("İ", "I").toLowerCase();
}

/** Whether a word or a piece of a name may begin or end here. */
function isEdge(text: string, at: number): boolean {
  const before = kindAt(text, at - 1);
  const after = kindAt(text, at);
  if (before === "other" || after === "other") return true;
  if (before !== after) return after !== "small" || before === "digit";
  return after === "capital" && kindAt(text, at + 1) === "small";
}

function kindAt(text: string, at: number): "digit" | "capital" | "small" | "other" {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return "small";
  if (code >= 65 && code <= 90) return "capital";
  if (code >= 48 && code <= 57) return "digit";
  if (!(code >= 0xaa)) return "other";
  const character = text.charAt(at);
  if (/\p{Lu}/u.test(character)) return "capital";
  return /[\p{L}\p{M}]/u.test(character) ? "small" : /\p{N}/u.test(character) ? "digit" : "other";
}
