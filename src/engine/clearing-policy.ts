/** When to replace old tool results with one-line stubs. */
export interface ClearingPolicy {
  /** Results of each kind with at least this many tokens are cleared for their size alone. */
  searchTokens: number;
  fileTokens: number;
  treeTokens: number;
  jsonTokens: number;
  testTokens: number;
  otherTokens: number;
  /** Smaller results of one kind are cleared too once they add up to this. */
  accumulatedTokens: number;
  /** Smaller results of every kind are cleared too once all results in the prompt add up to this. */
  sessionTokens: number;
  /** Smaller results are kept: they are hardly longer than a stub. */
  leastTokens: number;
  /** Number of newest results to keep. */
  keepLast: number;
  /** Tools whose results are never cleared. */
  exclude: readonly string[];
  /** Price of a cached input token relative to a fresh one. */
  cachedPrice: number;
  /** Price of a cache write relative to a fresh input token. */
  writePrice: number;
}

export const defaultClearing: ClearingPolicy = {
  searchTokens: 2_000,
  fileTokens: 3_000,
  treeTokens: 2_000,
  jsonTokens: 2_000,
  testTokens: 2_000,
  otherTokens: 2_000,
  accumulatedTokens: 5_000,
  sessionTokens: 15_000,
  leastTokens: 200,
  keepLast: 3,
  exclude: [],
  cachedPrice: 0.1,
  writePrice: 1.25,
};
