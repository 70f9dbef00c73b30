import { HoldfastError } from "../errors.ts";
import { kindOf, LOWER, UPPER } from "./character-kinds.ts";
import type { Tokenizer } from "./tokens.ts";

// The encoder takes each of these in one piece, and its time is quadratic in the length of a piece.
const LONG_RUN = /[\p{L}\p{M}]{128}|[^\s\p{L}\p{N}]{256}|\s{256}|[\r\n/]{256}/gu;
const SHORTEST_LONG_RUN = 128;

// Here a piece always ends, so that a text can be counted in two parts and the sum is exact.
const END_OF_LETTERS = /(?<=\p{L})(?=[^\p{L}\p{M}'])/gu;

// Its cache makes it many times slower once full, which takes 100,000 pieces of two characters and two tokens.
const CHARACTERS_PER_BLOCK = 100_000;
const TOKENS_PER_CACHE = 100_000;

// Without this it throws on text that happens to contain a special token such as <|endoftext|>.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Loads the exact o200k tokenizer, which needs the package `gpt-tokenizer` and some 64 MB.
 * Only in unbroken runs of 128 letters or 256 marks or blanks is it a little off, by about 1 %.
 */
export async function loadExactTokenizer(): Promise<Tokenizer> {
  const { countTokens, clearMergeCache } = await importEncoding();
  let tokensInCache = 0;
  const countPart = (part: string): number => {
    if (tokensInCache > TOKENS_PER_CACHE) {
      clearMergeCache();
      tokensInCache = 0;
    }
    const tokens = countTokens(part, AS_TEXT);
    tokensInCache += tokens;
    return tokens;
  };
  return {
    name: "o200k",
    count(text) {
      let tokens = 0;
      for (const block of cutBlocks(text)) {
        for (const part of cutLongRuns(block)) tokens += countPart(part);
      }
      return tokens;
    },
  };
}

async function importEncoding() {
  try {
    return await import("gpt-tokenizer/encoding/o200k_base");
  } catch (cause) {
    throw new HoldfastError(
      "missing_dependency",
      'Counting tokens exactly needs the package "gpt-tokenizer", which could not be loaded: npm install gpt-tokenizer',
      { data: { package: "gpt-tokenizer" }, cause },
    );
  }
}

/** Parts after each of which the encoder's cache can be cleared. */
function cutBlocks(text: string): string[] {
  const cuts: number[] = [];
  END_OF_LETTERS.lastIndex = CHARACTERS_PER_BLOCK;
  while (END_OF_LETTERS.lastIndex < text.length) {
    const end = END_OF_LETTERS.exec(text)?.index;
    if (end === undefined) break;
    cuts.push(end);
    END_OF_LETTERS.lastIndex = end + CHARACTERS_PER_BLOCK;
  }
  return cutAt(text, cuts);
}

function cutLongRuns(text: string): string[] {
  if (!mayHoldLongRun(text)) return [text];
  return cutAt(
    text,
    Array.from(text.matchAll(LONG_RUN), (run) => run.index + run[0].length),
  );
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const parts = cuts.map((end, index) => text.slice(cuts[index - 1] ?? 0, end));
  parts.push(text.slice(cuts.at(-1) ?? 0));
  return parts;
}

/** A quick look that spares most text the pattern above, which takes as long as the encoder itself. */
function mayHoldLongRun(text: string): boolean {
  let start = 0;
  let runKind = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Beyond ASCII only the pattern can tell letters from marks, and a slash continues line ends as well as marks.
    if (code >= 128 || code === 47) continue;
    const kind = kindOf(code);
    const broad = kind === UPPER ? LOWER : kind;
    if (broad === runKind) continue;
    if (at - start >= SHORTEST_LONG_RUN) return true;
    start = at;
    runKind = broad;
  }
  return text.length - start >= SHORTEST_LONG_RUN;
}
