/** When to replace old tool results with one-line stubs. */
export interface ClearingPolicy {
  /** A result of at least this many tokens is cleared for its size alone. */
  largeTokens: number;
  /** Smaller results are cleared too once all results in the prompt add up to this. */
  sessionTokens: number;
  /** Smaller results are kept: they are hardly longer than a stub. */
  leastTokens: number;
  /** Number of newest results to keep. */
  keepLast: number;
  /** Tools whose results are never cleared. */
  exclude: readonly string[];
}

export const defaultClearing: ClearingPolicy = {
  largeTokens: 2_000,
  sessionTokens: 15_000,
  leastTokens: 200,
  keepLast: 3,
  exclude: [],
};
