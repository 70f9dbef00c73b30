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

/** Tests whether a text fits, and measures pieces of it. */
export interface Measure {
  fits(text: string): boolean;
  /** What a piece takes, in the unit that is scarce. */
  cost(text: string): number;
  /** The whole budget, in that unit. */
  total: number;
  /** The whole budget in tokens, roughly. */
  tokens: number;
}

/** Bytes of a token in a list of names. */
const bytesPerToken = 3.2;

export function measureFor(
  { tokens = checkpointTokens(), bytes }: CheckpointBudget,
  countTokens: (text: string) => number,
): Measure {
  if (bytes !== undefined) {
    const fits = (text: string) => utf8Length(text) <= bytes;
    return { fits, cost: utf8Length, total: bytes, tokens: bytes / bytesPerToken };
  }
  const cost = (text: string) => upperBound(text, countTokens);
  return { fits: (text) => cost(text) <= tokens, cost, total: tokens, tokens };
}

/** The bytes of a text, without encoding it. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Both halves of a surrogate pair count for two; a lone half becomes a replacement character of three.
    if (code >= 0x80) bytes += code < 0x800 || isPairHalf(text, at, code) ? 1 : 2;
  }
  return bytes;
}

function isPairHalf(text: string, at: number, code: number): boolean {
  if (code >= 0xd800 && code <= 0xdbff) return isLowSurrogate(text.charCodeAt(at + 1));
  if (code < 0xdc00 || code > 0xdfff || at === 0) return false;
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Estimated counts can be too low, far too low in scripts where tokenizers spend a token per byte. */
function upperBound(text: string, countTokens: (text: string) => number): number {
  const rare = text.match(rareCharacters)?.length ?? 0;
  const foreign = text.match(foreignCharacters)?.length ?? 0;
  return countTokens(text) * margin + foreign * 0.25 + rare * 3;
}

/** Lists of names have up to this many more tokens than estimated. */
const margin = 1.05;

const foreignCharacters = /[^\p{ASCII}]/gu;

const rareCharacters =
  /[^\p{ASCII}\u0080-\u024f\u0370-\u06ff\u0900-\u0d7f\u0e00-\u0e7f\u10a0-\u10ff\u1e00-\u200a\u2010-\u2027\u3000-\u312f\u4e00-\u9fff\uac00-\ud7af\uff00-\uff9f]/gu;
