/** How much room a checkpoint has. */
export interface CheckpointBudget {
  tokens?: number;
  /** For hosts that limit the bytes of what they show. */
  bytes?: number;
}

const minTokens = 400;
const maxTokens = 2_500;

/** Assumed where the window is not known. */
const usualWindow = 200_000;

/** Tokens of a checkpoint: 1 % of the window, at least 400 and at most 2,500. The model reads it on every call. */
export function checkpointTokens(contextWindow = usualWindow): number {
  return Math.round(Math.min(maxTokens, Math.max(minTokens, contextWindow / 100)));
}

/** Measures a text and pieces of it. */
export interface Measure {
  /** What a text takes, in the unit that is scarce. */
  cost(text: string): number;
  /** What a piece adds to a longer text: its cost before rounding. */
  added(piece: string): number;
  /** The whole budget, in that unit. */
  total: number;
  /** The whole budget in tokens, roughly. */
  tokens: number;
}

/** Tokens are counted in whole numbers, which is coarse for a name: several copies show the fraction. */
const copies = 8;

/** Bytes of a token in a list of names. */
const bytesPerToken = 3.2;

export function measureFor(
  { tokens = checkpointTokens(), bytes }: CheckpointBudget,
  countTokens: (text: string) => number,
): Measure {
  if (bytes !== undefined)
    return { cost: utf8Length, added: utf8Length, total: bytes, tokens: bytes / bytesPerToken };
  const cost = (text: string) => upperBound(text, countTokens);
  return { cost, added: (piece) => cost(piece.repeat(copies)) / copies, total: tokens, tokens };
}

/** Tokens below which a budget counts as small: it has room for little beside the most needed names. */
export const smallBudget = 1_000;

export function isSmallBudget({ tokens }: Measure): boolean {
  return tokens < smallBudget;
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  // Most names are ASCII, and a copy of each as bytes takes longer than a look at it.
  return ascii.test(text) ? text.length : encoder.encode(text).length;
}

/** Estimated counts can be too low, far too low in scripts where tokenizers spend a token per byte. */
function upperBound(text: string, countTokens: (text: string) => number): number {
  if (ascii.test(text)) return countTokens(text) * margin;
  const rare = text.match(rareCharacters)?.length ?? 0;
  const foreign = text.match(foreignCharacters)?.length ?? 0;
  return countTokens(text) * margin + foreign * 0.25 + rare * 3;
}

/** Lists of names have up to this many more tokens than estimated. */
const margin = 1.04;

const ascii = /^\p{ASCII}*$/u;

const foreignCharacters = /[^\p{ASCII}]/gu;

const rareCharacters =
  /[^\p{ASCII}\u0080-\u024f\u0370-\u06ff\u0900-\u0d7f\u0e00-\u0e7f\u10a0-\u10ff\u1e00-\u200a\u2010-\u2027\u3000-\u312f\u4e00-\u9fff\uac00-\ud7af\uff00-\uff9f]/gu;
