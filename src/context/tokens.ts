/** Counts the tokens of a text, exactly or by estimate. */
export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
}

export interface TokenCacheOptions {
  /** Max texts in the cache. */
  maxEntries?: number;
  /** Max characters in the cache; a text longer than half of it is not cached. */
  maxCharacters?: number;
}

export interface CalibratedTokenizer extends Tokenizer {
  /** The factor applied to the inner tokenizer's counts, from 0.5 to 4. */
  readonly ratio: number;
  /** Starts with the ratio that an earlier process learned, unless this one has learned its own. */
  start(ratio: number): void;
  /** Adjusts the ratio from one request: the count of this tokenizer, and the provider's report. */
  observe(counted: number, reported: number): void;
}

const SHORT_TEXT = 256;
const LEARNING_RATE = 0.25;

/** Caches counts, so that an unchanged text is not counted again. */
export function cachedTokenizer(tokenizer: Tokenizer, options: TokenCacheOptions = {}): Tokenizer {
  const { maxEntries = 20_000, maxCharacters = 16_000_000 } = options;
  // Short texts have a separate cache, or many of them would evict the long ones, which are expensive to count.
  const shortTexts = createLruCache(maxEntries / 2, maxCharacters / 2);
  const longTexts = createLruCache(maxEntries / 2, maxCharacters / 2);
  return {
    name: tokenizer.name,
    count(text) {
      const cache = text.length < SHORT_TEXT ? shortTexts : longTexts;
      const known = cache.get(text);
      if (known !== undefined) return known;
      const tokens = tokenizer.count(text);
      cache.set(text, tokens);
      return tokens;
    },
  };
}

/** Corrects a tokenizer's counts by the provider's reports, because every model counts slightly differently. */
export function calibratedTokenizer(tokenizer: Tokenizer): CalibratedTokenizer {
  let ratio = 1;
  let isLearned = false;
  return {
    name: tokenizer.name,
    get ratio() {
      return ratio;
    },
    count: (text) => Math.round(tokenizer.count(text) * ratio),
    start(learned) {
      if (!isLearned && isPositive(learned)) ratio = inRange(learned);
      isLearned = true;
    },
    observe(counted, reported) {
      if (!isPositive(counted) || !isPositive(reported)) return;
      const target = inRange((ratio * reported) / counted);
      // A count that is too low can overflow the window with the next call, one that is too high only wastes room.
      ratio = target > ratio ? target : ratio + (target - ratio) * LEARNING_RATE;
      isLearned = true;
    },
  };
}

function inRange(ratio: number): number {
  return Math.min(4, Math.max(0.5, ratio));
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

interface LruCache {
  get(text: string): number | undefined;
  set(text: string, tokens: number): void;
}

/** A Map iterates in insertion order, so its first key is the least recently used. */
function createLruCache(maxEntries: number, maxCharacters: number): LruCache {
  const counts = new Map<string, number>();
  let characters = 0;
  let newest: string | undefined;
  return {
    get(text) {
      const tokens = counts.get(text);
      if (tokens !== undefined && text !== newest) {
        counts.delete(text);
        counts.set(text, tokens);
        newest = text;
      }
      return tokens;
    },
    set(text, tokens) {
      if (text.length > maxCharacters || maxEntries < 1) return;
      counts.set(text, tokens);
      newest = text;
      characters += text.length;
      for (const oldest of counts.keys()) {
        if (counts.size <= maxEntries && characters <= maxCharacters) break;
        counts.delete(oldest);
        characters -= oldest.length;
      }
    },
  };
}
