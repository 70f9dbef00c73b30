import {
  ARABIC,
  ASTRAL,
  CYRILLIC,
  DIGIT,
  END,
  GREEK,
  HAN,
  HANGUL,
  INDIC,
  KANA,
  kindOf,
  LOWER,
  OTHER,
  PUNCTUATION,
  SPACE,
  THAI,
  UPPER,
} from "./character-kinds.ts";

/** Letters that rarely follow a, b, c and so on within a word; a token usually ends between them. */
const RARE_FOLLOWERS =
  "oq,dfghkmnpqvwxz,bdfgjmnpqvwxz,cghjknpqvwxz,,bcdghjkmnpqvwxz,bcdfjkmqvwxyz,bcdfgjkpqvwxyz,juwy," +
  "bcdfghklmnpqrtvwxyz,bcdfghjmpqrvwxyz,hjmnqrwxz,cfghjknqrvwxz,hjqx,q,bfgjknqvwxz,abcdefghijklmnoprstvwxyz," +
  "jqx,bjxz,bjkqv,hjoqwyz,bcdfghjklmnpqrstuwxyz,bcdfgjklmpqtuvxyz,bdfghjklmnoqrsuvwyz,bdfghjkqruvwxz," +
  "bcdfghjklmnpqrsvxy";

const RARE_PAIRS = new Uint8Array(32 * 32);
RARE_FOLLOWERS.split(",").forEach((followers, first) => {
  for (const letter of followers) RARE_PAIRS[((first + 1) << 5) | (letter.charCodeAt(0) & 31)] = 1;
});

/** Cost of each repeated character in a long run. */
const REPEAT_COSTS = tableOf(1 / 4, [
  [1 / 64, "#*-./=_"],
  [1 / 32, "%+~"],
  [1 / 16, "!:;X"],
  [1 / 8, "afloxAF<>?@^"],
  [1 / 2, "gjnpqtuwzDGHJKNPQRSTUVWZ[]`{}&"],
]);

/** Cost of a single punctuation character directly before a word: `.name` is usually one token, `#name` two. */
const LEADING_PUNCTUATION_COSTS = tableOf(0.6, [
  [0.05, "._('"],
  [0.35, "/:=<"],
  [0.5, "-"],
  [0.9, "\\"],
]);

/** Letters included in a word's first token, the cost of each further letter, and the extra cost without a space before. */
const ALPHABETS: Record<number, { free: number; perLetter: number; unspaced: number }> = {
  [HANGUL]: { free: 1.3, perLetter: 0.67, unspaced: 0.3 },
  [CYRILLIC]: { free: 3, perLetter: 0.16, unspaced: 0.5 },
  [ARABIC]: { free: 2, perLetter: 0.27, unspaced: 0.2 },
  [GREEK]: { free: 1, perLetter: 0.27, unspaced: 0.4 },
  [INDIC]: { free: 2.5, perLetter: 0.34, unspaced: 0 },
};

/** Tokens per code unit, for scripts without spaces and everything else. */
const FLAT_COSTS: Record<number, number> = {
  [HAN]: 0.72,
  [KANA]: 0.7,
  [THAI]: 0.37,
  [ASTRAL]: 1,
  [OTHER]: 0.7,
};

/** Extra cost per run of Han characters: short runs between kana form fewer multi-character tokens than long ones. */
const HAN_START = 0.2;

interface Scan {
  readonly text: string;
  at: number;
  tokens: number;
  /** Whether a space before `at` belongs to the next token. */
  spaced: boolean;
}

/** Estimates o200k tokens in one pass, mostly within 10 %, without loading a vocabulary. */
export function estimateTokens(text: string): number {
  const scan: Scan = { text, at: 0, tokens: 0, spaced: false };
  while (scan.at < text.length) {
    const kind = kindOf(text.charCodeAt(scan.at));
    if (kind === LOWER || kind === UPPER) readWord(scan);
    else if (kind === SPACE) readSpace(scan);
    else if (kind === PUNCTUATION || kind === END) readPunctuation(scan);
    else if (kind === DIGIT) readDigits(scan);
    else readScript(scan, kind);
  }
  return Math.ceil(scan.tokens);
}

function readWord(scan: Scan): void {
  const { text } = scan;
  let at = scan.at;
  let code = text.charCodeAt(at);
  let kind = kindOf(code);
  let previous = 0;
  let capitals = 0;
  let rare = 0;
  let accents = 0;
  let repeats = 0;
  let repeatCost = 0;
  // A capital after a lower-case letter starts the next word: getUserName is three.
  while (kind === LOWER || (kind === UPPER && capitals === at - scan.at)) {
    if (kind === UPPER) capitals++;
    if (code === previous) {
      repeats++;
      repeatCost += REPEAT_COSTS[code] ?? 1;
    } else if (code < 128) rare += RARE_PAIRS[((previous & 31) << 5) | (code & 31)] ?? 0;
    else if (code < 0x250) accents++;
    previous = code < 128 ? code : 0;
    code = codeAt(text, ++at);
    kind = kindOf(code);
  }
  const length = at - scan.at;
  const distinct = length - repeats;
  let extra = scan.spaced ? Math.max(0, distinct - 4) * 0.05 : Math.max(0, distinct - 6) * unspacedCost(scan);
  if (capitals === length) extra += Math.max(0, distinct - 5) * 0.45;
  scan.tokens += 1 + Math.max(extra, rare * 1.1 + extra * 0.2) + Math.max(0, repeatCost - 1) + accents * 0.25;
  if (capitals > 1 && capitals < length) scan.tokens += 0.3;
  scan.at = code === 39 ? skipContraction(scan, at) : at;
  scan.spaced = false;
}

/**
 * Cost of a letter of a long word without a space before it. A word inside a camel-case name is usually in the
 * vocabulary; a capitalised one behind a sign seldom is.
 */
function unspacedCost({ text, at }: Scan): number {
  if (kindOf(text.charCodeAt(at)) !== UPPER) return 0.2;
  return at > 0 && kindOf(text.charCodeAt(at - 1)) === LOWER ? 0.04 : 0.3;
}

/** The end of `'s`, `'t`, `'re` etc., which belong to the word before. */
function skipContraction(scan: Scan, apostrophe: number): number {
  let end = apostrophe + 1;
  while (end < apostrophe + 4 && kindOf(codeAt(scan.text, end)) === LOWER) end++;
  const letters = end - apostrophe - 1;
  if (letters < 1 || letters > 2) return apostrophe;
  scan.tokens += 0.1;
  return end;
}

function readSpace(scan: Scan): void {
  const { text } = scan;
  let at = scan.at;
  let code = text.charCodeAt(at);
  let kind: number = SPACE;
  let last = code;
  let lineBreaks = 0;
  let afterBreak = at;
  while (kind === SPACE) {
    last = code;
    at++;
    if (code === 10 || code === 13) {
      lineBreaks++;
      afterBreak = at;
    }
    code = codeAt(text, at);
    kind = kindOf(code);
  }
  if (lineBreaks > 0) scan.tokens += 1 + (lineBreaks >> 4) + ((afterBreak - scan.at - lineBreaks) >> 7);
  const indent = at - afterBreak;
  scan.at = at;
  scan.spaced = indent > 0 && kind !== DIGIT && kind !== END && (last === 32 || kind >= LOWER);
  if (indent === 0) return;
  if (indent > 1) scan.tokens += 1 + Math.floor(indent / 100);
  if (!scan.spaced && (indent === 1 || kind !== END)) scan.tokens += 1;
  else if (scan.spaced && last !== 32) scan.tokens += 0.2;
}

function readPunctuation(scan: Scan): void {
  const { text } = scan;
  const first = text.charCodeAt(scan.at);
  let at = scan.at;
  let code = first;
  let kind: number = PUNCTUATION;
  let previous = -1;
  let changes = 0;
  let wide = 0;
  let repeatCost = 0;
  do {
    if (code === previous) repeatCost += code < 128 ? (REPEAT_COSTS[code] ?? 0) : 1 / 8;
    else {
      changes++;
      if (code >= 128) wide++;
    }
    previous = code;
    code = codeAt(text, ++at);
    kind = kindOf(code);
  } while (kind === PUNCTUATION);
  if (changes === 1 && at === scan.at + 1 && !scan.spaced && kind >= LOWER) {
    scan.tokens += first < 128 ? (LEADING_PUNCTUATION_COSTS[first] ?? 0) : 0.7;
  } else {
    scan.tokens += Math.max(1, repeatCost) + Math.max(0, changes - 3) * 0.6 + Math.max(0, wide - 1) * 0.6;
    while (code === 10 || code === 13) code = codeAt(text, ++at);
  }
  scan.at = at;
  scan.spaced = false;
}

function readDigits(scan: Scan): void {
  const start = scan.at;
  let at = start + 1;
  while (kindOf(codeAt(scan.text, at)) === DIGIT) at++;
  scan.tokens += Math.ceil((at - start) / 3);
  scan.at = at;
  scan.spaced = false;
}

function readScript(scan: Scan, kind: number): void {
  const start = scan.at;
  let at = start + 1;
  while (kindOf(codeAt(scan.text, at)) === kind) at++;
  const length = at - start;
  const alphabet = ALPHABETS[kind];
  if (alphabet === undefined)
    scan.tokens += length * (FLAT_COSTS[kind] ?? 1) + (kind === HAN ? HAN_START : 0);
  else {
    scan.tokens += 1 + Math.max(0, length - alphabet.free) * alphabet.perLetter;
    if (!scan.spaced && length > 1) scan.tokens += alphabet.unspaced;
  }
  scan.at = at;
  scan.spaced = false;
}

// Reading past the end would deoptimise charCodeAt.
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

function tableOf(defaultValue: number, exceptions: [value: number, characters: string][]): Float64Array {
  const table = new Float64Array(128).fill(defaultValue);
  for (const [value, characters] of exceptions) {
    for (const character of characters) table[character.charCodeAt(0)] = value;
  }
  return table;
}
