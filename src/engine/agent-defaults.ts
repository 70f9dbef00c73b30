/** Defaults of an agent. The agent uses them, and the configuration shows them. */
export const agentDefaults = {
  /** Share of the window at which the conversation is compacted. */
  compactAt: 0.8,
  /** Share of the window kept for the newest messages. */
  keep: 0.25,
  /** Share of the window that memory may take. */
  memoryShare: 0.4,
  /** Max model calls in one turn. */
  maxSteps: 50,
};

/** Limits on the sub-sessions of an agent. */
export interface ChildLimits {
  /** Max nesting. */
  depth: number;
  /** Max running at the same time. */
  running: number;
  /** Tokens that one may use. */
  tokens: number;
  /** Seconds that one may run. */
  seconds: number;
}

export const defaultChildLimits: ChildLimits = { depth: 3, running: 10, tokens: 500_000, seconds: 1_800 };

/** When to replace old tool results with one-line stubs. */
export interface ClearingPolicy {
  /** A result of at least this many tokens is cleared for its size alone. */
  largeTokens: number;
  /** Smaller results are kept: they are hardly longer than a stub. */
  leastTokens: number;
  /** Number of newest results to keep. */
  keepLast: number;
  /** Tools whose results are never cleared. */
  exclude: readonly string[];
}

export const defaultClearing: ClearingPolicy = {
  largeTokens: 2_000,
  leastTokens: 200,
  keepLast: 3,
  exclude: [],
};
