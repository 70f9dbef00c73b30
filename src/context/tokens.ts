/** Counts the tokens of a text, exactly or by estimate. */
export interface Tokenizer {
  readonly name: string;
  count(text: string): number;
}

export interface TokenCacheOptions {
  /** At most this many texts are remembered. */
  maxEntries?: number;
  /** At most this many characters of text are remembered; a text longer than half of it is not. */
  maxCharacters?: number;
}

export interface CalibratedTokenizer extends Tokenizer {
  /** What the inner tokenizer's counts are multiplied by, from 0.5 to 2. */
  readonly ratio: number;
  /** Learns from a request: what this tokenizer counted for it, and what the provider reported. */
  observe(counted: number, reported: number): void;
}

const SHORT_TEXT = 256;
const LEARNING_RATE = 0.25;

/** Remembers counts, so that a text which has not changed is not counted again. */
export function cachedTokenizer(tokenizer: Tokenizer, options: TokenCacheOptions = {}): Tokenizer {
  const { maxEntries = 20_000, maxCharacters = 16_000_000 } = options;
  // Short texts have a shelf of their own, or a flood of them would evict the long ones that are dear to count.
  const shortTexts = createShelf(maxEntries / 2, maxCharacters / 2);
  const longTexts = createShelf(maxEntries / 2, maxCharacters / 2);
  return {
    name: tokenizer.name,
    count(text) {
      const shelf = text.length < SHORT_TEXT ? shortTexts : longTexts;
      const known = shelf.get(text);
      if (known !== undefined) return known;
      const tokens = tokenizer.count(text);
      shelf.set(text, tokens);
      return tokens;
    },
  };
}

/** Corrects a tokenizer's counts by what the provider reports, since every model counts a little differently. */
export function calibratedTokenizer(tokenizer: Tokenizer): CalibratedTokenizer {
  let ratio = 1;
  return {
    name: tokenizer.name,
    get ratio() {
      return ratio;
    },
    count: (text) => Math.round(tokenizer.count(text) * ratio),
    observe(counted, reported) {
      if (!isPositive(counted) || !isPositive(reported)) return;
      const target = Math.min(2, Math.max(0.5, (ratio * reported) / counted));
      ratio += (target - ratio) * LEARNING_RATE;
    },
  };
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

interface Shelf {
  get(text: string): number | undefined;
  set(text: string, tokens: number): void;
}

/** Keeps the counts used last: a Map iterates in insertion order, so its first key is the one unused longest. */
function createShelf(maxEntries: number, maxCharacters: number): Shelf {
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
